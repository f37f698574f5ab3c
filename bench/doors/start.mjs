import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createEmulator } from "zoneward";
import { measure } from "../measure.mjs";

const ROUNDS = 15;
const CONFIG = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: Checkout, action: log, expression: 'http.host eq "shop.example.com"', value: "script-src 'self'" }
`;

/**
 * What the commands of checkouts take, each as its own build made it, as ratios to what a bare start of Node takes in
 * the same round: the medians.
 *
 * @param roots of checkouts that are built, by names
 */
export async function startsOf(roots) {
  const folder = mkdtempSync(path.join(tmpdir(), "zoneward-start-"));
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  try {
    const config = path.join(folder, "zoneward.yaml");
    writeFileSync(config, CONFIG);
    const jobs = { node: ["-e", "0"] };
    for (const [name, root] of Object.entries(roots)) {
      const program = path.join(root, "dist/cli.js");
      jobs[`${name} version`] = [program, "version"];
      jobs[`${name} validate`] = [program, "validate", "-c", config];
      jobs[`${name} plan`] = [program, "plan", "-c", config];
    }
    // With these certificates, Node itself starts slowly.
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

/** Bytes of JavaScript that are loaded before the command is known, as the build of a checkout has it. */
export function startSizeOf(root) {
  const loaded = new Map();
  const load = (file) => {
    if (loaded.has(file) || !existsSync(file)) return;
    const text = readFileSync(file, "utf8");
    loaded.set(file, text);
    // Of either form of modules; what is required when it is needed is in the middle of a line.
    for (const [, next] of text.matchAll(/^(?:import|\} from|var \w+ = require) ?\(?"(\.[^"]+)"\)?;$/gm))
      load(path.join(path.dirname(file), next));
  };
  load(path.join(root, "dist/cli.js"));
  return [...loaded.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
