import { DASHBOARD_ADDRESS } from "../model/dashboard.js";
import { type Group, groupBy } from "../model/group-by.js";
import type { Json } from "../model/json.js";
import { type Sentences, type Spelling, says, textOf } from "../model/sentence.js";
import type {
  Diagnostic,
  Effect,
  PlanDocument,
  PlannedCall,
  PlannedChange,
  PlannedDimension,
  PlannedField,
  PlannedPart,
  PlannedZone,
  SourcePlace,
  UnmanagedObject,
} from "../plan/generated/plan-document.js";
import { type Columns, columnsOf, type FieldTerms } from "./columns.js";
import {
  type FoldedGuardrail,
  type FoldedMessage,
  fold,
  foldGuardrails,
  foldMessages,
  ofAnyZone,
} from "./fold.js";
import type { Tone } from "./palette.js";
import { plain } from "./plain.js";
import { movedTexts } from "./request-lines.js";
import { NO_LONGER_MANAGED, reviewFirst } from "./review-first.js";
import { witnessText } from "./values.js";
import { whoText } from "./who-text.js";
import { type About, actionNameOf, TONES, WORDS, WORST_FIRST, type Words } from "./words.js";

/**
 * A plan document as it is shown, decided once for every format: what a change is called, what leads it, which way it
 * goes, what comes first, and which changes are the same. A format draws it and decides nothing.
 */
export interface PlanView extends FieldTerms {
  readonly about: About;
  readonly words: Words;
  /** How the shell that shows it names the program's options. */
  readonly spelling: Spelling;
  /** In the registry's order. */
  readonly kinds: readonly KindName[];
  /** For its identity, its sums and its calls. */
  readonly document: PlanDocument;
  /** In the document's order: a change's `n` is its index. */
  readonly changes: readonly ChangeView[];
  /** The same changes folded over zones, the worst first. */
  readonly groups: readonly ChangeGroup[];
  /** All of them, those with the worst changes first. */
  readonly zones: readonly ZoneView[];
  readonly messages: Messages;
}

/** What is said beside the changes, once for all zones that it is said of. */
export interface Messages {
  /** What changes the review itself. */
  readonly first: readonly Diagnostic[];
  /** Those that stand, then those that were lifted. */
  readonly guardrails: readonly FoldedGuardrail[];
  /** What could not be planned, and why; and all other errors. */
  readonly errors: readonly FoldedMessage[];
  /** And notes, behind them. */
  readonly warnings: readonly FoldedMessage[];
  /** What would be a warning, had the files not accepted it. */
  readonly accepted: readonly FoldedMessage[];
}

export interface KindName {
  readonly name: string;
  readonly section: string;
}

export interface ChangeView {
  readonly n: number;
  /** As it is told: of drift, what was done outside the files, and not the way back. */
  readonly change: PlannedChange;
  /** What it does to protection; of drift, what was done outside the files. */
  readonly effect: Effect;
  readonly tone: Tone;
  /** `~ weakens`; of drift, `+ weakened outside the files (added)`. */
  readonly lead: string;
  /** `update`. */
  readonly verb: string;
  /** `updated`, once it is. */
  readonly pastVerb: string;
  /** `Update`, as a title begins. */
  readonly title: string;
  /** `would be updated`. */
  readonly sentence: string;
  /** What is to be said of where it comes from, and who made it; not escaped. Null: nothing. */
  readonly origin: string | null;
  /** Where the files say it, or the base did; null: neither. */
  readonly place: string | null;
  /** Where a reviewer looks for it: the first line of the files that it changes; null: there is none. */
  readonly line: SourcePlace | null;
  /** The live object's, where its name does not tell it from others; null: it need not be shown. */
  readonly id: string | null;
  readonly reasons: Reasons;
  /** Without those that its title says already. */
  readonly fields: readonly FieldView[];
  /** Where the service's dashboard shows it; null: it was not changed there, or it is not known. */
  readonly dashboard: string | null;
}

