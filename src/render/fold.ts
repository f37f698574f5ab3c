import { firstFew } from "../model/cut.js";
import { type Group, groupBy } from "../model/group-by.js";
import { pointerOf } from "../model/item.js";
import { isObject } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { Diagnostic, Guardrail, PlannedCall, PlannedChange } from "../plan/generated/plan-document.js";
import { timeless } from "./who-text.js";

/**
 * Groups equal changes of several zones. Parts that belong to one zone, such as its name, are not compared. Two equal
 * changes of one zone stay two.
 */
export function fold<Each extends { readonly change: PlannedChange }>(
  changes: readonly Each[],
): readonly Group<Each>[] {
  const seen = new Map<string, number>();
  const nth = (key: string) => {
    const n = (seen.get(key) ?? 0) + 1;
    seen.set(key, n);
    return n;
  };
  const keyOf = ({ change }: Each) => {
    const sharedText = JSON.stringify(inAnyZone(shared(change), change, OWN_NAME));
    return `${nth(`${change.zone} ${sharedText}`)} ${sharedText}`;
  };
  return [...groupBy(changes, keyOf).values()];
}

/** A change with `${zone}`, as in files, in place of the zone's name. */
export function ofAnyZone(change: PlannedChange): PlannedChange {
  const {
    dimensions,
    drift_dimensions: drift,
    fields,
    ...rest
  } = inAnyZone(shared(change), change, "${zone}");
  return {
    ...change,
    ...rest,
    dimensions: change.dimensions.map((each, n) => ({ ...each, ...dimensions[n] })),
    ...(change.drift_dimensions === undefined
      ? {}
      : { drift_dimensions: change.drift_dimensions.map((each, n) => ({ ...each, ...drift?.[n] })) }),
    fields: change.fields.map((each, n) => ({ ...each, ...fields[n] })),
  };
}

/** No text of a plan has this. */
const OWN_NAME = "\0zone";

/** Replaces the zone's name in all texts of a value, unless it is part of another name. */
function inAnyZone<T>(value: T, { zone }: { readonly zone: string }, instead: string): T {
  const replaceIn = (part: unknown): unknown => {
    if (typeof part === "string") return renamed(part, zone, /[\w-]/, () => instead);
    if (Array.isArray(part)) return part.map(replaceIn);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, replaceIn(inner)]));
  };
  return replaceIn(value) as T; // only texts are others
}

/** The parts of a change that zones can share. */
function shared(change: PlannedChange) {
  const { zone, zone_id, id, source, removed, dashboard, impact, request_lines, ...common } = change;
  const { dimensions, drift_dimensions, fields, who, ...rest } = common;
  const withoutWitness = (all: PlannedChange["dimensions"]) => all.map(({ witness, ...each }) => each);
  return {
    ...rest,
    ...(drift_dimensions === undefined ? {} : { drift_dimensions: withoutWitness(drift_dimensions) }),
    ...(who === undefined ? {} : { who: timeless(who) }),
    dimensions: withoutWitness(dimensions),
    fields: fields.map(({ source: _, ...each }) => (isNewSecret(each) ? { path: each.path } : each)),
  };
}

/** For a field that gets its first secret, no page shows the secret's name: the calls have it. */
function isNewSecret({ before, after, written }: PlannedChange["fields"][number]): boolean {
  return before === null && written?.before === null && isObject(after) && "$secret" in after;
}

/** One message for one zone or for many. */
export interface FoldedMessage {
  readonly severity: Diagnostic["severity"];
  readonly code: string;
  /** For many zones, without their names, and without ids and times. */
  readonly message: string;
  /** In the plan's order. */
  readonly members: Group<Diagnostic>;
}

/** Merges equal diagnostics of several zones. Those without a zone stay single. */
export function foldMessages(diagnostics: readonly Diagnostic[]): readonly FoldedMessage[] {
  const groups = groupBy(diagnostics.entries(), ([n, item]) =>
    JSON.stringify(
      item.zone === undefined ? n : [item.severity, item.code, sharedMessage(item), item.accepted],
    ),
  );
  return [...groups.values()].map(([[, first], ...otherEntries]) => ({
    severity: first.severity,
    code: first.code,
    message: otherEntries.length === 0 ? first.message : sharedMessage(first),
    members: [first, ...otherEntries.map(([, each]) => each)],
  }));
}

