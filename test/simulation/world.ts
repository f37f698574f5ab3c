import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual as equal } from "node:util";
import { Client } from "../../src/api/client.js";
import { carryOut } from "../../src/cli/apply.js";
import type { Arguments, Terminal } from "../../src/cli/command.js";
import { refuse } from "../../src/cli/show.js";
import {
  createEmulator,
  type Edited,
  type Emulator,
  type Faults,
  type LoggedRequest,
  type Seed,
} from "../../src/emulator/index.js";
import { isWrite } from "../../src/emulator/log.js";
import type { Problem } from "../../src/model/problem.js";
import type { ApplyReport } from "../../src/model/report.js";
import type { PlanDocument } from "../../src/plan/generated/plan-document.js";
import { readJournal } from "../../src/plan/read-journal.js";
import { type PlanRun, runPlan } from "../../src/run/plan.js";
import { showPlan } from "../../src/run/plan-formats.js";
import { Redactor } from "../../src/run/redact.js";
import { runRollback } from "../../src/run/rollback.js";
import { connection } from "../api/serve.js";
import { essenceOf } from "../support/essence.js";
import { ENVIRONMENT } from "./planted.js";
import type { Disturbance, Kill, Moment, OthersEdit, Story } from "./story.js";

/** The service and the folder of one telling of the story, shared by its runs. */
export interface World {
  readonly emulator: Emulator;
  readonly cwd: string;
  /** Called for each request after it is handled and before it is answered. */
  watch: (request: LoggedRequest) => void;
  close(): Promise<void>;
}

/** Time and identifiers are the same in each telling. Files are in memory if the system has a memory file system. */
export async function worldOf({ dialect, zones }: Story): Promise<World> {
  const cwd = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "zoneward-simulation-"));
  let seconds = 0;
  const seed = {
    zones: Object.fromEntries(zones.map(({ name, id, live }) => [name, { id, ...live }])),
  } as Seed; // the generated form
  const emulator = await createEmulator({
    dialect,
    seed,
    now: () => new Date(1_700_000_000_000 + 1000 * seconds++),
    onRequest: (request) => world.watch(request),
  });
  const world: World = {
    emulator,
    cwd,
    watch: () => {},
    close: async () => {
      await emulator.close();
      rmSync(cwd, { recursive: true });
    },
  };
  return world;
}

export const UNDISTURBED: Disturbance = { faults: [], edits: [], meanwhile: null, end: null };

/** The task of a run. */
export type Errand =
  | { readonly as: "plan" }
  /** With the saved plan in its file. */
  | { readonly as: "apply"; readonly saved: PlanDocument | null }
  | { readonly as: "rollback"; readonly journal: string };

/** The results of one run of the program, as visible from outside. */
export interface Ran {
  /** Null: nothing could be planned. */
  readonly document: PlanDocument | null;
  /** Null: no report, because nothing was applied or the process died. */
  readonly report: Report | null;
  /** Null: the process died. */
  readonly code: number | null;
  /** The problems of planning. */
  readonly problems: readonly Problem[];
  /** All output, for people and programs. */
  readonly told: string;
  readonly requests: readonly LoggedRequest[];
  /** The number of requests before the first write phase of a zone. */
  readonly planning: number;
  /** The state before the run, and after each request that changed something or triggered a change by others. */
  readonly states: readonly Snapshot[];
  readonly journal: KeptJournal | null;
  /** Changes made by others, between plan and confirmation and during the run. */
  readonly others: readonly Edited[];
  /** Objects that others changed between plan and confirmation. Null: none. */
  readonly meanwhile: Edited | null;
  /** The request at which the process was killed. */
  readonly killed: LoggedRequest | null;
  readonly interrupted: boolean;
}

/** The printed report. */
export type Report = Omit<ApplyReport, "outcomes"> & {
  readonly outcomes: readonly Pick<ApplyReport["outcomes"][number], "step" | "zone" | "status" | "problem">[];
};

export interface Snapshot {
  /** The number of the run's requests before the event. */
  readonly after: number;
  readonly state: Seed;
}

export interface KeptJournal {
  /** Read from the folder. */
  readonly file: string;
  readonly text: string;
  /** Whether the journal was complete when the process died. */
  readonly isCut: boolean;
}

