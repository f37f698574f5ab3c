// Measures an apply of many zones against a bare loop that sends the same requests with the same concurrency.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withEmulator } from "./emulator.mjs";
import { measure } from "./measure.mjs";
import { withSlowAnswers } from "./slow-answers.mjs";

const ZONES = 50;
const CREATES = 10;
const ROUNDS = 3;
const ANSWER_MS = [20, 100];
/** The default of --concurrency. */
const CONCURRENCY = "10";

const folder = await mkdtemp(path.join(tmpdir(), "zoneward-bench-"));
try {
  const state = path.join(folder, "live.json");
  const config = path.join(folder, "zoneward.yaml");
  const requests = path.join(folder, "requests.json");
  const log = path.join(folder, "log.jsonl");
  await writeFile(
    state,
    JSON.stringify({ zones: Object.fromEntries(zones().map((zone) => [zone.name, { id: zone.id }])) }),
  );
  await writeFile(config, configText());
  const apply = [
    "dist/cli.js",
    "apply",
    "--yes",
    "-q",
    "-c",
    config,
    "--rate-limit",
    "off",
    "--concurrency",
    CONCURRENCY,
  ];
  await onceWith(["--seed", state, "--log", log], 0, { apply });
  await writeFile(requests, JSON.stringify(await sentIn(log)));
  const bare = ["bench/bare-loop.mjs", requests, CONCURRENCY];
  for (const answerMs of ANSWER_MS) {
    const taken = { apply: [], bare: [] };
    for (let round = 0; round < ROUNDS; round++) {
      taken.apply.push(await onceWith(["--seed", state], answerMs, { apply }));
      taken.bare.push(await onceWith(["--seed", state], answerMs, { bare }));
    }
    const [own, least] = [Math.min(...taken.apply), Math.min(...taken.bare)];
    console.log(
      `apply, ${ZONES} zones × ${CREATES} creates, ${answerMs} ms an answer: ${(own / least).toFixed(2)} × a bare loop of the same requests (${own.toFixed(0)} ms), aim ≤ 1.3`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Milliseconds of one job with its own emulator. */
function onceWith(args, answerMs, job) {
  return withEmulator(args, (access) =>
    withSlowAnswers(access, answerMs, async (slow) => {
      const [[sample]] = Object.values(await measure(1, job, slow));
      // The journals would only fill the folder of the next round.
      await rm(path.join(process.cwd(), ".zoneward"), { recursive: true, force: true });
      return sample.wallMs;
    }),
  );
}

function zones() {
  return Array.from({ length: ZONES }, (_, index) => ({
    name: `shop-${index}.example.com`,
    id: index.toString(16).padStart(32, "0"),
  }));
}

function configText() {
  const policies = Array.from({ length: CREATES }, (_, index) => ({
    description: `Area ${index}`,
    action: "log",
    expression: `starts_with(http.request.uri.path, "/area-${index}/")`,
    value: `script-src 'self' cdn-${index}.example.net`,
  }));
  const named = zones().map(({ name }) => [name, { extends: ["all"] }]);
  return JSON.stringify({ version: 1, templates: { all: { policies } }, zones: Object.fromEntries(named) });
}

/** The sent writes, in order. */
async function sentIn(log) {
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  return lines
    .map((line) => JSON.parse(line))
    .map(({ method, path: at, body }) => ({ method, path: at, body }));
}
