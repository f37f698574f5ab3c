import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import {
  createEmulator,
  type Dialect,
  type Edit,
  type Emulator,
  type Faults,
  type LoggedRequest,
  type PlanDocument,
  render,
  type Seed,
} from "../../src/index.js";
import { zoneward } from "../support/cli.js";
import { rechecked } from "../support/journals.js";
import { type Refusal, type Refusing, refusing } from "./refusing.js";

/** What is live, and what is done to it, step by step. */
export interface Story {
  readonly name: string;
  readonly dialect: Dialect;
  readonly live: Seed;
  readonly emulator?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export type Step =
  /** Files are written; null: they go. */
  | { readonly files: Readonly<Record<string, string | null>> }
  /** Somebody else changes what is live. */
  | { readonly edits: readonly Edit[] }
  /**
   * The program runs. JOURNAL among the words is the last journal. `faults` strike it; at `kill`, a write counted from
   * 1, it dies after the effect; `refused` requests are answered with 403; `files` are shown as it left them.
   */
  | {
      readonly run: readonly string[];
      readonly faults?: Faults;
      readonly kill?: number;
      readonly refused?: Refusal;
      readonly files?: readonly string[];
      /** The day on which it runs. Absent: the usual one. */
      readonly today?: string;
    };

type Run = Extract<Step, { readonly run: unknown }>;

export interface Recorded {
  /** A name for a file. */
  readonly name: string;
  /** What the program did. */
  readonly done: string;
  /** All that it said, and that the hashes are of. */
  readonly whole: string;
}

/** Tells the story, and gives what each run of the program did. */
export async function record(story: Story): Promise<readonly Recorded[]> {
  const world = await openWorld(story);
  const recorded: Recorded[] = [];
  try {
    for (const step of story.steps) {
      if ("edits" in step) for (const edit of step.edits) world.emulator.edit(edit);
      else if ("run" in step) recorded.push(await runStep(world, step, recorded.length + 1));
      else await writeFiles(world.cwd, step.files);
    }
    return recorded;
  } finally {
    await world.close();
  }
}

interface World {
  readonly story: Story;
  readonly emulator: Emulator;
  readonly front: Refusing;
  readonly cwd: string;
  /** Told of each request, right before it is answered. */
  watch: (request: LoggedRequest) => void;
  close(): Promise<void>;
}

async function openWorld(story: Story): Promise<World> {
  const cwd = await mkdtemp(path.join(tmpdir(), "zoneward-corpus-"));
  let seconds = 0;
  const emulator = await createEmulator({
    ...story.emulator,
    dialect: story.dialect,
    seed: story.live,
    now: () => new Date(1_700_000_000_000 + 1000 * seconds++),
    onRequest: (request) => world.watch(request),
  });
  const front = await refusing(emulator.url);
  const world: World = {
    story,
    emulator,
    front,
    cwd,
    watch: () => {},
    close: async () => {
      await front.close();
      await emulator.close();
      await rm(cwd, { recursive: true });
    },
  };
  return world;
}

async function writeFiles(cwd: string, files: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(cwd, name);
    await mkdir(path.dirname(file), { recursive: true });
    if (text === null) await rm(file, { force: true });
    else await writeFile(file, text);
  }
}

/** All that can be seen of a run of the program, in plain texts. */
interface Seen {
  readonly title: string;
  readonly words: string;
  /** Null: it died. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly requests: readonly LoggedRequest[];
  /** What never came to the service. */
  readonly refused: readonly string[];
  readonly journal: Journal | null;
  readonly files: readonly string[];
  readonly state: string;
}

async function runStep(world: World, step: Run, number: number): Promise<Recorded> {
  const { story, emulator, front, cwd } = world;
  const before = journalsIn(cwd);
  const known = new Set(before);
  const from = emulator.log.length;
  emulator.arm(step.faults ?? {});
  front.arm(step.refused ?? null);
  const end = watchForEnd(world, step.kill, known);
  const usualMs = Date.now();
  if (step.today !== undefined) vi.setSystemTime(`${step.today}T12:00:00Z`);
  const ran = await zoneward(wordsOf(step, before), {
    cwd,
    env: {
      ...story.environment,
      CLOUDFLARE_API_TOKEN: emulator.token,
      CLOUDFLARE_BASE_URL: step.refused === undefined ? emulator.url : front.url,
    },
  });
  vi.setSystemTime(usualMs);
  emulator.arm({});
  world.watch = () => {};
  const death = await end();
  const plain = plainly(world);
  const journal = newJournal(cwd, known, plain);
  if (journal !== null) await rename(cwd, journal, number);
  const requests = emulator.log.slice(from, death === null ? undefined : death.requests);
  return recordedOf({
    title: `${story.name} ${number}`,
    words: step.run.join(" "),
    code: death === null ? ran.code : null,
    out: plain(ran.out),
    err: plain(ran.err),
    requests: requests.map((each) => ({ ...each, path: plain(each.path) })),
    refused: front.refused().map(plain),
    journal,
    files: await Promise.all((step.files ?? []).map((name) => readFile(path.join(cwd, name), "utf8"))),
    state: plain(JSON.stringify(emulator.state(), null, 1)),
  });
}

