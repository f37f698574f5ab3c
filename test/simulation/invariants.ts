import { isDeepStrictEqual as equal } from "node:util";
import { isWrite, type LoggedRequest } from "../../src/emulator/log.js";
import type { Seed } from "../../src/index.js";
import type { JournalLine } from "../../src/model/journal.js";
import { isObject, type Json } from "../../src/model/json.js";
import type { PlanDocument } from "../../src/plan/generated/plan-document.js";
import { readJournal } from "../../src/plan/read-journal.js";
import { essenceOf } from "../support/essence.js";
import { blockedIn, stoppedIn, type Zone } from "../support/stopped.js";
import { PLANTED } from "./planted.js";
import type { Ran, Snapshot } from "./world.js";

/** Each check returns how a run breaks an invariant, or nothing. */
type Invariant = (ran: Ran, circumstances: Circumstances) => readonly string[];

export interface Circumstances {
  /** The plan in its file. */
  readonly saved: PlanDocument | null;
  /** Whether a guardrail refuses the run. */
  readonly isGuarded: boolean;
  /** Zones in which the saved plan must not cause any write. */
  readonly refused: ReadonlySet<string>;
  /** The credentials that the service accepts. */
  readonly credentials: readonly string[];
}

/** Invariants of every run, whatever happens in it. */
export const invariants: { readonly [sentence: string]: Invariant } = {
  "All planning reads come before any write": ({ requests, planning }) =>
    requests.slice(0, planning).filter(isAWrite).map(shown),

  "A zone is read again before its first write": ({ requests, planning }) => {
    const after = requests.slice(planning);
    const early = zonesOf(after).filter((zone) => isWrite(after.find(isIn(zone))?.method ?? ""));
    return early.map((zone) => `${zone} is written to unseen`);
  },

  "A run refused by a guardrail writes nothing": ({ requests, document }, { isGuarded }) => {
    const standing = document?.guardrails.some(({ allowed }) => !allowed) === true;
    return standing && isGuarded ? requests.filter(isAWrite).map(shown) : [];
  },

  "The writes are the calls of the plan, in order": ({ requests, document }) => {
    const { stray, sent } = sendings(requests, document);
    const skipped = zonesIn(document).filter(
      (zone) => !isPrefix(sent.filter(({ call }) => call.zone === zone)),
    );
    return [...stray.map(shown), ...skipped.map((zone) => `in ${zone} a call is left out`)];
  },

  "The writes are calls of the saved plan": ({ requests }, { saved }) =>
    saved === null ? [] : sendings(requests, saved).stray.map(shown),

  "A stale or edited saved plan causes no writes": ({ requests }, { refused }) =>
    requests.filter((each) => isAWrite(each) && refused.has(zoneOf(each) ?? "")).map(shown),

  "A list is read right before it is replaced": ({ requests }) =>
    requests.filter((each, index) => isWholeList(each) && !isReadOf(each, requests[index - 1])).map(shown),

  "Objects that others changed before the first write are not written": (ran) =>
    staleZones(ran)
      .flatMap((zone) => ran.requests.filter((each) => isAWrite(each) && zoneOf(each) === zone))
      .map(shown),

  "The report agrees with the service about each call": ({ requests, document, report }) => {
    const { sent } = sendings(requests, document);
    return (report?.outcomes ?? []).flatMap(({ step, status, problem }) => {
      const writes = sent.find(({ call }) => call.step === step)?.writes ?? [];
      const effects = writes.filter(({ tookEffect }) => tookEffect).length;
      const said = `step ${step} is ${status}, and was sent ${writes.length} times with ${effects} effects`;
      const isGone = writes.some(({ method, status: answered }) => method === "DELETE" && answered === 404);
      if (effects > 1 && writes[0]?.method === "POST") return [`${said}: a duplicate`];
      if (status === "done") return effects > 0 || isGone ? [] : [said];
      if (status === "not_started") return writes.length === 0 ? [] : [said];
      const isInDoubt = /is unknown|without a clear answer|may have made/.test(problem?.detail ?? "");
      return effects === 0 || isInDoubt ? [] : [`${said}: ${problem?.detail}`];
    });
  },

  "The totals of the report are those of its calls": ({ report }) => {
    if (report === null) return [];
    const { done, failed, not_started } = report.summary;
    const count = (status: string) => report.outcomes.filter((each) => each.status === status).length;
    const counted = [count("done"), count("failed"), count("not_started")];
    return equal([done, failed, not_started], counted)
      ? []
      : [`${JSON.stringify(report.summary)}, and ${counted}`];
  },

  "The exit code says whether everything is done": ({ code, report, interrupted }) => {
    if (report === null) return [];
    const isCut = interrupted && report.summary.not_started > 0;
    const expected = isCut ? 130 : report.converged ? 0 : 1;
    return code === expected ? [] : [`${code}, not ${expected}`];
  },

  "The journal can be read": ({ journal, requests }) => {
    if (journal === null) return [];
    const read = readJournal(journal.file, journal.text);
    if (read.ok) return [];
    // The process died while it wrote the first line.
    if (!journal.text.includes("\n") && !requests.some(isAWrite)) return [];
    return read.problems.map(({ detail }) => detail);
  },

  "The journal has every effective write before it was sent": ({ journal, requests }) => {
    const intents = linesOf(journal?.text ?? "").filter(({ type }) => type === "intent");
    const effective = requests.filter(({ method, tookEffect }) => isWrite(method) && tookEffect);
    if (journal === null) return [];
    let at = 0;
    return effective.flatMap((write) => {
      const found = intents.findIndex((line, index) => index >= at && isIntentFor(line, write));
      if (found === -1) return [shown(write)];
      at = found;
      return [];
    });
  },

  "The journal names the call in progress when the process died": ({ journal, killed }) => {
    if (journal === null || killed === null || !isAWrite(killed) || !killed.tookEffect) return [];
    const last = linesOf(journal.text).at(-1);
    return last !== undefined && isIntentFor(last, killed) ? [] : [`it ends with ${last?.type}`];
  },

  "The journal ends with the outcome in the report": ({ journal, report }) => {
    if (journal === null || report === null) return [];
    const end = linesOf(journal.text).at(-1);
    if (end?.type !== "end") return [`it ends with ${end?.type}`];
    const { done, failed, not_started } = end;
    const { zones_converged: _, zones_failed: __, ...summary } = report.summary;
    return equal({ done, failed, not_started }, summary) ? [] : [JSON.stringify({ end, summary })];
  },

  "No secret is shown": ({ told }, { credentials }) =>
    [...PLANTED, ...credentials].filter((secret) => told.includes(secret)),
};

