// The command line as it is run: CommonJS, which Node starts sooner than ES modules. The start is one
// file that knows commands and flags; what a command does is loaded when it is named.
import path from "node:path";
import { build, transform } from "esbuild";
import { BUNDLING, packagesIn } from "./bundling.mjs";

const SRC = path.resolve("src");
/** What a module knows of itself, in words that CommonJS has; createRequire takes a path for a URL. */
const OWN_PLACE = { "import.meta.dirname": "__dirname", "import.meta.url": "__filename" };
const AS_COMMONJS = { format: "cjs", supported: { "dynamic-import": false } };

/** The files of `dist/`, with their contents, and the files of other packages that are in them. */
export async function programFiles() {
  const loaded = new Map();
  const start = await build({
    ...BUNDLING,
    ...AS_COMMONJS,
    define: OWN_PLACE,
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
  const { target, platform, minifySyntax } = BUNDLING;
  const settings = { ...AS_COMMONJS, target, platform, minifySyntax };
  const turned = await Promise.all(
    rest.outputFiles.map(async ({ path: file, text }) => [file, asCommonJs(await transform(text, settings))]),
  );
  return {
    files: [
      ["dist/package.json", `${JSON.stringify({ type: "commonjs" })}\n`],
      ...start.outputFiles.map(({ path: file, text }) => [file, text]),
      ...turned,
    ],
    packages: [...packagesIn(start.metafile), ...packagesIn(rest.metafile)],
  };
}

/** What CommonJS cannot say, a build must not leave out. */
function asCommonJs({ code, warnings }) {
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return code;
}

/** Notes what is imported when it is needed, and leaves it where the files of `dist/program/` will be. */
function leavesForLater(loaded) {
  return {
    name: "leaves-for-later",
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path: named, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        const file = path.relative(SRC, path.resolve(resolveDir, named));
        loaded.set(file, path.join("src", file.replace(/\.js$/, ".ts")));
        return { path: `./program/${file.split(path.sep).join("/")}`, external: true };
      });
    },
  };
}
