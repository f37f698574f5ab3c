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
import { FINGERPRINT_FILE, fingerprint } from "./sources.mjs";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const built = await fingerprint();
await rm("dist", { recursive: true, force: true });
const [packages] = await Promise.all([bundle(), declare(), writeAction()]);
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licensesOf(packages));
// Last, so that a build that broke off is not taken for a whole one.
await writeFile(FINGERPRINT_FILE, built);

/** Writes the JavaScript; gives the files of other packages that are in it. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    ...BUNDLING,
    entryPoints: {
      cli: "src/cli.ts",
      index: "src/index.ts",
      // The engines alone: what they load is theirs, since what entries share is in chunks of its own.
      csp: "src/csp/index.ts",
      expression: "src/expression/index.ts",
    },
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
  });
  await Promise.all(outputFiles.map(writeOutput));
  await chmod("dist/cli.js", 0o755);
  return packagesIn(metafile);
}

async function writeOutput({ path: file, text }) {
  const shebang = path.basename(file) === "cli.js" ? "#!/usr/bin/env node\n" : "";
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, shebang + withRequire(text));
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