/** One problem in one zone or in many. */
export interface FoldedProblem {
  /** For many zones, without their names. */
  readonly problem: Problem;
  /** Several zones, with the problem of each. Empty: one zone or none. */
  readonly zones: readonly string[];
  readonly members: Group<Problem>;
}

/** Merges equal problems of several zones. */
export function groupProblems(
  problems: readonly Problem[],
  zones: readonly string[] = [],
): readonly FoldedProblem[] {
  const names = new Set(zones);
  const entries = problems.map((problem) => {
    const { severity, code, summary, detail, at, accepted } = problem;
    const wholeZone = zoneAt(at);
    const zone =
      problem.zone ?? wholeZone ?? `${summary} ${detail}`.match(ZONE_NAME)?.find((name) => names.has(name));
    const texts = {
      summary: sharedMessage({ zone, message: summary }),
      detail: sharedMessage({ zone, message: detail }),
    };
    // A problem of a whole zone stands at the line of the zone's name, so its line is not compared.
    const place = wholeZone === undefined ? [at?.file, at?.line] : [];
    const column = zone === undefined ? [at?.column] : [];
    return {
      problem,
      zone,
      texts,
      key: JSON.stringify([severity, code, texts, ...place, ...column, accepted?.reason]),
    };
  });
  return [...groupBy(entries, ({ key }) => key).values()].flatMap((group): readonly FoldedProblem[] => {
    const groupZones = [...new Set(group.flatMap(({ zone }) => zone ?? []))];
    const [{ problem, texts }, ...otherEntries] = group;
    const alone = (single: Problem) => ({ problem: single, zones: [], members: [single] as const });
    if (groupZones.length === 0) return [alone(repeated(problem, group.length))];
    // Without a place in the files, the same problem of several sections is one problem of the zone.
    if (groupZones.length === 1)
      return (problem.at === null ? inFull(group) : group.map((entry) => entry.problem)).map(alone);
    const withZone = (entry: (typeof entries)[number]) => ({ ...entry.problem, zone: entry.zone ?? "" });
    const members = [withZone(group[0]), ...otherEntries.map(withZone)] as const;
    return [{ problem: { ...problem, ...texts }, zones: groupZones, members }];
  });
}

/** Like groupProblems(), with the zones named in the text. */
export function foldProblems(
  problems: readonly Problem[],
  zones: readonly string[] = [],
): readonly Problem[] {
  return groupProblems(problems, zones).map(({ problem, zones: foundZones }) => {
    const where = foundZones.length === 0 ? aloneIn(problem, zones) : inSeveral(foundZones);
    return where === null ? problem : { ...problem, detail: `${problem.detail} ${where}` };
  });
}

/** Null: no zone, only one zone, or the problem or its place already names the zone. */
function aloneIn({ zone, summary, detail, at }: Problem, zones: readonly string[]): string | null {
  if (zone === undefined || zones.length <= 1) return null;
  const zonePointer = pointerOf(["zones", zone]);
  const isAtIts = at !== null && (at.pointer === zonePointer || at.pointer.startsWith(`${zonePointer}/`));
  return isAtIts || `${summary} ${detail}`.includes(zone) ? null : `In ${zone}.`;
}

function inSeveral(zones: readonly string[]): string {
  return `In ${zones.length} zones: ${firstFew(zones, MAX_NAMED)}.`;
}

/** The problems with different texts. */
function inFull(group: readonly { readonly problem: Problem }[]): readonly Problem[] {
  return [...new Map(group.map(({ problem }) => [problem.detail, problem])).values()];
}

