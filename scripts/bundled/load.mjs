// How the start of the command line loads what is in dist/program/.
import path from "node:path";
import { cacheFolder, loaderOf } from "../../src/cli/compile-cache.js";
import { setFlags } from "../../src/cli/v8-flags.js";

const program = { folder: path.join(import.meta.dirname, "program"), build: PROGRAM_BUILD };
const { load, keep } = loaderOf(program, cacheFolder(process.env), setFlags);
process.once("exit", keep);

export { load };
