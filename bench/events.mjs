// Measures reading browsers' reports against a bare loop that only parses the lines, and the peak memory, which must not grow
// with the number of lines, hosts, pages or files.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withEmulator } from "./emulator.mjs";
import { measure } from "./measure.mjs";

/** The aim is for 10,000,000 lines, which take two gigabytes: `node bench/events.mjs 10000000`. */
const LINES = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 2;
const ZONE = "shop.example.com";
const ID = "353c8d1a7323a8d9ca50e4ef0135e023";

/** The host, the page and the file of line n. */
const LOGS = {
  "of a shop": (n) => [`cdn${n % 40}.example`, `checkout/${n % 50}?id=${n}`],
  "each of another host": (n) => [`h${n}.example`, `checkout/${n % 50}?id=${n}`],
  "each of another page": (n) => [`cdn${n % 40}.example`, `checkout/${n}`],
  "each of another file": (n) => [`cdn${n % 40}.example`, `checkout/${n % 50}?id=${n}`, `build/${n}.js`],
};

const BARE = `
  import { createReadStream } from "node:fs";
  import { createInterface } from "node:readline";
  for await (const line of createInterface({ input: createReadStream(process.argv[1]) })) JSON.parse(line);
`;

const folder = await mkdtemp(path.join(tmpdir(), "zoneward-bench-"));
try {
  const [state, config, none] = ["state.json", "zoneward.json", "none.log"].map((name) =>
    path.join(folder, name),
  );
  await writeFile(state, JSON.stringify({ zones: { [ZONE]: live() } }));
  await writeFile(config, JSON.stringify({ version: 1, zones: { [ZONE]: wanted() } }));
  await writeFile(none, "{}\n");
  for (const [name, loadOf] of Object.entries(LOGS)) {
    const file = path.join(folder, "events.log");
    await writeLines(file, loadOf);
    const plan = (log) => ["dist/cli.js", "plan", "-q", "-c", config, "--rate-limit", "off", "--events", log];
    const jobs = {
      bare: ["--input-type=module", "-e", BARE, file],
      start: plan(none),
      read: plan(file),
    };
    const samples = await withEmulator(["--state", state], (access) => measure(ROUNDS, jobs, access));
    const [bare, start, read] = ["bare", "start", "read"].map((job) => least(samples[job], "cpuMs") / 1000);
    const seconds = read - start;
    const mb = least(samples.read, "peakBytes") / 1_000_000;
    console.log(
      `events, ${LINES} lines, ${name}: ${seconds.toFixed(1)} s of a core (aim ≤ ${((LINES / 1e7) * 60).toFixed(0)}), ${(seconds / bare).toFixed(2)} of a bare loop; ${mb.toFixed(0)} MB (aim ≤ 300)`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

function live() {
  const policy = {
    id: "9b1f0c6ab5e7441e8f0d7d2c4a91e001",
    description: "Checkout",
    action: "log",
    enabled: true,
    expression: 'starts_with(http.request.uri.path, "/checkout/")',
    value: "script-src 'self' https://cdn1.example; connect-src 'self'",
  };
  return { id: ID, settings: { enabled: true }, policies: [policy] };
}

function wanted() {
  return { id: ID, policies: [{ description: "Checkout", action: "allow" }] };
}

async function writeLines(file, loadOf) {
  const out = createWriteStream(file);
  for (let from = 0; from < LINES; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, LINES - from) }, (_, at) => lineOf(from + at, loadOf));
    if (!out.write(`${some.join("\n")}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

function lineOf(n, loadOf) {
  const [host, page, file = `v${n % 7}/app.js`] = loadOf(n);
  return JSON.stringify({
    Action: "log",
    CSPDirective: n % 3 === 0 ? "connect-src" : "script-src-elem",
    Host: ZONE,
    PageURL: `https://${ZONE}/${page}`,
    PolicyID: "9b1f0c6ab5e7441e8f0d7d2c4a91e001",
    ResourceType: n % 3 === 0 ? "connection" : "script",
    Timestamp: 1_793_491_200_000 + n * 100,
    URL: `https://${host}/${file}?cache=${n}`,
    URLHost: host,
  });
}

function least(samples, key) {
  return Math.min(...samples.map((sample) => sample[key]));
}