/** What a change does to protection. */
interface Reasons {
  /** What each is of, where it is not what is told: `going back: `. */
  readonly lead: string;
  readonly dimensions: readonly PlannedDimension[];
}

/** A field from before to after. */
export interface FieldView extends PlannedField {
  /** Of one that was changed in the files and outside them, all three states instead. Null: it has two sides. */
  readonly columns: readonly Columns[] | null;
}

/** What the program knows of its kinds and options, for whoever shows a document. */
type Terms = Pick<PlanView, "explain" | "kinds" | "partsOf" | "spelling">;

/** The same change in one zone or in many. */
export interface ChangeGroup {
  readonly effect: Effect;
  /** In the document's order. What they are called, their reasons and their fields are those of the first. */
  readonly members: readonly [ChangeView, ...ChangeView[]];
  /** What lines of requests say of it, in all of its zones; not escaped. Nothing where none were given. */
  readonly requests: readonly string[];
}

/** A zone with everything that is its own. */
export interface ZoneView {
  /** Its place in the document. */
  readonly n: number;
  readonly zone: PlannedZone;
  readonly changes: readonly ChangeView[];
  readonly calls: readonly PlannedCall[];
  readonly unmanaged: readonly UnmanagedObject[];
  /** What was taken out of the files and stays live. */
  readonly noLongerManaged: readonly Diagnostic[];
}

export function viewOf(document: PlanDocument, about: About, terms: Terms): PlanView {
  const words = WORDS[about];
  const changes = document.changes.map((change, n) => changeView(change, n, about, terms));
  return {
    about,
    words,
    ...terms,
    document,
    changes,
    groups: inOrder(
      fold(changes).map((members) => ({
        effect: members[0].effect,
        members: withCommonTexts(members, about, document, terms),
        requests: members.some(({ change }) => change.request_lines !== undefined) ? movedTexts(members) : [],
      })),
      rank,
    ),
    zones: zoneViews(document, changes),
    messages: messagesOf(document),
  };
}

/** What is shown of several is what they have in common. */
function withCommonTexts(
  members: Group<ChangeView>,
  about: About,
  { changes }: PlanDocument,
  terms: Terms,
): Group<ChangeView> {
  const [first, ...otherMembers] = members;
  const planned = changes[first.n];
  if (otherMembers.length === 0 || planned === undefined) return members;
  return [changeView(ofAnyZone(planned), first.n, about, terms), ...otherMembers];
}

function changeView(planned: PlannedChange, n: number, about: About, terms: Terms): ChangeView {
  const words = WORDS[about];
  const { change, effect, reasons } = directionOf(planned, about, words);
  const actionName = actionNameOf(change);
  return {
    n,
    change,
    effect,
    tone: TONES[effect],
    lead: `${words.signs[actionName]} ${words.leads[effect]}${words.leadNotes[actionName]}`,
    verb: words.verbs[actionName],
    pastVerb: words.pastVerbs[actionName],
    title: words.titles[actionName],
    sentence: words.sentences[actionName],
    origin: originAndWho(change, words),
    place: placeText(change),
    line: lineOf(change),
    // Names need not be unique in the live state.
    id: planned.action === "delete" || actionName === "replace" ? change.id : null,
    reasons,
    fields: change.fields.flatMap((field, index) =>
      isInTitle(change, field) ? [] : [{ ...field, columns: columnsAt(index, planned, about, terms) }],
    ),
    dashboard: linkIn(planned),
  };
}

/** What is told of a change, in the direction in which it is. */
function directionOf(
  planned: PlannedChange,
  about: About,
  { backLead }: Words,
): Pick<ChangeView, "change" | "effect" | "reasons"> {
  const { effect, drift_effect: effectOutside = "unknown", dimensions, drift_dimensions: outside } = planned;
  if (about !== "drift") return { change: planned, effect, reasons: { lead: backLead, dimensions } };
  // An older plan says only what going back does.
  const reasons = outside === undefined ? { lead: backLead, dimensions } : { lead: "", dimensions: outside };
  return { change: reversed(planned), effect: effectOutside, reasons };
}

