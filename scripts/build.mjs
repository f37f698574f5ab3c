// Makes dist/: the bundled CLI and library, their declarations, and the licences of what is bundled.
import { execFile } from "node:child_process";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { prunePrivate } from "./declarations.mjs";
import { licensesOf } from "./licenses.mjs";
import { FINGERPRINT_FILE, fingerprint } from "./sources.mjs";

/** Bundled CommonJS packages call `require`, which an ES module has to make for itself; one chunk has those calls. */
const REQUIRE =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);\n';

const onlyUsedOfUndici = {
  name: "only-used-of-undici",
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: path.resolve("scripts/bundled/undici.mjs") }));
  },
};

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const built = await fingerprint();
await rm("dist", { recursive: true, force: true });
const [packages] = await Promise.all([bundle(), declare()]);
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licensesOf(packages));
// Last, so that a build that broke off is not taken for a whole one.
await writeFile(FINGERPRINT_FILE, built);

/** Writes the JavaScript; gives the files of other packages that are in it. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: { cli: "src/cli.ts", index: "src/index.ts" },
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // Names and lines stay: they make no start slower, and the stack trace of a bug report can be read.
    minifySyntax: true,
    legalComments: "none",
    plugins: [onlyUsedOfUndici],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  await Promise.all(outputFiles.map(writeOutput));
  await chmod("dist/cli.js", 0o755);
  const bundled = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  return bundled.filter((file) => file.includes("node_modules/"));
}

async function writeOutput({ path: file, text }) {
  const shebang = path.basename(file) === "cli.js" ? "#!/usr/bin/env node\n" : "";
  const requires = /typeof require\b/.test(text) ? REQUIRE : "";
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, shebang + requires + text);
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
