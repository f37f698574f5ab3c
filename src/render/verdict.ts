import { firstFew } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import type {
  Effect,
  ImpactSummary,
  ImpactSums,
  PlanDocument,
  PlanInputs,
  PlanSummary,
  UnmanagedObject,
} from "../plan/generated/plan-document.js";
import { bare, listed, type Phrase, phrase, toned } from "./palette.js";
import { capital, count, plain } from "./safe-text.js";
import { notListed } from "./undeclared.js";
import { type PlanView, spell } from "./view.js";
import { EFFECTS, type ImpactWords, WORST_FIRST } from "./words.js";

/**
 * The verdict on a plan, as statements, the worst first: refusals, failures, effects, undeclared objects, drift, impact on
 * what pages load. Empty: no changes and no undeclared objects.
 */
export function verdictOf(view: PlanView): readonly Phrase[] {
  const { document, changes } = view;
  const undeclared = undeclaredPhrase(document.unmanaged);
  const failed = phrase(toned("error", failedText(view)));
  const parts =
    changes.length === 0
      ? [...(undeclared.length === 0 ? [] : [failed]), undeclared]
      : [
          phrase(toned("error", refusalText(view))),
          failed,
          donePhrase(view),
          undeclared,
          originsPhrase(view),
          ...impactPhrases(view),
        ];
  return parts.filter((part) => part.length > 0);
}

/** The counts of effects, of the plan or of drift: `2 weaken`, `1 change outside the files weakens protection`. */
export function donePhrase({ changes, words }: PlanView): Phrase {
  const counted = countedPhrase(changes);
  if (words.suffix === "" || changes.length === 0) return counted;
  const [first, ...others] = changes;
  const lead = `${count(changes.length, "change")}${words.suffix}`;
  return first !== undefined && others.length === 0
    ? phrase(lead, " ", toned(first.tone, EFFECTS[first.effect].predicate))
    : phrase(lead, ": ", counted);
}

/** `2 weaken, 1 strengthens`. */
function countedPhrase(all: readonly { readonly effect: Effect }[]): Phrase {
  const counts = WORST_FIRST.map((effect) => {
    const n = all.filter((each) => each.effect === effect).length;
    const { tone, plural } = EFFECTS[effect];
    return n === 0 ? [] : [toned(tone, `${n} ${n === 1 ? effect : plural}`)];
  });
  return listed(counts, ", ");
}

/** The number of undeclared objects, with their effects; empty: none. */
export function undeclaredPhrase(unmanaged: readonly UnmanagedObject[]): Phrase {
  const undeclared = notListed(unmanaged);
  if (undeclared.length === 0) return [];
  return phrase(`${count(undeclared.length, "undeclared live object")} (`, countedPhrase(undeclared), ")");
}

/** `1 in conflict, 1 drifted, 2 already live`. A change that is live already meets no conflict any more. */
function originsPhrase({ changes, words }: PlanView): Phrase {
  const pending = changes.filter(({ change }) => change.taken_over !== true);
  const live = changes.filter(({ change }) => change.taken_over === true);
  const applied = live.filter(({ change }) => change.applied === true);
  const counts = [
    ...ORIGINS.filter(([origin]) => words.origins.counted.includes(origin)).map(
      ([origin, text]) => [pending.filter(({ change }) => change.origin === origin).length, text] as const,
    ),
    [live.length - applied.length, "already live"] as const,
    [applied.length, "already applied"] as const,
  ];
  const texts = counts.filter(([n]) => n > 0).map(([n, text]) => `${n} ${text}`);
  return phrase(toned("warning", texts.join(", ")));
}

const ORIGINS = [
  ["conflict", "in conflict"],
  ["drift", "drifted"],
  ["mixed", "partly drifted"],
] as const;

/** `apply would be refused by guardrails deletes, weakens`; empty: by none. */
function refusalText({ document: { guardrails }, words }: PlanView): string {
  const names = [...new Set(guardrails.filter(({ allowed }) => !allowed).map(({ name }) => plain(name)))];
  return [...groupBy(names, words.refusal)]
    .map(([refusal, of]) => `${refusal} ${of.length === 1 ? "guardrail" : "guardrails"} ${of.join(", ")}`)
    .join("; ");
}

/** `1 of 3 zones could not be planned, 1 only partly planned`; empty: no failures. */
export function failedText({ document: { zones }, words }: PlanView): string {
  const failures = (["failed", "partly"] as const).flatMap((status) => {
    const n = zones.filter((zone) => zone.status === status).length;
    return n === 0 ? [] : [{ n, words: words[status] }];
  });
  const texts = failures.map((failure, index) => {
    const ofAll = failure.n === zones.length ? "" : `of ${zones.length} `;
    const noun = ofAll === "" && failure.n === 1 ? "zone" : "zones";
    return index > 0 ? `${failure.n} ${failure.words}` : `${failure.n} ${ofAll}${noun} ${failure.words}`;
  });
  return texts.join(", ");
}

