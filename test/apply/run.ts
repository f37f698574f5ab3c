import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { Client } from "../../src/api/client.js";
import type { Connection } from "../../src/api/connect.js";
import type { Emulator } from "../../src/index.js";
import type { Problem } from "../../src/model/problem.js";
import type { ApplyReport } from "../../src/model/report.js";
import type { PlanDocument } from "../../src/plan/generated/plan-document.js";
import { readJournal } from "../../src/plan/read-journal.js";
import { runApply } from "../../src/run/apply.js";
import type { PlanInput } from "../../src/run/files.js";
import { type PlanRun, runPlan } from "../../src/run/plan.js";
import { runRollback } from "../../src/run/rollback.js";
import { connection } from "../api/serve.js";

export interface Applied {
  /** null: the zones could not be planned. */
  readonly report: ApplyReport | null;
  readonly document: PlanDocument | null;
  /** The problems of planning. */
  readonly problems: readonly Problem[];
  /** The pauses that the run would have made. */
  readonly slept: readonly number[];
}

interface Options {
  readonly timeoutMs?: number;
  readonly stop?: AbortSignal;
  readonly rates?: Connection["rates"];
  /** Called at each pause. */
  readonly onSleep?: () => void;
}

/** Plans and applies the folder's files with a clock that never waits. */
export function applyIn(
  cwd: string,
  emulator: Pick<Emulator, "url" | "token">,
  options: Options = {},
): Promise<Applied> {
  return runIn(cwd, emulator, (client) => runPlan(inputIn(cwd), client, () => {}), options);
}

/** Rolls back with a clock that never waits. */
export async function rollbackIn(
  cwd: string,
  emulator: Pick<Emulator, "url" | "token">,
  file: string,
  options: Options = {},
): Promise<Applied> {
  const journal = readJournal(file, await readFile(path.join(cwd, file), "utf8"));
  if (!journal.ok) throw new Error(journal.problems[0]?.detail);
  const planned = (client: Client) => runRollback(journal.value, inputIn(cwd), client, () => {});
  return runIn(cwd, emulator, planned, options);
}

function inputIn(cwd: string): PlanInput {
  return { config: [], zones: [], allow: [], cwd, environment: {} };
}

async function runIn(
  cwd: string,
  emulator: Pick<Emulator, "url" | "token">,
  planning: (client: Client) => Promise<PlanRun>,
  options: Options,
): Promise<Applied> {
  const { timeoutMs = 20_000, stop = new AbortController().signal, rates = [], onSleep = () => {} } = options;
  const slept: number[] = [];
  let nowMs = 0;
  const sleep = async (ms: number) => {
    slept.push(ms);
    onSleep();
    nowMs += ms;
  };
  const at = connection(emulator.url, {
    credential: { as: "token", token: emulator.token },
    concurrency: 1, // One request at a time keeps the order of requests fixed.
    timeoutMs,
    rates,
  });
  const client = new Client(at, { now: () => nowMs, sleep, random: () => 0.5 });
  try {
    const planned = await planning(client);
    if (!planned.ok) return { report: null, problems: planned.problems, document: null, slept };
    const watch = { stop, progress: () => {}, onJournal: () => {} };
    const { document, problems } = planned;
    return { report: await runApply(planned, null, cwd, watch), problems, document, slept };
  } finally {
    await client.close();
  }
}

/**
 * A folder with this desired state, in memory if the system allows, because durable writes are fast there.
 */
export async function quickFolder(config: string): Promise<string> {
  const folder = await mkdtemp(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "zoneward-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, "zoneward.yaml"), config);
  return folder;
}

/** Prepares a shared folder for the next case: no journal, and this desired state. */
export async function nextCase(folder: string, config: string): Promise<void> {
  await rm(path.join(folder, ".zoneward"), { recursive: true, force: true });
  await writeFile(path.join(folder, "zoneward.yaml"), config);
}
