// Builds dist/: the bundled CLI, library and GitHub Action, their declarations, and the licences of bundled packages.
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { BUNDLING, ENTRIES, packagesIn, SINGLE_FILE } from "./bundling.mjs";
import { prunePrivate } from "./declarations.mjs";
import { licensesOf } from "./licenses.mjs";
import { FINGERPRINT_FILE, fingerprint } from "./sources.mjs";
import { writeValidators } from "./validators.mjs";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
await writeValidators();
const built = await fingerprint();
await clear();
await Promise.all([bundle(), bundleAction(), bundleSingleFile(), declare()]);
// Written last, so that an interrupted build does not count as complete.
await writeFile(FINGERPRINT_FILE, built);

/** Keeps only the committed bundle of the Action. CONTRIBUTING.md says when to update it. */
async function clear() {
  await mkdir("dist", { recursive: true });
  const built = (await readdir("dist")).filter((name) => name !== "action");
  await Promise.all(built.map((name) => rm(path.join("dist", name), { recursive: true })));
}

async function bundle() {
  const { metafile } = await build({ ...BUNDLING, entryPoints: ENTRIES, outdir: "dist", splitting: true });
  await chmod("dist/cli.js", 0o755);
  await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licensesOf(packagesIn(metafile)));
}

/** GitHub runs the Action as a single file from the repository. */
async function bundleAction() {
  const outfile = "dist/.action/index.mjs";
  const { metafile } = await build({ ...BUNDLING, entryPoints: ["src/action.ts"], outfile });
  await writeFile("dist/.action/THIRD-PARTY-LICENSES.txt", await licensesOf(packagesIn(metafile)));
}

/** single-file.mjs puts this script into Node. */
async function bundleSingleFile() {
  await build({
    ...BUNDLING,
    ...SINGLE_FILE,
    entryPoints: ["src/cli/program.ts"],
    outfile: "dist/.single-file/zoneward.cjs",
  });
}

async function declare() {
  const tsc = path.join("node_modules", "typescript", "bin", "tsc");
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.build.json"]);
  } catch (error) {
    throw new Error(`Generating the declarations failed:\n${error.stdout}${error.stderr}`);
  }
  await prunePrivate("dist/types", "index.d.ts");
}