/** The zone at a place, where the place is a whole zone. */
function zoneAt(at: Problem["at"]): string | undefined {
  const [, name] = /^\/zones\/([^/]+)$/.exec(at?.pointer ?? "") ?? [];
  return name?.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A problem of a template has no zone, and is found once for each zone that extends the template. */
function repeated(problem: Problem, times: number): Problem {
  if (times === 1) return problem;
  return { ...problem, detail: `${problem.detail} The same was found ${times} times.` };
}

/** Matches possible zone names, without the punctuation behind them. */
const ZONE_NAME = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?/gu;

const MAX_NAMED = 3;

/** One guardrail, refusing or lifted, with its messages. */
export interface FoldedGuardrail {
  readonly name: string;
  readonly allowed: boolean;
  readonly parts: Group<FoldedBreach>;
  /** The advice that all parts share. Empty: each part has its own. */
  readonly wayOn: string;
}

export interface FoldedBreach {
  /**
   * The texts before and after each mention of the zone; one text: the zone is not mentioned. For many zones, without
   * ids and times. Without the shared advice.
   */
  readonly sentence: Group<string>;
  readonly members: Group<Guardrail>;
}

/** Guardrails that refuse, then lifted ones: one entry each, for all zones. */
export function foldGuardrails(guardrails: readonly Guardrail[]): readonly FoldedGuardrail[] {
  return [false, true].flatMap((isLifted) => {
    const list = guardrails.filter(({ allowed }) => allowed === isLifted);
    return [...groupBy(list, ({ name }) => name)].map(([name, all]) => foldedGuardrail(name, isLifted, all));
  });
}

function foldedGuardrail(name: string, allowed: boolean, all: Group<Guardrail>): FoldedGuardrail {
  const groups = [...groupBy(all, sharedMessage).values()];
  const sentences = groups.map(([first, ...others]) => sentenceOf(first, others.length > 0));
  const wayOn = groups.length === 1 ? "" : lastSentences(sentences.map((texts) => texts.at(-1) ?? ""));
  const [first, ...otherParts] = groups.map((members, index) => {
    const [start = "", ...rest] = sentences[index] ?? [];
    const sentence: Group<string> = [start, ...rest];
    return { sentence: wayOn === "" ? sentence : withoutEnd(sentence, wayOn.length + 1), members };
  });
  if (first === undefined) throw new Error("a group has at least one");
  return { name, allowed, parts: [first, ...otherParts], wayOn };
}

/** @param isShared whether other zones have the same message: ids, times and addresses of this zone are left out */
function sentenceOf({ zone = "", message }: Guardrail, isShared: boolean): readonly string[] {
  if (zone === "") return [message];
  return isShared ? aroundZone(message, zone, "${zone}").map(unnumbered) : aroundZone(message, zone, zone);
}

function withoutEnd([start, ...rest]: Group<string>, chars: number): Group<string> {
  const last = rest.at(-1);
  return last === undefined ? [start.slice(0, -chars)] : [start, ...rest.slice(0, -1), last.slice(0, -chars)];
}

/** The message of a breach for some of its zones. */
export function breachText(
  { sentence, members }: FoldedBreach,
  shownFor: readonly Pick<Guardrail, "zone">[] = members,
): string {
  const [only, ...others] = shownFor;
  if (others.length === 0) return sentence.join(only?.zone ?? "");
  const [start, ...rest] = sentence;
  const zones = `each of ${shownFor.length} zones`;
  if (rest.length === 0) return `In ${zones}: ${start}`;
  return `${start === "" ? `E${zones.slice(1)}` : `${start}${zones}`}${rest.join("the zone")}`;
}

/** The last sentences that all messages share. The first sentence of a message is never one of them. */
function lastSentences(messages: readonly string[]): string {
  const sentences = messages.map((message) => message.split(/(?<=\.) /));
  const [first = []] = sentences;
  const most = sentences.reduce((least, { length }) => Math.min(least, length), first.length) - 1;
  let n = 0;
  while (n < most && sentences.every((each) => each.at(-n - 1) === first.at(-n - 1))) n++;
  return n === 0 ? "" : first.slice(-n).join(" ");
}

/** Groups zones with the same calls. Ids and names of secrets are not compared. */
export function foldCalls<Zone extends { readonly calls: readonly PlannedCall[] }>(
  zones: readonly Zone[],
): readonly Group<Zone>[] {
  const callingZones = zones.filter(({ calls }) => calls.length > 0);
  return [...groupBy(callingZones, ({ calls }) => callsText(calls)).values()];
}

function callsText(calls: readonly PlannedCall[]): string {
  const before = (calls[0]?.step ?? 1) - 1;
  const comparable = calls.map((call) => ({
    ...inAnyZone({ method: call.method, path: pathAfter(before, call), body: call.body }, call, OWN_NAME),
    step: call.step - before,
    after: call.after.map((each) => each - before),
  }));
  return JSON.stringify(comparable).replace(ANY_ID, "…").replace(SECRET, '"$secret":"…"');
}

const SECRET = /"\$secret":"([^"]*)"/g;

