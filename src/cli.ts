#!/usr/bin/env node
import module from "node:module";
import path from "node:path";

// In the program's own folder: whoever can write there could change the program itself. Node's usual place is one where
// any user of the machine can put code.
const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(path.join(import.meta.dirname, ".compiled"));
// After the cache is set, so that the cache covers the whole program.
void import("./cli/program.js");