function isAWrite({ method }: LoggedRequest): boolean {
  return isWrite(method);
}

function shown({ method, path }: LoggedRequest): string {
  return `${method} ${path}`;
}

/** The zone id in the path of a request. */
export function zoneOf({ path }: Pick<LoggedRequest, "path">): string | null {
  return /^\/zones\/([0-9a-f]{32})\//.exec(path)?.[1] ?? null;
}

function isIn(zone: string): (request: LoggedRequest) => boolean {
  return (request) => zoneOf(request) === zone;
}

function zonesOf(requests: readonly LoggedRequest[]): readonly string[] {
  return [...new Set(requests.flatMap((each) => zoneOf(each) ?? []))];
}

function zonesIn(document: PlanDocument | null): readonly string[] {
  return (document?.zones ?? []).map(({ zone }) => zone);
}

type Call = PlanDocument["calls"][number];

interface Sending {
  readonly call: Call;
  readonly place: number;
  readonly writes: LoggedRequest[];
}

/** The writes of each call. Writes that belong to no call are stray. */
function sendings(requests: readonly LoggedRequest[], document: PlanDocument | null) {
  const calls = document?.calls ?? [];
  const stray: LoggedRequest[] = [];
  const sent: Sending[] = [];
  let next = 0;
  for (const write of requests.filter(isAWrite)) {
    const current = sent.at(-1);
    const later = calls.findIndex((call, index) => index >= next && carriesOut(write, call));
    const call = calls[later];
    const isRepeated =
      current !== undefined && carriesOut(write, current.call) && !isAnswered(current, call, write);
    if (isRepeated) current.writes.push(write);
    else if (call !== undefined) {
      const place = calls.filter(({ zone }) => zone === call.zone).indexOf(call);
      sent.push({ call, place, writes: [write] });
      next = later + 1;
    } else stray.push(write);
  }
  return { stray, sent };
}

/** Of two identical calls, the second one follows a clear answer to the first. */
function isAnswered({ writes }: Sending, next: Call | undefined, write: LoggedRequest): boolean {
  const last = writes.at(-1);
  const isClear = last?.fault === undefined && (last?.status ?? 0) < 300;
  return isClear && next !== undefined && carriesOut(write, next);
}

function carriesOut({ method, path, body }: LoggedRequest, call: Call): boolean {
  const [zone, ...parts] = call.path.split(/\{result:\d+\}/);
  const isPath = path.startsWith(zone ?? "") && parts.every((part) => path.endsWith(part));
  const isExact = parts.length > 0 || path === call.path;
  return method === call.method && isPath && isExact && isFilled(body, call.body);
}

/** Compares a sent body with the plan's, in which a text stands for each secret reference. */
function isFilled(sent: unknown, planned: unknown): boolean {
  if (isObject(planned as Json) && isObject(sent as Json)) {
    const [own, other] = [planned as Record<string, unknown>, sent as Record<string, unknown>];
    const names = [...new Set([...Object.keys(own), ...Object.keys(other)])];
    return names.every((name) => isFilled(other[name], own[name]));
  }
  if (isObject(planned as Json)) return typeof sent === "string" && "$secret" in (planned as object);
  if (Array.isArray(planned) && Array.isArray(sent))
    return planned.length === sent.length && planned.every((each, index) => isFilled(sent[index], each));
  return equal(sent, planned);
}