/** The secrets that each zone sends. Empty: all zones send the same. */
export function secretsOfEach<Zone extends { readonly calls: readonly PlannedCall[] }>(
  zones: Group<Zone>,
): readonly { readonly zone: Zone; readonly secrets: string }[] {
  const zoneSecrets = zones.map((zone) => ({ zone, secrets: secretsIn(zone.calls) }));
  return zoneSecrets.some(({ secrets }) => secrets !== zoneSecrets[0]?.secrets) ? zoneSecrets : [];
}

function secretsIn(calls: readonly PlannedCall[]): string {
  return [...JSON.stringify(calls.map(({ body }) => body)).matchAll(SECRET)]
    .map(([, name]) => name)
    .join(", ");
}

/** The path of a call with steps counted from the zone's first. A path can name the result of an earlier step. */
function pathAfter(before: number, { path }: PlannedCall): string {
  return path.replace(/\{result:(\d+)\}/g, (_, step) => `{result:${Number(step) - before}}`);
}

/** Ids of jobs are numbers. */
const ANY_ID = /\b[0-9a-f]{32}\b|(?<=\/jobs\/)\d+/g;

/** A message without its zone's name, ids, times and number of the request. */
function sharedMessage({
  zone,
  message,
}: {
  readonly zone?: string | undefined;
  readonly message: string;
}): string {
  if (zone === undefined || zone === "") return message;
  return unnumbered(
    aroundZone(message, zone, "${zone}").reduce(
      (before, after) => `${before}${before === "" ? "The zone" : "the zone"}${after}`,
    ),
  );
}

/**
 * The texts before and after each mention of a zone. A name in quotes is not a mention.
 *
 * @param inAddress replaces the name in a URL or in another name
 */
function aroundZone(message: string, zone: string, inAddress: string): readonly string[] {
  return renamed(message, zone, /[\w"-]/, (before, after) =>
    isInside(before, after) ? inAddress : OWN_NAME,
  ).split(OWN_NAME);
}

/** Without ids, times and the number of the request. */
function unnumbered(text: string): string {
  return text.replace(REQUEST_ID, "").replace(ID, "…").replace(TIME, "…");
}

/**
 * Replaces the zone's name in a text.
 *
 * @param partBefore matches a character that makes the name the end of another name
 * @param instead the replacement, given the text before and after
 */
function renamed(
  text: string,
  zone: string,
  partBefore: RegExp,
  instead: (before: string, after: string) => string,
): string {
  if (zone === "" || !text.includes(zone)) return text;
  return text.split(zone).reduce((before, after) => {
    const isPart = partBefore.test(before.slice(-1)) || /^(?:[\w-]|\.\w)/.test(after);
    return `${before}${isPart ? zone : instead(before, after)}${after}`;
  });
}

/** Whether a name is part of a URL or of another name. */
function isInside(before: string, after: string): boolean {
  return /[./@]$/.test(before) || /^(?:\/|:\d)/.test(after);
}

/** Whether a message names a zone as such, so that its name need not be added. */
export function isNamedIn(message: string, zone: string | undefined): boolean {
  return zone !== undefined && aroundZone(message, zone, zone).length > 1;
}

/** As the API client writes it. */
const REQUEST_ID = / \(request id [^()\s]+\)/g;

/** Ids of zones and objects in paths of calls, and behind the name of a job. */
const ID =
  /(?<=\/(?:zones|accounts|rulesets|rules|policies)\/)[0-9a-f]{32}\b|(?<=\/jobs\/)\d+\b|(?<=" \()\d+(?=\))/g;

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The names of the zones that messages are about, each once. */
export function zonesOf(messages: readonly { readonly zone?: string | null }[]): readonly string[] {
  return [...new Set(messages.flatMap(({ zone }) => zone ?? []))];
}
