import { build } from "esbuild";

/** The common options of all bundles. The same sources give the same bytes in any folder. */
export const BUNDLING = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Names and lines are kept, so that stack traces in bug reports are readable.
  minifySyntax: true,
  legalComments: "none",
  chunkNames: "chunks/[name]-[hash]",
  // Bundled CommonJS packages call `require`, but only for Node's own modules.
  banner: { js: "const require=process.getBuiltinModule;" },
  // Bundles contain file names. Symbolic links are kept, so that names do not depend on a package store.
  preserveSymlinks: true,
  // fdir's ES module would load any picomatch that it finds in the folders around the program.
  alias: { fdir: "./node_modules/fdir/dist/index.cjs" },
  metafile: true,
  logLevel: "warning",
};

/** A single executable file has one CommonJS script, which can only require Node's own modules. */
export const SINGLE_FILE = {
  format: "cjs",
  banner: {},
  supported: { "dynamic-import": false },
  // The script is in no folder, so nothing may look for files beside it.
  logOverride: { "empty-import-meta": "error" },
};

/** The program, the library, and each engine alone. Shared code is in chunks, so no entry loads the code of another. */
export const ENTRIES = {
  cli: "src/cli.ts",
  index: "src/index.ts",
  csp: "src/csp/index.ts",
  expression: "src/expression/index.ts",
};

/** The files of other packages in a bundle. */
export function packagesIn({ outputs }) {
  const bundled = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  return bundled.filter((file) => file.includes("node_modules/"));
}

/** The folder of the package that contains a file. */
export function packageFolder(file) {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file);
  return folder;
}

/** The folders of all packages with a file in the program, the library or the Action. */
export async function bundledPackages() {
  const entryPoints = { ...ENTRIES, action: "src/action.ts" };
  const { metafile } = await build({
    ...BUNDLING,
    entryPoints,
    outdir: "dist",
    splitting: true,
    write: false,
  });
  return [...new Set(packagesIn(metafile).map(packageFolder))].sort();
}
