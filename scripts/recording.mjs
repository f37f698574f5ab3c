// Records three commands on the emulator as an animated picture, docs/images/recording.svg: npm run pictures.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { onEmulator, outputOf } from "./on-emulator.mjs";
import { animated } from "./terminal-svg.mjs";

const COMMANDS = ["validate", "plan -o plan.json", "apply plan.json --quiet"];

const FILE = `version: 1
zones:
  shop.example.com:
    policies:
      - description: Storefront scripts
        action: allow
        expression: not starts_with(http.request.uri.path, "/checkout")
        value: script-src 'self' *.cdn.example
      - description: Checkout scripts
        action: allow
        expression: starts_with(http.request.uri.path, "/checkout")
        value: script-src 'self' js.payments.example
`;

/** The name of a journal: the time and random digits, which differ in each run. */
const JOURNAL = /\d{8}T\d{9}Z-[\da-f]{8}/g;

const SITE = "https://shop.example.com";
const [storefront, checkout] = parse(FILE).zones["shop.example.com"].policies;
const LIVE = {
  settings: { enabled: true },
  policies: [
    { ...storefront, enabled: true, value: "script-src 'self' img.cdn.example" },
    { ...checkout, enabled: true, action: "log" },
  ],
  scripts: [
    script(`${SITE}/app.js`, `${SITE}/`),
    script("https://js.payments.example/v3.js", `${SITE}/checkout`),
    script("https://chat.example.org/widget.js", `${SITE}/checkout`),
  ],
};

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = await mkdtemp(path.join(tmpdir(), "zoneward-recording-"));
try {
  await writeFile(path.join(folder, "zoneward.yaml"), FILE);
  const runs = await onEmulator({ zones: { "shop.example.com": LIVE } }, recorded);
  await writeFile(path.join(root, "docs/images/recording.svg"), animated(runs));
  console.log("Wrote docs/images/recording.svg");
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The commands, each with the text that it prints. */
async function recorded(env) {
  const runs = [];
  for (const command of COMMANDS) {
    const program = [process.execPath, path.join(root, "dist/cli.js"), ...command.split(" ")];
    // The shell merges both outputs in the order of a terminal.
    const merged = ["-c", 'exec "$0" "$@" 2>&1', ...program];
    const text = await outputOf("sh", merged, { cwd: folder, env: { ...env, FORCE_COLOR: "1" } });
    runs.push({ command: `zoneward ${command}`, text: text.trimEnd().replace(JOURNAL, "…") });
  }
  return runs;
}

function script(url, page) {
  return { url, host: "shop.example.com", status: "active", first_page_url: page };
}
