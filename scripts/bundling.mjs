import path from "node:path";
import { build } from "esbuild";

/**
 * HTTP/2 is not spoken (`allowH2` of src/api/wire.ts), and Node takes longer to load its own than all the rest of undici.
 * Nor does undici speak HTTP/1 by Node's own.
 */
const onlyUsedOfUndici = {
  name: "only-used-of-undici",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: path.resolve("scripts/bundled/undici.mjs") }));
    onResolve({ filter: /^node:http$/ }, ({ importer }) =>
      /[\\/]undici[\\/]lib[\\/]/.test(importer)
        ? { path: path.resolve("scripts/bundled/http.mjs") }
        : undefined,
    );
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({ contents: "" }));
  },
};

/** The build of yaml that looks at no variable of the environment: its other one does so at each token. */
const yamlWithoutEnvironment = {
  name: "yaml-without-environment",
  setup({ onResolve }) {
    onResolve({ filter: /^yaml$/ }, () => ({ path: path.resolve("node_modules/yaml/browser/index.js") }));
  },
};

/** How everything here is bundled. The same sources give the same bytes, wherever they are. */
export const BUNDLING = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Names and lines stay: they make no start slower, and the stack trace of a bug report can be read.
  minifySyntax: true,
  legalComments: "none",
  plugins: [onlyUsedOfUndici, yamlWithoutEnvironment],
  // Names of files are in the bundle: those by which they are found, not those of a store that links lead to.
  preserveSymlinks: true,
  metafile: true,
  write: false,
  logLevel: "warning",
};

/** Bundled CommonJS packages call `require`, which an ES module has to make for itself. */
const REQUIRE =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);\n';

export function withRequire(text) {
  return /typeof require\b/.test(text) ? REQUIRE + text : text;
}

/** The files of other packages that are in what was built. */
export function packagesIn({ outputs }) {
  const bundled = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  return bundled.filter((file) => file.includes("node_modules/"));
}

/** The folder of the package that a file is of. */
export function packageFolder(file) {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file);
  return folder;
}

/** The folders of the packages that a file of is in the program, the library or the Action. */
export async function bundledPackages() {
  const { metafile } = await build({
    ...BUNDLING,
    entryPoints: { cli: "src/cli.ts", index: "src/index.ts", action: "src/action.ts" },
    outdir: "dist",
    splitting: true,
  });
  return [...new Set(packagesIn(metafile).map(packageFolder))].sort();
}
