// The command line as it is run: CommonJS, which Node starts sooner than ES modules. The start is one
// file that knows commands and flags; what a command does is loaded when it is named.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build, transform } from "esbuild";
import { BUNDLING, packagesIn } from "./bundling.mjs";

const SRC = path.resolve("src");
const LOAD = path.resolve("scripts/bundled/load.mjs");
/** What a module knows of itself, in words that CommonJS has; createRequire takes a path for a URL. */
const OWN_PLACE = { "import.meta.dirname": "__dirname", "import.meta.url": "__filename" };
/** Stands where the start names what it loads, whose hash is not known before that is built. */
const BUILD = "the hash of all that is in dist/program";
const AS_COMMONJS = { format: "cjs", supported: { "dynamic-import": false } };

/** The files of `dist/`, with their contents, and the files of other packages that are in them. */
export async function programFiles() {
  const loaded = new Map();
  const start = await build({
    ...BUNDLING,
    ...AS_COMMONJS,
    define: { ...OWN_PLACE, PROGRAM_BUILD: JSON.stringify(BUILD) },
    plugins: [...BUNDLING.plugins, leavesForLater(loaded)],
    entryPoints: { cli: "src/cli.ts" },
    outdir: "dist",
    banner: { js: "#!/usr/bin/env node" },
  });
  const rest = await build({
    ...BUNDLING,
    define: OWN_PLACE,
    entryPoints: [...loaded.values()],
    outbase: "src",
    outdir: "dist/program",
    chunkNames: "chunks/[name]-[hash]",
    splitting: true, // of ES modules only; each is turned into CommonJS below
  });
  await noneChanges(rest.metafile);
  noneInCircles(rest.metafile);
  const { target, platform, minifySyntax } = BUNDLING;
  const settings = { ...AS_COMMONJS, target, platform, minifySyntax };
  const turned = await Promise.all(
    rest.outputFiles.map(async ({ path: file, text }) => [file, asCommonJs(await transform(text, settings))]),
  );
  return {
    files: [
      ["dist/package.json", `${JSON.stringify({ type: "commonjs" })}\n`],
      ...start.outputFiles.map(({ path: file, text }) => [file, text.replace(BUILD, hashOf(turned))]),
      ...turned,
    ],
    packages: [...packagesIn(start.metafile), ...packagesIn(rest.metafile)],
  };
}

/** What CommonJS cannot say, a build must not leave out. */
function asCommonJs({ code, warnings }) {
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return exportingValues(code);
}

/** What esbuild makes of exports: getters, read through further getters, which is most of what a short function costs. */
const GETTERS = /^__export\((\w+), \{\n((?: {2}.*\n)+)\}\);\nmodule\.exports = __toCommonJS\(\1\);\n/m;

/** Exports as plain values, at the end of the file: see `noneChanges` and `noneInCircles`. */
function exportingValues(code) {
  const found = GETTERS.exec(code);
  if (found === null) throw new Error("A file of the program does not export as expected.");
  const values = found[2].replaceAll(/^ {2}("?[\w$]+"?): \(\) => ([\w$]+)/gm, "  $1: $2");
  return `${code.replace(GETTERS, "")}\nmodule.exports = {\n  __esModule: true,\n${values}};\n`;
}

/** A value that a module exports stays: who has imported it is given no other one later. */
async function noneChanges({ inputs }) {
  const texts = await Promise.all(
    Object.keys(inputs).map(async (file) => [file, await readFile(file, "utf8")]),
  );
  const changing = texts.find(([, text]) => changes(text));
  if (changing !== undefined)
    throw new Error(`${changing[0]} exports what may change: export a function for it.`);
}

/** Whether a module exports what is given a value more than once, or later than it is declared. */
function changes(text) {
  if (/^export (?:let|var) /m.test(text)) return true;
  const exported = [...text.matchAll(/^export (?:\{([^}]*)\}(?!\s*from)|default (\w+);)/gm)];
  const names = exported.flatMap(([, list = "", single = ""]) => [
    single,
    ...list.split(",").map((each) => each.trim().split(/\s/)[0]),
  ]);
  return names.some((name) => {
    if (name === "" || !new RegExp(`^(?:let|var) ${name}\\b`, "m").test(text)) return false;
    const given = text.match(new RegExp(`\\b${name}\\s*=(?![=>])`, "g"))?.length ?? 0;
    return given !== 1 || new RegExp(`^(?:let|var) ${name}\\s*;`, "m").test(text);
  });
}

/** Of two files that need each other to start, one would find nothing exported by the other. */
function noneInCircles({ outputs }) {
  const done = new Set();
  const visit = (file, above) => {
    if (above.includes(file))
      throw new Error(`Files need each other to start: ${[...above, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const { path: needed, kind } of outputs[file]?.imports ?? [])
      if (kind === "import-statement") visit(needed, [...above, file]);
    done.add(file);
  };
  for (const file of Object.keys(outputs)) visit(file, []);
}

function hashOf(files) {
  return createHash("sha256").update(JSON.stringify(files)).digest("hex");
}

/** Notes what is imported when it is needed, and has it loaded from where the files of `dist/program/` will be. */
function leavesForLater(loaded) {
  return {
    name: "leaves-for-later",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ kind, path: named, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        const file = path.relative(SRC, path.resolve(resolveDir, named)).split(path.sep).join("/");
        loaded.set(file, path.join("src", file.replace(/\.js$/, ".ts")));
        return { path: file, namespace: "later" };
      });
      onLoad({ filter: /^/, namespace: "later" }, ({ path: file }) => ({
        contents: `module.exports = require(${JSON.stringify(LOAD)}).load(${JSON.stringify(file)});`,
        resolveDir: SRC,
      }));
    },
  };
}