/** Runs the program once in this process, against the world's service and folder, with a clock that never waits. */
export async function run(world: World, errand: Errand, disturbance: Disturbance): Promise<Ran> {
  const { emulator } = world;
  const known = new Set(journalsIn(world));
  const start = emulator.log.length;
  const watched = watching(world, known, disturbance);
  const client = clientFor(emulator);
  let told = "";
  let out = "";
  let document: PlanDocument | null = null;
  let problems: readonly Problem[] = [];
  let planning = 0;
  let meanwhile: Meanwhile = { edited: null, hasMoved: false };
  let code = 1;
  try {
    const planned = await planFor(world, errand, client);
    planning = emulator.log.length - start;
    problems = planned.problems;
    told += JSON.stringify(problems);
    if (planned.ok) {
      document = planned.document;
      told += JSON.stringify(document) + showPlan(document, false, true);
      const terminal = terminalIn(world.cwd, watched.stop, {
        out: (text) => (out += text),
        err: (text) => (told += text),
      });
      if (disturbance.meanwhile !== null && watched.death() === null)
        meanwhile = editedNow(emulator, disturbance.meanwhile);
      if (errand.as === "plan") code = 0;
      else {
        const ended = await carryOut(planned, wordsOf(errand), {
          saved: errand.as === "apply" ? errand.saved : null,
          args: AS_JSON,
          terminal,
          progress: () => {},
        });
        code = typeof ended === "number" ? ended : await refuse(ended, AS_JSON, terminal);
      }
    }
  } finally {
    await client.close();
    emulator.arm({});
    world.watch = () => {};
  }
  const death = watched.death();
  const journal = death === null ? newJournal(world, known) : buried(world, known, death);
  const requests = emulator.log.slice(start, death === null ? undefined : start + death.requests);
  const printed = out === "" ? null : JSON.parse(out);
  return {
    document,
    report: death === null && printed !== null && "outcomes" in printed ? printed : null,
    code: death === null ? code : null,
    problems,
    told: told + out + (journal?.text ?? ""),
    requests,
    planning: Math.min(planning, requests.length),
    states: watched.states.filter(({ after }) => after <= requests.length),
    journal,
    others: [
      ...(meanwhile.edited === null ? [] : [meanwhile.edited]),
      ...[...requests, ...(death === null || death.isSeen ? [] : [death.at])].flatMap(
        ({ edits = [] }) => edits,
      ),
    ],
    meanwhile: meanwhile.hasMoved ? meanwhile.edited : null,
    killed: death?.at ?? null,
    interrupted: death === null && watched.stop.aborted,
  };
}

interface Meanwhile {
  readonly edited: Edited | null;
  readonly hasMoved: boolean;
}

function editedNow(emulator: Emulator, { edit }: OthersEdit): Meanwhile {
  const before = essenceOf(emulator.state());
  const calls = emulator.edit(edit);
  return { edited: { when: "after", edit, calls }, hasMoved: !equal(before, essenceOf(emulator.state())) };
}

function planFor({ cwd }: World, errand: Errand, client: Client): Promise<PlanRun> {
  const input = { config: [], zones: [], allow: [], cwd, environment: ENVIRONMENT };
  if (errand.as !== "rollback") return runPlan(input, client, () => {});
  const journal = readJournal("journal", readFileSync(path.join(cwd, errand.journal), "utf8"));
  if (!journal.ok) return Promise.resolve(journal);
  return runRollback(journal.value, input, client, () => {});
}

function clientFor({ url, token }: Emulator): Client {
  let nowMs = 0;
  const sleep = async (ms: number) => {
    nowMs += ms;
  };
  // One request at a time, so that the order is the same in each telling.
  const at = connection(url, { credential: { as: "token", token }, concurrency: 1, timeoutMs: 600_000 });
  return new Client(at, { now: () => nowMs, sleep, random: () => 0.5 });
}

const AS_JSON: Arguments = {
  operands: [],
  text: (flag) => (flag === "format" ? "json" : undefined),
  texts: (flag) => (flag === "format" ? ["json"] : []),
  on: (flag) => flag === "yes",
};

function wordsOf({ as }: Errand) {
  return {
    about: as === "rollback" ? ("rollback" as const) : ("plan" as const),
    heading: as,
    doing: "Do it",
    outcome: "as asked for",
    idle: "nothing to do",
    undo: "To undo it",
    yes: "",
    again: "Nothing is proposed.",
  };
}

function terminalIn(cwd: string, stop: AbortSignal, said: Pick<Terminal, "out" | "err">): Terminal {
  return {
    ...said,
    cwd,
    redactor: new Redactor([]),
    environment: ENVIRONMENT,
    interactive: false,
    colors: { out: false, err: false },
    columns: null,
    status: () => {},
    input: async () => null,
    async *bytes() {},
    ask: async () => null,
    signals: { interrupted: new Promise(() => {}), caught: () => stop },
  };
}

