import { kinds } from "../kinds/index.js";
import {
  JOURNAL_VERSION,
  type JournalBegin,
  type JournalChange,
  type JournalEnd,
  type JournalIntent,
  type JournalLine,
  type JournalOutcome,
  type JournalZone,
  lineIn,
  NO_CHECK,
} from "../model/journal.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { parseStrictly } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import { isId } from "../model/read-api.js";

/** An apply, as recorded in its journal. */
export interface JournalRecord {
  readonly begin: JournalBegin;
  readonly zones: readonly JournaledZone[];
  /** Null: the run was killed. */
  readonly end: JournalEnd | null;
  /** Faults of the file that leave it usable. */
  readonly warnings: readonly Problem[];
}

export interface JournaledZone {
  readonly before: JournalZone;
  readonly calls: readonly JournaledCall[];
  /** Whether the zone was as declared afterwards. Null: it was not read again. */
  readonly converged: boolean | null;
}

export interface JournaledCall {
  /** The last attempt. */
  readonly intent: JournalIntent;
  /** Null: the run was killed before the outcome was known. */
  readonly outcome: JournalOutcome | null;
  /** Whether an attempt had no clear answer. */
  readonly doubted: boolean;
}

/** Reads a journal from its text. A cut-off last line is skipped: a killed run leaves one. */
export function readJournal(file: string, text: string): Result<JournalRecord> {
  const rows = text.split("\n");
  const last = rows.pop() ?? "";
  const lines: JournalLine[] = [];
  let check = NO_CHECK;
  for (const [index, row] of rows.entries()) {
    if (index === 0) {
      const wrong = notBegun(file, parsed(row));
      if (wrong !== null) return failed(wrong);
    }
    const written = lineIn(row, check);
    const line = written === null ? undefined : parsed(written.text);
    if (written === null || !isLine(line)) return failed(damaged(file, index + 1));
    lines.push(line);
    check = written.check;
  }
  const [begin] = lines;
  if (begin?.type !== "begin")
    return failed(notJournal(file, last === "" ? "is empty" : "has no complete line"));
  const zones = isInTurn(lines) ? zonesIn(lines) : null;
  if (zones === null) return failed(damaged(file, null));
  const end = lines.find((line) => line.type === "end") ?? null;
  if (last !== "") return ok({ begin, zones, end, warnings: [cut(file, rows.length + 1)] });
  return ok({ begin, zones, end, warnings: end === null ? [incomplete(file)] : [] });
}

function parsed(text: string): Json | undefined {
  const read = parseStrictly(text);
  return read.ok ? read.value : undefined;
}

function notBegun(file: string, line: Json | undefined): Problem | null {
  if (!isObject(line) || line.type !== "begin") return notJournal(file, "does not start like a journal");
  if (line.format_version === JOURNAL_VERSION) return null;
  const detail = `${file} has format_version ${JSON.stringify(line.format_version ?? null)}; this zoneward reads ${JSON.stringify(JOURNAL_VERSION)}. Read it with the version that wrote it, ${JSON.stringify(line.program ?? null)}.`;
  return problem("bad_journal", "Journal of another version", detail);
}

function notJournal(file: string, why: string): Problem {
  const detail = `${file} ${why}. Use a journal that zoneward apply wrote into .zoneward/journal.`;
  return problem("bad_journal", "Not a journal", detail);
}

function damaged(file: string, row: number | null): Problem {
  const where = row === null ? "Its lines are not in sequence" : `Line ${row} was not written by an apply`;
  const detail = `${file} is damaged or was edited. ${where}. It is not used.`;
  return problem("bad_journal", "Journal is damaged", detail);
}

function cut(file: string, row: number): Problem {
  const detail = `The last line of ${file}, ${row}, is cut off, because the run was killed. The lines before it count.`;
  return warning("journal_cut", "Journal is cut off", detail);
}

function incomplete(file: string): Problem {
  const detail = `${file} has no end: the run was killed, or the last lines are missing. Calls after its last line are unknown.`;
  return warning("journal_incomplete", "Journal has no end", detail);
}

type Shape = { readonly [field: string]: (value: Json | undefined) => boolean };

const text = (value: Json | undefined) => typeof value === "string";
const textOrNull = (value: Json | undefined) => value === null || text(value);
const count = (value: Json | undefined) => Number.isInteger(value) && Number(value) >= 0;
const flag = (value: Json | undefined) => typeof value === "boolean";
const listOf = (isItem: (value: Json) => boolean) => (value: Json | undefined) =>
  isList(value) && value.every(isItem);
const objectOrNull = (value: Json | undefined) => value === null || isObject(value);
const objectWith = (shape: Shape) => (value: Json | undefined) => isObject(value) && fits(value, shape);
const optional = (is: Shape[string]) => (value: Json | undefined) => value === undefined || is(value);
const oneOf =
  (...words: readonly string[]) =>
  (value: Json | undefined) =>
    words.includes(String(value));