/** The verdict when nothing changes. Failed zones are not called unchanged. */
export function nothingText(view: PlanView): string {
  const { document } = view;
  const failed = failedText(view);
  const undeclared = bare(undeclaredPhrase(document.unmanaged));
  const undeclaredSuffix = undeclared === "" ? "" : `; ${undeclared}`;
  const nothing = `${nothingIn(view)}${notComparedText(document)}`;
  if (failed === "") return `${nothing}${undeclaredSuffix}`;
  const planned = document.zones.filter(({ status }) => status === "planned").length;
  const isPart = document.zones.some(({ status }) => status === "partly");
  if (planned === 0 && !isPart) return failed;
  const where = isPart ? "in the rest" : `in the other${planned === 1 ? "" : ` ${count(planned, "zone")}`}`;
  return `${failed}; ${nothing} ${where}${undeclaredSuffix}`;
}

/** Fields that were not compared are not called unchanged. */
function nothingIn({ document: { summary, inputs }, words }: PlanView): string {
  const nothing = summary.not_listed > 0 ? words.nothingDeclared : words.nothing;
  return inputs.not_compared === undefined ? nothing : `${nothing} in the compared fields`;
}

/** The verdict again, and the numbers: the last line. Of a long verdict, only its worst statement. */
export function summaryPhrase(view: PlanView): Phrase {
  const verdict = verdictOf(view);
  const counts = countsPhrase(view);
  if (verdict.length === 0 || view.changes.length === 0) return counts;
  const whole = phrase(listed(verdict, "; "), ". ", counts);
  return bare(whole).length <= LINE_CHARS ? whole : phrase(listed(verdict.slice(0, 1), ""), ". ", counts);
}

const LINE_CHARS = 200;

/** Numbers of changes, calls and requests, in one line. */
export function countsPhrase(view: PlanView): Phrase {
  const { document, words, changes } = view;
  const { unchanged, calls, requests, zones: all } = document.summary;
  const failed = document.zones.filter(({ status }) => status === "failed").length;
  const failures = phrase(toned("error", failedText(view)));
  if (failed === all && failed > 0) return phrase(failures, ".");
  const counts = `${objectsText(view)}, ${unchanged} unchanged${notComparedText(document)} in ${count(all - failed, "zone")}`;
  const callsText = calls === 0 ? "" : `${count(calls, "API call")} ${words.calls}; `;
  const requestsText = `${words.requests} ${count(requests, "request")}`;
  // With changes, the verdict names the failures.
  const first = changes.length === 0 ? listed([failures, phrase(counts)], "; ") : phrase(counts);
  return phrase(first, `. ${capital(`${callsText}${requestsText}`)}.`);
}

/** The number of fields that were not compared, for lack of their secrets. */
export function notComparedText({ inputs: { not_compared = [] } }: PlanDocument): string {
  return not_compared.length === 0 ? "" : `, ${count(not_compared.length, "field")} not compared`;
}

function objectsText(view: PlanView): string {
  const { document, words } = view;
  const { summary, changes } = document;
  const { create, update, delete: deletes, taken_over: live = 0, not_listed: notListed } = summary;
  if (create + update + deletes + live === 0) return nothingIn(view);
  const replaced = changes.filter(({ replaces }) => replaces === true).length;
  const applied = changes.filter((each) => each.applied === true).length;
  return words.objects({
    create,
    update,
    delete: deletes,
    replaced,
    takenOver: live - applied,
    applied,
    notListed,
  });
}

/** Which zones and objects a narrowed plan has. Empty: the plan is not narrowed. */
export function narrowedText({ document: { inputs, summary } }: PlanView): string {
  return joined([namedText(inputs, summary), inputs.changed === true ? changedText(summary) : ""], " ");
}

function joined(texts: readonly string[], between: string): string {
  return texts.filter((text) => text !== "").join(between);
}

/** `Only policy/Checkout* in shop.* of the plan sha256:…; 3 other zones left out.` */
function namedText({ zones, only = [], part_of }: PlanInputs, { left_out: n }: PlanSummary): string {
  if (zones.length + only.length === 0 && part_of === undefined) return "";
  const places = [only, zones].filter((each) => each.length > 0).map(namesText);
  const named = places.length === 0 ? "" : `Only ${places.join(" in ")}`;
  const whole = part_of === undefined ? "" : ` of the plan ${plain(part_of, NAME_CHARS)}`;
  const rest = n === undefined ? "" : `; ${n === 0 ? "no other zone" : count(n, "other zone")} left out`;
  return `${named === "" ? "A part" : named}${whole}${rest}.`;
}

const NAME_CHARS = 100;

function namesText(all: readonly string[]): string {
  return firstFew(all, MAX_NAMED, (name) => plain(name, NAME_CHARS));
}

function changedText({ as_in_base: asInBase = 0 }: PlanSummary): string {
  const rest = asInBase === 0 ? "no zone left out" : `${count(asInBase, "zone")} as in the base, not read`;
  return `Only changed zones; ${rest}.`;
}

/** A remark on a run without a base. Empty: no remark, or the base could not be read, which is an error of its own. */
export function withoutBaseText(view: PlanView): string {
  const { base, changes, diagnostics } = view.document;
  const { withoutBase } = view.words;
  const isUnread = diagnostics.some(({ code }) => code === "base_not_read" || code === "base_without_files");
  if (changes.length === 0 || base !== undefined || isUnread || withoutBase === null) return "";
  return spell(view, withoutBase);
}

