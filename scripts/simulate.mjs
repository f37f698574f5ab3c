// Runs seeded stories of disturbed applies and prints broken invariants: npm run simulate -- --seeds 1-10000
import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { build } from "esbuild";

/** How many seeds a worker gets at a time. */
const CHUNK = 20;

/** Below node_modules, where the bundle finds the packages that it imports. */
const BUNDLE = "node_modules/.cache/zoneward/simulate.mjs";

if (isMainThread) await main();
else await work();

async function main() {
  process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
  const { first, last } = seedsAskedFor();
  await mkdir(path.dirname(BUNDLE), { recursive: true });
  await build({
    entryPoints: ["test/simulation/simulate.ts"],
    outfile: BUNDLE,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    logLevel: "warning",
  });
  if (first === last) await tellOne(first);
  else await tellAll(first, last);
}

function seedsAskedFor() {
  const { values } = parseArgs({ options: { seeds: { type: "string", default: "1-1000" } } });
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(values.seeds) ?? [];
  if (first !== undefined && Number(first) <= Number(last) && Number(last) < 2 ** 31)
    return { first: Number(first), last: Number(last) };
  console.error(`--seeds takes a whole number or a range such as 1-10000, not ${values.seeds}.`);
  return process.exit(1);
}

async function tellOne(seed) {
  const { simulate } = await import(pathToFileURL(BUNDLE).href);
  const { text, broken } = await simulate(seed);
  console.log(text);
  console.log(broken.length === 0 ? "All holds." : broken.map((each) => `BROKEN ${each}`).join("\n"));
  process.exitCode = broken.length === 0 ? 0 : 1;
}

async function tellAll(first, last) {
  const total = last - first + 1;
  const failures = [];
  const counts = new Map();
  let next = first;
  let told = 0;
  const take = () => {
    const seeds = Array.from({ length: Math.min(CHUNK, last - next + 1) }, (_, index) => next + index);
    next += seeds.length;
    return seeds;
  };
  const onStory = ({ seed, broken, counts: own }) => {
    told += 1;
    if (broken.length > 0) failures.push({ seed, broken });
    for (const [what, often] of own) counts.set(what, (counts.get(what) ?? 0) + often);
    if (broken.length > 0) console.error(`seed ${seed}: ${broken[0]}`);
    if (told % 500 === 0) console.error(`${told} of ${total} stories told, ${failures.length} broken`);
  };
  const workers = Math.min(availableParallelism(), Math.ceil(total / CHUNK));
  await Promise.all(Array.from({ length: workers }, () => employ(take, onStory)));
  report(total, failures, counts);
}

/** A thread that runs stories until none are left. */
function employ(take, onStory) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: BUNDLE,
      execArgv: ["--enable-source-maps"],
    });
    const more = () => worker.postMessage(take());
    worker.on("message", (message) => (message === "more" ? more() : onStory(message)));
    worker.on("error", reject);
    worker.on("exit", resolve);
  });
}

async function work() {
  const { simulate } = await import(pathToFileURL(workerData).href);
  parentPort.on("message", async (seeds) => {
    if (seeds.length === 0) return parentPort.close();
    for (const seed of seeds) parentPort.postMessage({ seed, ...(await toldOf(simulate, seed)) });
    parentPort.postMessage("more");
  });
  parentPort.postMessage("more");
}

/** An error thrown by the program or the simulation counts as a broken story. */
async function toldOf(simulate, seed) {
  try {
    const { broken, counts } = await simulate(seed);
    return { broken, counts };
  } catch (error) {
    return { broken: [error.stack], counts: new Map() };
  }
}

function report(total, failures, counts) {
  for (const [what, often] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${String(often).padStart(9)}  ${what}`);
  console.log(`\n${total - failures.length} of ${total} stories survived`);
  for (const { seed, broken } of failures.sort((a, b) => a.seed - b.seed).slice(0, 20))
    console.log(`  npm run simulate -- --seeds ${seed}   # ${broken[0].split("\n")[0]}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
