// Measures how the cost of a plan grows with the fleet, and the cost of a change of three zones among many.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withEmulator } from "./emulator.mjs";
import { writeFleet } from "./fleet.mjs";
import { measure } from "./measure.mjs";

const SIZES = [300, 3_000, 10_000];
const LARGEST = 10_000;
const CHANGED = [7, 5_000, 9_999];
const ROUNDS = 3;

const folder = await mkdtemp(path.join(tmpdir(), "zoneward-bench-"));
try {
  await printGrowth();
  await printChange();
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Prints the cost per zone, without the start, for fleets of several sizes from a template. */
async function printGrowth() {
  const perZone = new Map();
  for (const size of SIZES) {
    console.error(`Planning ${size} zones`);
    const fleet = await writeFleet(folder, size);
    const jobs = { start: planOf(fleet.empty), plan: planOf(fleet.template) };
    const { start, plan } = await withEmulator(["--state", fleet.live], (access) =>
      measure(size === LARGEST ? 1 : ROUNDS, jobs, access),
    );
    perZone.set(size, (least(plan, "cpuMs") - least(start, "cpuMs")) / size);
    console.log(
      `plan of ${size} zones × 10 policies: ${perZone.get(size).toFixed(2)} ms of processor time a zone, ${(perZone.get(size) / perZone.get(SIZES[0])).toFixed(2)} × that of ${SIZES[0]}, aim ≤ 1.1; ${megabytes(plan)} at most, aim ≤ 400`,
    );
  }
}

/** Prints the cost of changing three of very many zones, whose template contains the zone's name. */
async function printChange() {
  console.error(`Planning what changes in ${CHANGED.length} of ${LARGEST} zones`);
  const [before, now] = [path.join(folder, "before"), path.join(folder, "now")];
  for (const [at, changed] of [
    [before, []],
    [now, CHANGED],
  ]) {
    await mkdir(at);
    await writeFile(path.join(at, "zoneward.yaml"), fleetWith(changed));
  }
  const seed = path.join(folder, "three.json");
  const log = path.join(folder, "three.jsonl");
  await writeFile(
    seed,
    JSON.stringify({
      zones: Object.fromEntries(CHANGED.map((index) => [nameOf(index), { id: idOf(index) }])),
    }),
  );
  const [cli, ...plan] = planOf("zoneward.yaml");
  const jobs = {
    validate: [path.resolve(cli), "validate", "-q"],
    changed: [path.resolve(cli), ...plan, "--base", before, "--changed"],
  };
  const { validate, changed } = await withEmulator(["--seed", seed, "--log", log], (access) =>
    measure(ROUNDS, jobs, access, now),
  );
  const requests = (await readFile(log, "utf8")).trim().split("\n").length / ROUNDS;
  console.log(
    `a change of ${CHANGED.length} in ${LARGEST} zones, each with policies that contain its name: ${requests} requests, aim ≤ ${CHANGED.length * 5 + 1}; ${(least(changed, "cpuMs") / least(validate, "cpuMs")).toFixed(2)} × validate of the same files (${least(changed, "wallMs").toFixed(0)} ms), ${megabytes(changed)} at most`,
  );
}

function planOf(config) {
  return ["dist/cli.js", "plan", "-q", "-c", config, "--rate-limit", "off"];
}

function nameOf(index) {
  return `shop-${String(index).padStart(5, "0")}.example.com`;
}

function idOf(index) {
  return index.toString(16).padStart(32, "0");
}

function fleetWith(changed) {
  const zones = Array.from({ length: LARGEST }, (_, index) => {
    const own = changed.includes(index) ? "    settings: { enabled: false }\n" : "";
    return `  ${nameOf(index)}:\n    id: "${idOf(index)}"\n    extends: [shop]\n${own}`;
  });
  return `version: 1
templates:
  shop:
    policies:
      - description: Checkout
        action: allow
        expression: http.host eq "pay.\${zone}"
        value:
          script-src: ["'self'", "cdn.\${zone}", "https://js.payments.example/v3/"]
      - description: Everything else
        action: log
        expression: not http.host eq "pay.\${zone}"
        value:
          script-src: ["'self'", "*.\${zone}", "*.analytics.example"]
zones:
${zones.join("")}`;
}

function least(samples, key) {
  return Math.min(...samples.map((sample) => sample[key]));
}

function megabytes(samples) {
  return `${(least(samples, "peakBytes") / 1e6).toFixed(0)} MB`;
}