/** How to undo or keep the changes. Empty: not shown. */
export function undoText(view: PlanView): string {
  const { undo, undeclaredNote } = view.words;
  const { changes, document } = view;
  const isHeld = document.diagnostics.some(({ code }) => code === "challenge_missing");
  const ofChanges = [spell(view, undo ?? ""), undo !== null && isHeld ? HELD : ""];
  const undeclared = document.summary.not_listed === 0 ? null : undeclaredNote;
  return joined([...(changes.length === 0 ? [] : ofChanges), undeclared ?? ""], " ");
}

const HELD = "A log-push job without an ownership proof stays unchanged: see the warnings.";

/** The sums of one kind of load. Blocked malicious loads are a gain, and no breakage: they are counted apart. */
interface KindSums extends ImpactSums {
  readonly noun: string;
  readonly malicious_blocked: number;
}

function kindSums(impact: ImpactSummary, { changes }: PlanDocument): readonly KindSums[] {
  return (["script", "connection"] as const).map((noun) => {
    const kind = `${noun}s` as const;
    const blocked = changes.flatMap((change) => change.impact?.[kind]?.newly_blocked ?? []);
    const malicious = blocked.filter((each) => each.malicious === true).length;
    const sums = impact[kind];
    // The sums of a forged plan may be too small.
    const others = Math.max(0, sums.newly_blocked - malicious);
    return { ...sums, noun, newly_blocked: others, malicious_blocked: malicious };
  });
}

/** `3 of 41 scripts in use and 1 of 12 connections in use`: kinds without a text are left out. */
function ofKinds(kinds: readonly KindSums[], textOf: (kind: KindSums) => string): string {
  return joined(kinds.map(textOf), " and ");
}

function impactPhrases({ document, words }: PlanView): readonly Phrase[] {
  const { impact } = document.summary;
  if (impact === null) return [];
  const kinds = kindSums(impact, document);
  const { unread, unseen = [] } = impact;
  const undecided = ofKinds(kinds, countOf("undecided"));
  return [
    movesPhrase(kinds, unread.length + unseen.length > 0, words.impact),
    phrase(toned("unclear", undecided === "" ? "" : `${undecided} undecided`)),
    evidencePhrase(unread, "was not read in full"),
    evidencePhrase(unseen, "is incomplete"),
  ];
}

type Sum = Exclude<keyof ImpactSums, "only_reported"> | "malicious_blocked";

/** `2 scripts`; empty: none. */
function countOf(sum: Sum, adjective = ""): (kind: KindSums) => string {
  return (kind) => (kind[sum] === 0 ? "" : count(kind[sum], `${adjective}${kind.noun}`));
}

/** `41 scripts in use`; `41 scripts (2 only reported)`: reports do not prove that a script is in use. */
function triedText({ tried, noun, only_reported: reported = 0 }: KindSums): string {
  return `${count(tried, noun)} ${reported === 0 ? "in use" : `(${reported} only reported)`}`;
}

/** `would block 3 of 41 scripts in use, report 2 scripts`. Malicious scripts that would be allowed come first. */
function movesPhrase(kinds: readonly KindSums[], isOpen: boolean, words: ImpactWords): Phrase {
  const tried = ofKinds(kinds, (kind) => (kind.tried === 0 ? "" : triedText(kind)));
  if (tried === "") return isOpen ? [] : phrase("no impact: no script or connection seen on these pages");
  const malicious = kinds.reduce((sum, each) => sum + each.malicious_allowed, 0);
  const inOrder = malicious > 0 ? MOVES.toReversed() : MOVES;
  const moves = inOrder.filter((sum) => kinds.some((kind) => kind[sum] > 0));
  const blocked = ofKinds(kinds, countOf("malicious_blocked", "malicious "));
  if (moves.length === 0 && blocked === "") return phrase(`no impact on ${tried}`);
  const phrases = moves.map((sum, index) => {
    const share = (kind: KindSums) => (kind[sum] === 0 ? "" : `${kind[sum]} of ${triedText(kind)}`);
    const text = `${words[sum]} ${ofKinds(kinds, index === 0 ? share : countOf(sum))}`;
    if (sum === "newly_allowed" && malicious > 0)
      return phrase(toned("error", `${text} (${malicious} malicious)`));
    return phrase(sum === "newly_blocked" ? toned("unclear", text) : text);
  });
  const gain = phrase(toned("stronger", blocked === "" ? "" : `${words.newly_blocked} ${blocked}`));
  return phrase(words.does, listed([...phrases, gain], ", "));
}

const MOVES = ["newly_blocked", "newly_reported", "newly_allowed"] as const;

const MAX_NAMED = 3;

function evidencePhrase(zones: readonly string[], what: string): Phrase {
  const names =
    zones.length > MAX_NAMED ? count(zones.length, "zone") : zones.map((each) => plain(each)).join(", ");
  return phrase(toned("warning", zones.length === 0 ? "" : `evidence for ${names} ${what}`));
}
