// Measures the cost of the program as ratios to the least possible cost, in one run on one machine.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withEmulator } from "./emulator.mjs";
import { writeFleet } from "./fleet.mjs";
import { measure } from "./measure.mjs";

const START_ROUNDS = 20;
const PLAN_ROUNDS = 7;

/** The default of --concurrency. */
const CONCURRENCY = "10";

const folder = await mkdtemp(path.join(tmpdir(), "zoneward-bench-"));
try {
  const start = await measureStart();
  const fleet = await writeFleet(folder, 300);
  const plan = await measurePlan(fleet);
  if (process.env.NODE_EXTRA_CA_CERTS !== undefined) {
    console.log(
      "NODE_EXTRA_CA_CERTS is set: Node itself starts slowly, which makes these ratios better than without.\n",
    );
  }
  printTable([...startRows(start), ...planRows(plan), ...memoryRows(plan)]);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function measureStart() {
  console.error(`Starting, ${START_ROUNDS} rounds`);
  return measure(START_ROUNDS, {
    node: ["-e", "0"],
    version: ["dist/cli.js", "version"],
    validate: ["dist/cli.js", "validate", "-c", "examples/complete.yaml"],
  });
}

async function measurePlan(fleet) {
  const paths = await recordPaths(fleet);
  const pathsFile = path.join(folder, "paths.json");
  const noPathsFile = path.join(folder, "no-paths.json");
  await writeFile(pathsFile, JSON.stringify(paths));
  await writeFile(noPathsFile, "[]");
  const jobs = {
    bare: ["bench/bare-loop.mjs", pathsFile, CONCURRENCY],
    template: planOf(fleet.template),
    written: planOf(fleet.written),
    bareStart: ["bench/bare-loop.mjs", noPathsFile, CONCURRENCY],
    planStart: planOf(fleet.empty),
    planOne: planOf(fleet.one),
    node: ["-e", "0"],
  };
  console.error(`Planning 300 zones with ${paths.length} requests, ${PLAN_ROUNDS} rounds`);
  const samples = await withEmulator(["--state", fleet.live], (access) => measure(PLAN_ROUNDS, jobs, access));
  return { ...samples, requests: paths.length };
}

/** Every path that a plan requests, from the log of a separate emulator. */
async function recordPaths(fleet) {
  const log = path.join(folder, "requests.jsonl");
  await withEmulator(["--state", fleet.live, "--log", log], (access) =>
    measure(1, { plan: planOf(fleet.template) }, access),
  );
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line).path);
}

function planOf(config) {
  return ["dist/cli.js", "plan", "-q", "-c", config, "--rate-limit", "off", "--concurrency", CONCURRENCY];
}

function startRows({ node, version, validate }) {
  return [
    { what: "version", against: "node -e 0", ...ratios(version, node), aim: "≤ 2" },
    { what: "validate, examples/complete.yaml", against: "node -e 0", ...ratios(validate, node), aim: "≤ 5" },
  ];
}

function planRows({ bare, bareStart, planStart, planOne, node, template, written, requests }) {
  const loop = `${requests} bare GETs`;
  const work = minus(bare, bareStart);
  return [
    { what: "plan of one zone", against: "node -e 0", ...ratios(planOne, node) },
    { what: "plan, 300 × 10 policies, a template", against: loop, ...ratios(template, bare) },
    { what: "  without starting", against: loop, ...ratios(minus(template, planStart), work) },
    { what: "plan, 300 × 10 policies, written out", against: loop, ...ratios(written, bare) },
    { what: "  without starting", against: loop, ...ratios(minus(written, planStart), work) },
  ];
}

function memoryRows({ planStart, template, written }) {
  return [
    { what: "plan of no zones", memory: megabytes(planStart) },
    { what: "plan of 300 zones, a template", memory: megabytes(template) },
    { what: "plan of 300 zones, written out", memory: megabytes(written) },
  ];
}

/** The cost of the whole minus the cost of the part, round by round. */
function minus(whole, part) {
  return whole.map(({ wallMs, cpuMs }, round) => ({
    wallMs: wallMs - part[round].wallMs,
    cpuMs: cpuMs - part[round].cpuMs,
  }));
}

function ratios(ones, others) {
  return { wall: ratio(ones, others, "wallMs"), cpu: ratio(ones, others, "cpuMs") };
}

/**
 * The ratio of the least times, because other work of the machine only adds time. Then the median of the rounds' ratios, because
 * a machine can run faster in some rounds than in others.
 */
function ratio(ones, others, key) {
  const [one, other] = [least(ones, key), least(others, key)];
  const perRound = ones.map((each, round) => each[key] / others[round][key]).sort((a, b) => a - b);
  const median = perRound[Math.floor(perRound.length / 2)];
  return `${(one / other).toFixed(2)}, ${median.toFixed(2)} (${one.toFixed(0)} ms)`;
}

function least(samples, key) {
  return Math.min(...samples.map((sample) => sample[key]));
}

function megabytes(samples) {
  return `${(least(samples, "peakBytes") / 1e6).toFixed(0)} MB`;
}

function printTable(rows) {
  const columns = {
    what: "",
    against: "against",
    wall: "wall: least, median",
    cpu: "processor: least, median",
    aim: "aim",
    memory: "peak memory",
  };
  const lines = [columns, ...rows];
  const widths = Object.keys(columns).map((key) =>
    Math.max(...lines.map((line) => (line[key] ?? "").length)),
  );
  for (const line of lines) {
    console.log(
      Object.keys(columns)
        .map((key, index) => (line[key] ?? "").padEnd(widths[index]))
        .join("  ")
        .trimEnd(),
    );
  }
}
