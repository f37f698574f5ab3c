// Makes the pictures of the HTML report in docs/images, from the examples and the emulator: npm run pictures. Needs
// chromium in PATH.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "yaml";
import { onEmulator, outputOf } from "./on-emulator.mjs";

const CONFIG = "complete.yaml";
const SIZE = "1400,1500";
/** The example reads its destination from the environment. */
const DESTINATION = "s3://logs.example/http_requests?region=eu-west-1&access-key-id=EXAMPLE";

/** Texts of the file, each with its replacement in the base. Other differences from the live state are drift. */
const BEFORE = [
  ["    enabled: true\n\ntemplates", "    enabled: false\n\ntemplates"],
  ["extends: [reported, analytics, firewall,", "extends: [reported, firewall,"],
  [
    "extends: [analytics, firewall, request_logs]\n    policies:",
    "extends: [analytics]\n    settings: { enabled: true }\n    policies:",
  ],
  ["    custom_log_fields:\n      request_fields: [x-forwarded-for]\n    prune", "    prune"],
  ["score_threshold: medium # 40", "score_threshold: low"],
  ["        action: allow\n", "        action: log\n"],
  ["js.payments.example; connect-src", "old-cdn.example.net; connect-src"],
  [
    "      - description: Storefront scripts\n        renamed_from: Storefront\n",
    "      - description: Storefront\n",
  ],
];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = await mkdtemp(path.join(tmpdir(), "zoneward-screenshot-"));
try {
  await cp(path.join(root, "examples", CONFIG), path.join(folder, CONFIG));
  await writeBase(path.join(folder, "base"));
  const page = path.join(folder, "plan.html");
  await writeFile(page, await reportOf(folder));
  const images = path.join(root, "docs/images");
  await mkdir(images, { recursive: true });
  await picture(page, path.join(images, "plan-light.png"), "1");
  await picture(page, path.join(images, "plan-dark.png"), "0");
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function writeBase(base) {
  const text = await readFile(path.join(root, "examples", CONFIG), "utf8");
  await mkdir(base);
  await writeFile(path.join(base, CONFIG), BEFORE.reduce(replaced, text));
}

function replaced(text, [now, before]) {
  if (!text.includes(now)) throw new Error(`${CONFIG} no longer has ${JSON.stringify(now)}`);
  return text.replace(now, before);
}

/** The plan of the examples, as the program prints it. */
async function reportOf(cwd) {
  const seed = parse(await readFile(path.join(root, "examples/complete.live.yaml"), "utf8"));
  const args = ["plan", "-c", CONFIG, "--base", "base", "--format", "html", "--quiet"];
  return onEmulator(seed, (env) =>
    outputOf(process.execPath, [path.join(root, "dist/cli.js"), ...args], {
      cwd,
      env: { ...env, LOGPUSH_DESTINATION: DESTINATION },
    }),
  );
}

async function picture(page, file, scheme) {
  await outputOf("chromium", [
    "--headless",
    "--no-sandbox", // root cannot use the sandbox, and the page is local
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    `--user-data-dir=${path.join(folder, "chromium")}`,
    `--blink-settings=preferredColorScheme=${scheme}`,
    `--window-size=${SIZE}`,
    `--screenshot=${file}`,
    pathToFileURL(page).href,
  ]);
  console.log(`Wrote ${path.relative(root, file)}`);
}