const id = (value: Json | undefined) => typeof value === "string" && isId(value);
const idOrNull = (value: Json | undefined) => value === null || id(value);
const kindName = (value: Json | undefined) => kinds.some(({ name }) => name === value);
const path = (value: Json | undefined) =>
  typeof value === "string" && value.startsWith("/") && value.slice(1).split("/").every(isId);

const ref: Shape = { kind: kindName, key: text, id: idOrNull };

const shapes: { readonly [type in JournalLine["type"]]: Shape } = {
  begin: {
    program: text,
    started: text,
    config: listOf(text),
    zones: listOf(text),
    digest: text,
    part_of: optional(text),
    undoes: optional(objectWith({ started: text, digest: text })),
  },
  zone: {
    zone: text,
    zone_id: id,
    digest: text,
    changes: listOf(
      objectWith({
        ...ref,
        action: oneOf("create", "update", "delete"),
        was: textOrNull,
        replaces: optional((value) => value === true),
      }),
    ),
    seen: listOf(objectWith({ ...ref, state: objectOrNull })),
    raw: listOf(objectWith({ ...ref, raw: isObject })),
  },
  intent: {
    zone: text,
    step: count,
    attempt: count,
    method: oneOf("POST", "PUT", "PATCH", "DELETE"),
    path,
    body: objectOrNull,
    changes: listOf(count),
    yields: listOf(objectWith({ ...ref, state: objectOrNull })),
  },
  outcome: {
    zone: text,
    step: count,
    attempt: count,
    status: oneOf("done", "failed", "unknown"),
    id: idOrNull,
    problem: objectOrNull,
  },
  zone_end: { zone: text, converged: flag },
  end: { done: count, failed: count, not_started: count, interrupted: flag },
};

/** The checksum of each row was right, so a check of its shape is enough. */
function isLine(line: Json | undefined): line is Json & JournalLine {
  const type = isObject(line) ? line.type : undefined;
  const shape = Object.entries(shapes).find(([name]) => name === type)?.[1];
  return isObject(line) && shape !== undefined && fits(line, shape);
}

function fits(value: JsonObject, shape: Shape): boolean {
  return Object.entries(shape).every(([field, is]) => is(value[field]));
}

/** Only the first line is of type `begin`, and only the last one can be of type `end`. */
function isInTurn(lines: readonly JournalLine[]): boolean {
  return lines.every(
    ({ type }, index) =>
      (type === "begin") === (index === 0) && (type !== "end" || index === lines.length - 1),
  );
}

/** Null: a line is about a zone or a call without an earlier line that begins it. */
function zonesIn(lines: readonly JournalLine[]): readonly JournaledZone[] | null {
  const groups = new Map<string, JournalLine[]>();
  for (const line of lines) {
    if (!("zone" in line)) continue;
    const group = groups.get(line.zone);
    if ((line.type === "zone") !== (group === undefined)) return null;
    if (group === undefined) groups.set(line.zone, [line]);
    else group.push(line);
  }
  const zones = [...groups.values()].map(zoneIn);
  return zones.every((zone) => zone !== null) ? zones : null;
}

function zoneIn([before, ...lines]: readonly JournalLine[]): JournaledZone | null {
  if (before?.type !== "zone" || !before.changes.every((change) => isKnown(change, before))) return null;
  const calls = callsIn(lines);
  if (calls === null || !calls.every(({ intent }) => isOf(intent, before))) return null;
  const converged = lines.find((line) => line.type === "zone_end")?.converged ?? null;
  return { before, calls, converged };
}

/** Whether the journal has the former state of a changed object: without it, a rollback would silently leave it out. */
function isKnown({ action, ...ref }: JournalChange, { raw }: JournalZone): boolean {
  if (action === "create") return ref.id === null;
  return raw.some(
    ({ kind, key, id }) => kind === ref.kind && id === ref.id && (id !== null || key === ref.key),
  );
}

function isOf({ path: sentTo, changes }: JournalIntent, zone: JournalZone): boolean {
  return (
    sentTo.startsWith(`/zones/${zone.zone_id}/`) && changes.every((index) => index < zone.changes.length)
  );
}

function callsIn(lines: readonly JournalLine[]): readonly JournaledCall[] | null {
  const calls = new Map<number, JournaledCall>();
  for (const line of lines) {
    if (line.type !== "intent" && line.type !== "outcome") continue;
    const call = calls.get(line.step);
    if (line.type === "intent") {
      calls.set(line.step, { intent: line, outcome: null, doubted: call?.doubted === true });
    } else {
      if (call === undefined) return null;
      calls.set(line.step, {
        ...call,
        outcome: line,
        doubted: call.doubted || line.status === "unknown",
      });
    }
  }
  return [...calls.values()];
}
