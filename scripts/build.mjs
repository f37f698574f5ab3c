// Makes dist/: the bundled CLI, library and GitHub Action, their declarations, and the licences of what is bundled.
import { execFile } from "node:child_process";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { writeAction } from "./action.mjs";
import { BUNDLING, packagesIn, withRequire } from "./bundling.mjs";
import { prunePrivate } from "./declarations.mjs";
import { licensesOf } from "./licenses.mjs";
import { programFiles } from "./program.mjs";
import { FINGERPRINT_FILE, fingerprint } from "./sources.mjs";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const LIBRARY = "dist/lib";
const built = await fingerprint();
await rm("dist", { recursive: true, force: true });
const [packages] = await Promise.all([bundle(), declare(), writeAction()]);
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licensesOf(packages));
// Last, so that a build that broke off is not taken for a whole one.
await writeFile(FINGERPRINT_FILE, built);

/** Writes the JavaScript; gives the files of other packages that are in it. */
async function bundle() {
  const { files, packages } = await programFiles();
  await Promise.all(files.map(([file, text]) => writeOutput(file, text)));
  await chmod("dist/cli.js", 0o755);
  const { outputFiles, metafile } = await build({
    ...BUNDLING,
    entryPoints: {
      index: "src/index.ts",
      // The engines alone: what they load is theirs, since what entries share is in chunks of its own.
      csp: "src/csp/index.ts",
      expression: "src/expression/index.ts",
    },
    outdir: LIBRARY,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
  });
  await writeOutput(path.join(LIBRARY, "package.json"), `${JSON.stringify({ type: "module" })}\n`);
  await Promise.all(outputFiles.map(({ path: file, text }) => writeOutput(file, withRequire(text))));
  return [...packages, ...packagesIn(metafile)];
}

async function writeOutput(file, text) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function declare() {
  const tsc = path.join("node_modules", "typescript", "bin", "tsc");
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.build.json"]);
  } catch (error) {
    throw new Error(`The declarations cannot be made:\n${error.stdout}${error.stderr}`);
  }
  await prunePrivate(path.join(LIBRARY, "types"), "index.d.ts");
}