/** A zone stops at a failed call and skips none. */
function isPrefix(sent: readonly Sending[]): boolean {
  return sent.every(({ place }, index) => place === index);
}

function isWholeList({ method, path }: LoggedRequest): boolean {
  return method === "PUT" && path.includes("/rulesets/");
}

function isReadOf({ path }: LoggedRequest, read: LoggedRequest | undefined): boolean {
  if (read?.method !== "GET" || (read.status !== 200 && read.status !== 404)) return false;
  const rulesets = `/zones/${zoneOf({ path })}/rulesets/`;
  return read.path === path || read.path.startsWith(`${rulesets}phases/`);
}

/**
 * Zones with an object that the plan changes and that others changed exactly once, after the plan was made and before the zone
 * was read again.
 */
function staleZones({ requests, planning, document, states, meanwhile }: Ran): readonly string[] {
  const edits = requests.flatMap(({ edits: made = [] }, index) =>
    made.map(({ when, edit, calls }) => ({
      time: when === "before" ? index : index + 1,
      index,
      edit,
      calls,
    })),
  );
  return zonesOf(requests).filter((zone) => {
    const again = requests.findIndex((each, index) => index >= planning && zoneOf(each) === zone);
    if (again === -1) return false;
    const own = edits.filter(({ calls }) => calls.some(isOfZone(zone)));
    const calls = (document?.calls ?? []).filter(({ path }) => zoneOf({ path }) === zone);
    const [only, ...more] = own.filter(({ time }) => time >= planning && time <= again);
    if (meanwhile !== null && own.length === 0) return touches(meanwhile.calls, calls);
    if (meanwhile !== null || only === undefined || more.length > 0) return false;
    if (requests[only.index]?.tookEffect === true) return false;
    return (
      touches(only.calls, calls) &&
      hasMoved(states, only.index) &&
      own.every((each) => each === only || each.time > again)
    );
  });
}

function isOfZone(zone: string): (call: { readonly path: string }) => boolean {
  return (call) => zoneOf(call) === zone;
}

/** Whether a change by others affects an object that calls change. */
export function touches(
  edits: readonly { readonly path: string; readonly status: number }[],
  calls: readonly Pick<Call, "path">[],
): boolean {
  const planned = new Set(calls.flatMap(({ path }) => objectAt(path) ?? []));
  return edits.some(({ path, status }) => status < 300 && planned.has(objectAt(path) ?? ""));
}

/** The object at a path; for a rule, its ruleset. Null: a list, or an object without an id yet. */
function objectAt(path: string): string | null {
  const [, ruleset] = /^(.*\/rulesets\/[0-9a-f]{32})/.exec(path) ?? [];
  if (ruleset !== undefined) return ruleset;
  return OBJECT.test(path) ? path : null;
}

const OBJECT = /\/page_shield$|\/page_shield\/policies\/[^/{]+$|\/logpush\/jobs\/\d+$|\/settings\/\w+$/;

/**
 * Whether others wrote to a list between its last read and its replacement. The API cannot replace a list conditionally, so
 * such a change is lost.
 */
export function isOvertaken({ requests }: Ran): boolean {
  return requests.some((put, index) => {
    if (!isWholeList(put)) return false;
    const last = (requests[index - 1]?.edits ?? []).filter(({ when }) => when === "after");
    const own = (put.edits ?? []).filter(({ when }) => when === "before");
    return [...last, ...own].some(({ calls }) => touches(calls, [put]));
  });
}

function hasMoved(states: readonly Snapshot[], index: number): boolean {
  const at = states.findIndex(({ after }) => after === index + 1);
  const [before, after] = [states[at - 1], states[at]];
  if (before === undefined || after === undefined) return false;
  return !equal(essenceOf(before.state), essenceOf(after.state));
}

function linesOf(text: string): readonly JournalLine[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function isIntentFor(line: JournalLine, { method, path }: LoggedRequest): boolean {
  return line.type === "intent" && line.method === method && line.path === path;
}

/** How a zone was less protected, or blocked more, during the run than both before and after. */
export function protectionLost(
  states: readonly Seed[],
  zone: string,
  warned: ReadonlySet<string>,
): readonly string[] {
  const zones = states.map(({ zones: all }) => all[zone] as Zone); // the seeded zone
  const [stopped, blocked] = [zones.map(stoppedIn), zones.map(blockedIn)];
  const kept = [...(stopped[0] ?? [])].filter((each) => stopped.at(-1)?.has(each));
  const allowed = new Set([...(blocked[0] ?? []), ...(blocked.at(-1) ?? [])]);
  return zones.flatMap((_, index) => {
    const lost = warned.has("unsafe_order") ? [] : kept.filter((each) => !stopped[index]?.has(each));
    const extra = warned.has("transient_block")
      ? []
      : [...(blocked[index] ?? [])].filter((each) => !allowed.has(each));
    const after = `after ${index} of ${zones.length - 1} writes to ${zone}`;
    return [
      ...lost.map((each) => `${after} no longer: ${each}`),
      ...extra.map((each) => `${after}, too soon: ${each}`),
    ];
  });
}