/** A change back, the other way round: from what was there, as the files or the base say, to what is live. */
function reversed(back: PlannedChange): PlannedChange {
  const { key, was, action, fields } = back;
  return {
    ...back,
    ...(was === undefined ? {} : { key: was, was: key }),
    action: REVERSE_ACTIONS[action],
    fields: fields.map((field) => {
      const { before, after, base = after, parts } = field;
      return {
        ...field,
        // What was deleted was as the base says.
        before: action === "create" ? base : after,
        after: before,
        ...(parts === undefined ? {} : { parts: parts.map(reversedPart) }),
      };
    }),
  };
}

const REVERSE_ACTIONS = { create: "delete", update: "update", delete: "create" } as const;

function reversedPart({ part, change, added, removed }: PlannedPart): PlannedPart {
  return { part, change: REVERSE_PART_CHANGES[change], added: removed, removed: added };
}

const REVERSE_PART_CHANGES = { added: "removed", removed: "added", changed: "changed" } as const;

/** What is live is no longer once it is applied. */
function columnsAt(
  index: number,
  planned: PlannedChange,
  about: About,
  terms: Terms,
): readonly Columns[] | null {
  const field = planned.fields[index];
  return field === undefined || about === "applied" ? null : columnsOf(planned, field, terms);
}

/** Where a file that somebody has written leads elsewhere, it leads nowhere. */
export function linkIn({ dashboard }: Pick<PlannedChange, "dashboard">): string | null {
  return dashboard !== undefined && ADDRESS.test(dashboard) ? dashboard : null;
}

const ADDRESS = new RegExp(DASHBOARD_ADDRESS);

/** The name of an object that is new, renamed or deleted already stands in its title. */
function isInTitle({ key, was, action, fields }: PlannedChange, field: PlannedField): boolean {
  if (action === "delete") return fields.find(({ before }) => before === key) === field;
  if (fields.find(({ after }) => after === key) !== field) return false;
  return action === "create" || (was !== undefined && field.before === was);
}

/** Inside of what a change touched, where reviews show what is said of a line. */
function lineOf({ fields, source }: PlannedChange): SourcePlace | null {
  const declared = fields.filter(({ origin }) => origin !== "drift");
  return [...declared, ...fields].find((field) => field.source !== undefined)?.source ?? source;
}

function messagesOf({ diagnostics, zones, guardrails }: PlanDocument): Messages {
  const { first, others } = reviewFirst(diagnostics);
  const failures = zones.flatMap(({ problem }) => problem ?? []);
  const errors = [...failures, ...others.filter(({ severity }) => severity === "error")];
  const once = new Map(
    errors.map((error) => [JSON.stringify([error.zone, error.code, error.message]), error]),
  );
  return {
    first,
    guardrails: foldGuardrails(guardrails),
    errors: foldMessages([...once.values()]),
    warnings: (["warning", "note"] as const).flatMap((level) =>
      foldMessages(others.filter(({ severity, accepted }) => severity === level && accepted === undefined)),
    ),
    accepted: foldMessages(others.filter(({ accepted }) => accepted !== undefined)),
  };
}

function zoneViews(document: PlanDocument, all: readonly ChangeView[]): readonly ZoneView[] {
  const changes = groupBy(all, ({ change }) => change.zone);
  const calls = groupBy(document.calls, ({ zone }) => zone);
  const unmanaged = groupBy(document.unmanaged, ({ zone }) => zone);
  const noLongerManaged = groupBy(
    document.diagnostics.filter(({ code }) => NO_LONGER_MANAGED.has(code)),
    ({ zone }) => zone,
  );
  const zones = document.zones.map((zone, n) => ({
    n,
    zone,
    changes: inOrder(changes.get(zone.zone) ?? [], rank),
    calls: calls.get(zone.zone) ?? [],
    unmanaged: unmanaged.get(zone.zone) ?? [],
    noLongerManaged: noLongerManaged.get(zone.zone) ?? [],
  }));
  return inOrder(zones, ({ changes: [worst] }) => (worst === undefined ? WORST_FIRST.length : rank(worst)));
}

