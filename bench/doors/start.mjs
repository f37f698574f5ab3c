import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { createEmulator } from "../../dist/index.js";
import { BUNDLING, withRequire } from "../../scripts/bundling.mjs";
import { measure } from "../measure.mjs";

const ROUNDS = 15;
const CONFIG = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: Checkout, action: log, expression: 'http.host eq "shop.example.com"', value: "script-src 'self'" }
`;

/**
 * What the commands of checkouts take, bundled alike, as ratios to what a bare start of Node takes in the same round:
 * the medians.
 *
 * @param roots of checkouts, by names
 */
export async function startsOf(roots) {
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync("node_modules/.cache/zoneward-start-");
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  try {
    const config = path.join(folder, "zoneward.yaml");
    writeFileSync(config, CONFIG);
    const jobs = { node: ["-e", "0"] };
    for (const [name, root] of Object.entries(roots)) {
      const { program } = await bundled(root, path.join(folder, name));
      jobs[`${name} version`] = [program, "version"];
      jobs[`${name} validate`] = [program, "validate", "-c", config];
      jobs[`${name} plan`] = [program, "plan", "-c", config];
    }
    // With it, Node itself starts slowly.
    const env = {
      NODE_EXTRA_CA_CERTS: undefined,
      CLOUDFLARE_API_TOKEN: emulator.token,
      CLOUDFLARE_BASE_URL: emulator.url,
    };
    const { node, ...samples } = await measure(ROUNDS, jobs, env);
    return Object.fromEntries(
      Object.entries(samples).map(([name, rounds]) => [
        name,
        {
          cpu: median(rounds.map(({ cpuMs }, at) => cpuMs / node[at].cpuMs)),
          wall: median(rounds.map(({ wallMs }, at) => wallMs / node[at].wallMs)),
        },
      ]),
    );
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true });
  }
}

/** Bytes of JavaScript that are loaded before the command is known. */
export async function startSizeOf(root) {
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync("node_modules/.cache/zoneward-start-");
  try {
    const { outputs } = await bundled(root, folder);
    const loaded = new Set();
    const load = (file) => {
      if (loaded.has(file) || outputs[file] === undefined) return;
      loaded.add(file);
      for (const { path: next, kind } of outputs[file].imports) if (kind === "import-statement") load(next);
    };
    load(path.join(folder, "cli.js"));
    return [...loaded].reduce((sum, file) => sum + outputs[file].bytes, 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function bundled(root, outdir) {
  const { outputFiles, metafile } = await build({
    ...BUNDLING,
    entryPoints: { cli: path.join(root, "src/cli.ts") },
    outdir,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    nodePaths: ["node_modules"], // an older checkout needs none of its own
  });
  for (const { path: file, text } of outputFiles) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, withRequire(text));
  }
  return { program: path.join(outdir, "cli.js"), outputs: metafile.outputs };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
