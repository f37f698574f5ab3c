// Makes dist/: the bundled CLI, library and GitHub Action, their declarations, and the licences of what is bundled.
import { execFile } from "node:child_process";
import { chmod, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { writeAction } from "./action.mjs";
import { BUNDLING, ENTRIES, packagesIn } from "./bundling.mjs";
import { prunePrivate } from "./declarations.mjs";
import { licensesOf } from "./licenses.mjs";
import { FINGERPRINT_FILE, fingerprint } from "./sources.mjs";
import { writeValidators } from "./validators.mjs";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
await writeValidators();
const built = await fingerprint();
await rm("dist", { recursive: true, force: true });
await Promise.all([bundle(), declare(), writeAction()]);
// Last, so that a build that broke off is not taken for a whole one.
await writeFile(FINGERPRINT_FILE, built);

async function bundle() {
  const { metafile } = await build({ ...BUNDLING, entryPoints: ENTRIES, outdir: "dist", splitting: true });
  await chmod("dist/cli.js", 0o755);
  await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licensesOf(packagesIn(metafile)));
}

async function declare() {
  const tsc = path.join("node_modules", "typescript", "bin", "tsc");
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.build.json"]);
  } catch (error) {
    throw new Error(`The declarations cannot be made:\n${error.stdout}${error.stderr}`);
  }
  await prunePrivate("dist/types", "index.d.ts");
}
