import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { BUNDLING, packagesIn } from "./bundling.mjs";
import { licensesOf } from "./licenses.mjs";

/** The files of the GitHub Action, with their contents. They are committed: GitHub runs them as they are in the repository. */
export async function actionFiles() {
  const { outputFiles, metafile } = await build({
    ...BUNDLING,
    entryPoints: { index: "src/action.ts" },
    outdir: "dist/action",
    outExtension: { ".js": ".mjs" },
    write: false,
  });
  return {
    "dist/action/index.mjs": outputFiles[0].text,
    "dist/action/THIRD-PARTY-LICENSES.txt": await licensesOf(packagesIn(metafile)),
  };
}

export async function writeAction() {
  for (const [file, text] of Object.entries(await actionFiles())) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