/** What has the lowest rank first; of the same rank, as it was. */
function inOrder<Each>(all: readonly Each[], rankOf: (each: Each) => number): readonly Each[] {
  return all.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rank({ effect }: { readonly effect: Effect }): number {
  return WORST_FIRST.indexOf(effect);
}

function originAndWho(change: PlannedChange, { origins }: Words): string | null {
  const origin = origins.shown.includes(change.origin) ? originText(change) : null;
  return [origin, whoText(change.who)].filter((each) => each !== null).join("; ") || null;
}

/** What is to be said of where a change comes from; null: it comes from the files, or nobody knows. */
function originText({ origin, action, drift_effect, taken_over, removed }: PlannedChange): string | null {
  if (taken_over === true)
    return `${OUTSIDE_ACTIONS[action]} outside the files, and ${removed === undefined && action !== "delete" ? "declared now" : "no longer declared"}`;
  const text = ORIGINS[origin];
  if (text === null || drift_effect === undefined) return text;
  return `${text}; ${OUTSIDE_EFFECTS[drift_effect]}`;
}

const OUTSIDE_ACTIONS: { readonly [action in PlannedChange["action"]]: string } = {
  create: "created",
  update: "changed",
  delete: "deleted",
};

const ORIGINS: { readonly [origin in PlannedChange["origin"]]: string | null } = {
  declared: null,
  unknown: null,
  drift: "drift: changed outside the files",
  conflict: "conflict: changed in the files and outside them",
  mixed: "mixed: partly changed outside the files",
};

type DriftEffect = NonNullable<PlannedChange["drift_effect"]>;

const OUTSIDE_EFFECTS: { readonly [effect in DriftEffect]: string } = {
  weakens: "what was done there weakened protection",
  strengthens: "what was done there strengthened protection",
  mixed: "what was done there weakened and strengthened protection",
  neutral: "what was done there did nothing to protection",
  unknown: "nobody can tell what was done there to protection",
};

/** Of a change whose fields come from different places, where this one comes from; null: nothing to be said. */
export function fieldOriginText({ origin }: PlannedChange, field: PlannedField): string | null {
  if (origin !== "mixed") return null;
  return field.origin === "drift" || field.origin === "conflict" ? field.origin : null;
}

/** Where the files say it: of what is deleted because they no longer do, where the base did. */
function placeText({ source, removed }: PlannedChange): string | null {
  if (removed !== undefined) return `no longer in ${removed.file}:${removed.line} (base)`;
  return source === null ? null : `${source.file}:${source.line}`;
}

/** What is said, with options as the shell names them that shows it. */
export function spell({ spelling }: Pick<PlanView, "spelling">, sentences: string | Sentences): string {
  return textOf(sentences, spelling);
}

/** Of what is shown in part. */
export function moreText(n: number, view: PlanView): string {
  return spell(
    view,
    says`and ${`${n}`} more${{ flag: "format", value: "json", lead: ": ", tail: " has all" }}`,
  );
}

/** One thing that shows what a change does; of a change in many zones, with the zone that it is of. Null: none is known. */
export function exampleText(
  witness: PlannedDimension["witness"],
  { members: [{ change }, ...otherMembers] }: ChangeGroup,
): string | null {
  const text = witnessText(witness);
  return text === null || otherMembers.length === 0 ? text : `in ${plain(change.zone)}: ${text}`;
}

/** A field's value in the words of its kind, where it has some. */
export function wording(
  { explain }: Pick<PlanView, "explain">,
  { kind }: PlannedChange,
  { path }: PlannedField,
  value: unknown,
): unknown {
  return explain(kind, path, value as Json) ?? value; // documents are JSON
}