/** One request at a time, so that they come in the same order each time. */
const STEADY = ["--concurrency", "1", "--rate-limit", "off", "--timeout", "600"];

function wordsOf({ run }: Run, journals: readonly string[]): readonly string[] {
  const words = run.map((word) => (word === "JOURNAL" ? `${JOURNALS}/${journals.at(-1) ?? "none"}` : word));
  return words[0] === "validate" || words[0] === "permissions" ? words : [...words, ...STEADY];
}

function recordedOf(seen: Seen): Recorded {
  const json = jsonOf(seen.out);
  const done = doneIn(seen, json);
  const said = seen.code === null ? [] : [["out", seen.out], ["err", seen.err], ...shownOf(json)];
  const rows = (seen.journal?.rows ?? []).join("\n");
  const all = [...said, ...(rows === "" ? [] : [["journal", rows]])];
  const requests = seen.requests.map(
    ({ method, path: at, status, body }) => `${method} ${at} ${status} ${JSON.stringify(body)}`,
  );
  const whole = [
    ...all,
    ["requests", requests.join("\n")],
    ...seen.files.map((text) => ["file", text]),
    ["state", seen.state],
  ];
  return {
    name: seen.title.replace(/[^\w-]+/g, "_"),
    done,
    whole: done + whole.map(([name, text]) => `--- ${name}\n${text}\n`).join(""),
  };
}

function doneIn(
  { title, words, code, requests, refused, journal, files, state }: Seen,
  json: unknown,
): string {
  const lines = [
    `# ${title}: ${words}`,
    ...(code === null
      ? ["killed"]
      : [`exit ${code}${codesIn(json)}${digestOf(json)}`, `document ${hash(withoutWords(json))}`]),
    ...callsOf(requests),
    ...refused.map((each) => `${each} refused`),
    ...(journal === null ? [] : [journalLine(journal)]),
    ...files.map((text) => `file ${hash(text)}`),
    `state ${hash(state)}`,
  ];
  return `${lines.join("\n")}\n`;
}

function journalLine({ rows, isWhole }: Journal): string {
  const parsed = rows.map((row) => JSON.parse(row) as { readonly type: string; readonly status?: string }); // as journals have them
  const types = parsed.map(({ type, status }) => (status === undefined ? type : `${type}:${status}`));
  return `journal ${hash(parsed.map(withoutWords))}${isWhole ? "" : ", its checks are wrong"} ${types.join(" ")}`;
}

const JOURNALS = ".zoneward/journal";

function journalsIn(cwd: string): readonly string[] {
  const folder = path.join(cwd, JOURNALS);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith(".jsonl")).sort();
}

interface Journal {
  readonly name: string;
  readonly text: string;
  /** Without checks: they are of addresses and versions too. */
  readonly rows: readonly string[];
  /** Whether its checks are right. */
  readonly isWhole: boolean;
}

function newJournal(
  cwd: string,
  known: ReadonlySet<string>,
  plain: (text: string) => string,
): Journal | null {
  const name = journalsIn(cwd).find((each) => !known.has(each));
  if (name === undefined) return null;
  const text = readFileSync(path.join(cwd, JOURNALS, name), "utf8");
  const rows = text.split("\n").filter((row) => row !== "");
  return { name, text, rows: rows.map((row) => plain(withoutCheck(row))), isWhole: rechecked(text) === text };
}

/** A name that is the same each time, and sorts after those before. */
async function rename(cwd: string, { name, text }: Journal, number: number): Promise<void> {
  const folder = path.join(cwd, JOURNALS);
  await writeFile(path.join(folder, `journal-${String(number).padStart(3, "0")}.jsonl`), text);
  await rm(path.join(folder, name));
}

