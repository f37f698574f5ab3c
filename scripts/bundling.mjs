import { build } from "esbuild";

/** How everything here is bundled. The same sources give the same bytes, wherever they are. */
export const BUNDLING = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Names and lines stay: the stack trace of a bug report can be read.
  minifySyntax: true,
  legalComments: "none",
  chunkNames: "chunks/[name]-[hash]",
  // Bundled CommonJS packages call `require`, for nothing but what Node has.
  banner: { js: "const require=process.getBuiltinModule;" },
  // Names of files are in the bundle: those by which they are found, not those of a store that links lead to.
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

/** The program, the library, and its engines alone: what they load is theirs, since what entries share is in chunks. */
export const ENTRIES = {
  cli: "src/cli.ts",
  index: "src/index.ts",
  csp: "src/csp/index.ts",
  expression: "src/expression/index.ts",
};

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
