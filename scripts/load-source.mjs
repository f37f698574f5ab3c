import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Leaves out the code of commands, which the command table imports only when a command runs. */
const tablesAlone = {
  name: "tables-alone",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path: file }) =>
      kind === "dynamic-import" ? { path: file, external: true } : null,
    );
  },
};

/** Bundles and runs these lines of TypeScript, and returns their exports. */
export async function loadSource(...lines) {
  const folder = await mkdtemp(path.join(process.cwd(), "node_modules/.generate-"));
  try {
    const outfile = path.join(folder, "source.mjs");
    await build({
      stdin: { contents: lines.join("\n"), resolveDir: process.cwd(), loader: "ts" },
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      plugins: [tablesAlone],
      outfile,
      logLevel: "warning",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