/** The files on disk when the process died. */
interface Death {
  /** The request whose answer the process did not receive. */
  readonly at: LoggedRequest;
  /** Whether the run sent this request. */
  readonly isSeen: boolean;
  /** The number of requests that the run had sent. */
  readonly requests: number;
  readonly kill: Kill;
  readonly journal: KeptJournal | null;
  /** The length of the journal before the last effect, which is safely on disk. */
  readonly lasting: number;
}

/** Arms the service and watches the run. */
function watching(world: World, known: ReadonlySet<string>, disturbance: Disturbance) {
  const { emulator } = world;
  const { end } = disturbance;
  const stop = new AbortController();
  const states: Snapshot[] = [{ after: 0, state: emulator.state() }];
  const isEnd = end === null ? () => false : countingTo(end.at);
  let requests = 0;
  let lasting = 0;
  let death: Death | null = null;
  emulator.arm(faultsFrom(disturbance));
  world.watch = (request) => {
    if (death !== null) return;
    requests += 1;
    if (request.tookEffect || request.edits !== undefined)
      states.push({ after: requests, state: emulator.state() });
    const journal = end?.as === "kill" ? newJournal(world, known) : null;
    const isNow = end !== null && isEnd(request);
    const isLost = isNow && !request.tookEffect;
    // A sent call was written to the journal before.
    if (isWrite(request.method) && !isLost) lasting = journal?.text.length ?? 0;
    if (end === null || !isNow) return;
    stop.abort();
    if (end.as === "interruption") return;
    // Without an effect, it is unknown whether the call was sent at all.
    death = {
      at: request,
      isSeen: !isLost,
      requests: isLost ? requests - 1 : requests,
      kill: end,
      journal,
      lasting,
    };
    // A dead process cannot reach the service: later requests are rejected and change nothing.
    emulator.arm({ rates: [{ chance: 1, fault: "redirect" }] });
  };
  return { stop: stop.signal, states, death: (): Death | null => death };
}

function faultsFrom({ faults, edits, end }: Disturbance): Faults {
  const at = ({ method, nth }: Moment, later: number) => ({
    ...(method === undefined ? {} : { method }),
    nth: nth + later,
  });
  return {
    schedule: [
      // A dead process sees no answer.
      ...(end?.as === "kill" ? [{ ...at(end.at, 0), fault: `reset-${end.when}` as const }] : []),
      ...faults.flatMap((each) =>
        Array.from({ length: each.times }, (_, later) => ({ ...at(each.at, later), fault: each.fault })),
      ),
      ...edits.map(({ at: moment, when, others: { edit } }) =>
        when === "before" ? { ...at(moment, 0), before: edit } : { ...at(moment, 0), after: edit },
      ),
    ],
  };
}

function countingTo({ method, nth }: Moment): (request: LoggedRequest) => boolean {
  let count = 0;
  return (request) => {
    if (method === undefined || isWrite(request.method)) count += 1;
    else return false;
    return count === nth;
  };
}

const JOURNALS = ".zoneward/journal";

function journalsIn({ cwd }: World): readonly string[] {
  const folder = path.join(cwd, JOURNALS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
}

function newJournal(world: World, known: ReadonlySet<string>): KeptJournal | null {
  const name = journalsIn(world).find((each) => !known.has(each));
  if (name === undefined) return null;
  const file = `${JOURNALS}/${name}`;
  return { file, text: readFileSync(path.join(world.cwd, file), "utf8"), isCut: false };
}

/**
 * A dead process cannot write to the disk: the journal is restored to its content at the moment of death. Content written since
 * the last effect may be missing in part or whole, as if the process had died a moment earlier.
 */
function buried(
  world: World,
  known: ReadonlySet<string>,
  { kill, journal, lasting }: Death,
): KeptJournal | null {
  const later = newJournal(world, known);
  if (later !== null) rmSync(path.join(world.cwd, later.file));
  if (journal === null) return null;
  if (kill.isJournalLost) {
    rmSync(path.join(world.cwd, ".zoneward"), { recursive: true });
    return null;
  }
  const { file } = journal;
  const text = journal.text.slice(0, lasting + Math.round(kill.kept * (journal.text.length - lasting)));
  writeFileSync(path.join(world.cwd, file), text);
  return { file, text, isCut: !text.endsWith("\n") };
}