interface End {
  /** How many of all the emulator's requests were made by then. */
  readonly requests: number;
}

/** Where the program dies, nothing of it reaches the service or the disk from then on. */
function watchForEnd(
  world: World,
  kill: number | undefined,
  known: ReadonlySet<string>,
): () => Promise<End | null> {
  const { emulator, cwd } = world;
  let writes = 0;
  let end: (End & { readonly journal: Journal | null }) | null = null;
  world.watch = ({ method }) => {
    if (kill === undefined || end !== null || method === "GET") return;
    writes += 1;
    if (writes < kill) return;
    end = { requests: emulator.log.length, journal: newJournal(cwd, known, plainly(world)) };
    emulator.arm({ rates: [{ chance: 1, fault: "redirect" }] });
  };
  return async () => {
    if (end === null) return null;
    const { journal } = end;
    if (journal !== null) await writeFile(path.join(cwd, JOURNALS, journal.name), journal.text);
    return end;
  };
}

/** Texts without what is another one each time, and with short names of zones. */
function plainly({ emulator, front, cwd }: World): (text: string) => string {
  const ids = Object.values(emulator.zones).map((id, index) => [id, `{zone${index + 1}}`] as const);
  return (text) => {
    let plain = text
      .replaceAll(emulator.url, "{service}")
      .replaceAll(front.url, "{service}")
      .replaceAll(cwd, "{folder}")
      .replace(/\d{8}T\d{9}Z-[0-9a-f]{8}/g, "{journal}");
    for (const [id, name] of ids) plain = plain.replaceAll(id, name);
    return plain;
  };
}

/** Writes one a line; reads between them as one, by their hash. */
function callsOf(requests: readonly LoggedRequest[]): readonly string[] {
  const lines: string[] = [];
  let reads: string[] = [];
  let isStruck = false;
  const endReads = () => {
    // What is tried again comes back at some time.
    if (reads.length > 0) lines.push(`${reads.length} reads ${hash(isStruck ? reads.toSorted() : reads)}`);
    reads = [];
    isStruck = false;
  };
  for (const { method, path: at, body, status, fault } of requests) {
    const end = `${status ?? "-"}${fault === undefined ? "" : ` ${fault}`}`;
    if (method === "GET") {
      reads.push(`${at} ${end}`);
      isStruck ||= fault !== undefined;
    } else {
      endReads();
      lines.push(`${method} ${at} ${body === null ? "-" : hash(body).slice(0, 8)} ${end}`);
    }
  }
  endReads();
  return lines;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The codes of all problems and the guardrails that refuse, in order. */
function codesIn(json: unknown): string {
  const codes: string[] = [];
  walk(json, (each) => {
    if (typeof each.code === "string" && ("detail" in each || "severity" in each)) codes.push(each.code);
    if (each.allowed === false && typeof each.name === "string") codes.push(`no:${each.name}`);
  });
  return codes.length === 0 ? "" : ` ${codes.join(" ")}`;
}

function walk(json: unknown, visit: (each: Readonly<Record<string, unknown>>) => void): void {
  if (typeof json !== "object" || json === null) return;
  if (!Array.isArray(json)) visit(json as Readonly<Record<string, unknown>>); // an object, as JSON has them
  for (const each of Object.values(json)) walk(each, visit);
}

function digestOf(json: unknown): string {
  return isDocument(json) ? ` ${json.digest}` : "";
}

function isDocument(json: unknown): json is PlanDocument {
  return typeof json === "object" && json !== null && "format_version" in json && "calls" in json;
}

/** Problems without what they say in words: those are held apart. */
function withoutWords(json: unknown): string {
  return JSON.stringify(json, (_, each: unknown) => {
    if (typeof each !== "object" || each === null || !("code" in each)) return each;
    return "detail" in each || "message" in each ? { ...each, summary: "", detail: "", message: "" } : each;
  });
}

function withoutCheck(row: string): string {
  const { check, program, ...rest } = JSON.parse(row) as Readonly<Record<string, unknown>>; // an object a row
  return JSON.stringify(rest);
}

function shownOf(json: unknown): readonly (readonly [name: string, text: string])[] {
  if (!isDocument(json)) return [];
  const about = "about" in json.inputs ? "drift" : "plan";
  return [
    ["text", render.text(json, { about, verbose: true, color: true })],
    ["markdown", render.markdown(json, { about })],
    ["html", render.html(json, { about })],
    ["sarif", render.sarif(json, { about })],
  ];
}

function hash(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
