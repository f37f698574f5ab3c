// Measures the cost of testing policy changes on detections, alone and in a plan, and how it grows.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { withEmulator } from "./emulator.mjs";
import { measure } from "./measure.mjs";

const CHANGES = 100;
const DETECTIONS = 5000;
const ROUNDS = 3;
const PLAN_ROUNDS = 5;

/** The number of zones with these policies. */
const ZONES = { quiet: "quiet.example.com", busy: "busy.example.com" };

/** The pages of the policies. With all pages, every value is checked for every load. */
const wheres = {
  "each on its own pages": (index) => `starts_with(http.request.uri.path, "/area-${index}/")`,
  "all on all pages": () => "true",
  "on undecided pages": (index) => `ip.src.country eq "${countryOf(index)}"`,
};

const impactOf = await loadImpactOf();
for (const [name, where] of Object.entries(wheres)) for (const line of alone(name, where)) console.log(line);
console.log(await inPlan(wheres["each on its own pages"]));

/** Bundled from the source, because the program does not export this part. */
async function loadImpactOf() {
  const stdin = { contents: 'export * from "./src/impact/impact-of.ts";', resolveDir: process.cwd() };
  const bundle = await build({ stdin, bundle: true, write: false, platform: "node", format: "esm" });
  const [{ contents: made }] = bundle.outputFiles;
  return (await import(`data:text/javascript;base64,${Buffer.from(made).toString("base64")}`)).impactOf;
}

/** Each size is twice the one before: a ratio near 2 is linear, one near 4 is quadratic. */
function alone(name, where) {
  const whole = triedMs(CHANGES, DETECTIONS, where);
  const byChanges = [CHANGES / 4, CHANGES / 2].map((count) => triedMs(count, DETECTIONS, where));
  const byDetections = [DETECTIONS / 4, DETECTIONS / 2].map((count) => triedMs(CHANGES, count, where));
  return [
    `impact: ${CHANGES} changes x ${DETECTIONS} detections, ${name.padEnd(26)} ${whole.toFixed(0)} ms`,
    `impact:   twice the changes: ratios ${grown([...byChanges, whole])}; twice the detections: ${grown([...byDetections, whole])}`,
  ];
}

function grown(times) {
  const ratios = times.slice(1).map((time, at) => (time / times[at]).toFixed(1));
  return ratios.join(", ");
}

/** The least processor time of all rounds, because other work of the machine only adds time. */
function triedMs(changes, detections, where) {
  const moves = Array.from({ length: changes }, (_, index) => ({
    change: index,
    before: [{ mode: "enforce", where: where(index), csp: cspOf(index, "old") }],
    after: [{ mode: "enforce", where: where(index), csp: cspOf(index, "new") }],
  }));
  const { scripts, connections } = detectionsIn(ZONES.busy, detections);
  const detected = { scripts: scripts.map(asDetected), connections: connections.map(asDetected) };
  const times = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    impactOf(moves, detected);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

/** The plan of a zone with many detections against the same plan with none, including reading and output. */
async function inPlan(where) {
  const folder = await mkdtemp(path.join(tmpdir(), "zoneward-bench-"));
  try {
    const state = path.join(folder, "state.json");
    const { scripts, connections } = detectionsIn(ZONES.busy, DETECTIONS);
    const busy = { scripts: scripts.map(asSeed), connections: connections.map(asSeed) };
    const live = { settings: { enabled: true }, policies: policies(where, "old") };
    await writeFile(
      state,
      JSON.stringify({ zones: { [ZONES.quiet]: live, [ZONES.busy]: { ...live, ...busy } } }),
    );
    const jobs = {};
    for (const [name, zone] of Object.entries(ZONES)) {
      const config = path.join(folder, `${name}.json`);
      await writeFile(
        config,
        JSON.stringify({ version: 1, zones: { [zone]: { policies: policies(where, "new") } } }),
      );
      jobs[name] = ["dist/cli.js", "plan", "-q", "-c", config, "--rate-limit", "off"];
    }
    const samples = await withEmulator(["--state", state], (access) => measure(PLAN_ROUNDS, jobs, access));
    const told = ["wallMs", "cpuMs"].map((key) => against(samples.busy, samples.quiet, key));
    return `impact: in a plan of ${CHANGES} changes, ${DETECTIONS} detections add ${told.join("; processor ")} (aim < 1000 ms)`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function against(ones, others, key) {
  const [one, other] = [ones, others].map((samples) => Math.min(...samples.map((sample) => sample[key])));
  return `${(one - other).toFixed(0)} ms to ${other.toFixed(0)} ms, ratio ${(one / other).toFixed(2)}`;
}

function policies(where, age) {
  return Array.from({ length: CHANGES }, (_, index) => ({
    description: `Area ${index}`,
    action: "allow",
    expression: where(index),
    enabled: true,
    value: cspOf(index, age),
  }));
}

function cspOf(index, age) {
  const sources = Array.from({ length: 12 }, (_, at) => {
    const host = `h${(index * 3 + at) % 300}.cdn.example`;
    return [host, `https://*.${host}`, `https://${host}/js/`][at % 3];
  });
  return `script-src 'self' ${age}.example ${sources.join(" ")}; connect-src 'self' https://${age}-api.example`;
}

function detectionsIn(zone, count) {
  const list = (letter, length) =>
    Array.from({ length }, (_, index) => ({
      id: `${letter}${index.toString(16).padStart(31, "0")}`,
      url: `https://h${index % 300}.cdn.example/js/app${index}.js`,
      host: zone,
      page: `https://${zone}/area-${index % 100}/page-${index % 700}`,
    }));
  return { scripts: list("a", count * 0.8), connections: list("b", count * 0.2) };
}

function asDetected({ id, url, host, page }) {
  return { id, url, host, pages: [page], malicious: false, own: false };
}

function asSeed({ id, url, host, page }) {
  return { id, url, host, first_page_url: page, js_integrity_score: 90 };
}

function countryOf(index) {
  return String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26));
}
