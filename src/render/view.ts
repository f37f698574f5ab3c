import { DASHBOARD_ADDRESS } from "../model/dashboard.js";
import { type Group, groupBy } from "../model/group-by.js";
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
import { type FieldTerms, type FieldView, fieldView } from "./field-view.js";
import {
  type FoldedGuardrail,
  type FoldedMessage,
  fold,
  foldGuardrails,
  foldMessages,
  ofAnyZone,
} from "./fold.js";
import { type ImpactView, impactView } from "./impact-moves.js";
import type { Tone } from "./palette.js";
import { movedTexts } from "./request-lines.js";
import { NO_LONGER_MANAGED, reviewFirst } from "./review-first.js";
import { plain } from "./safe-text.js";
import { isAlarming, notListed } from "./undeclared.js";
import { witnessText } from "./values.js";
import { whoText } from "./who-text.js";
import {
  type About,
  type ActionWords,
  actionNameOf,
  EFFECTS,
  WORDS,
  WORST_FIRST,
  type Words,
} from "./words.js";

/**
 * A plan document, ready to be shown: names, leads, direction, order and groups of changes are decided here, once for
 * every format.
 */
export interface PlanView {
  readonly about: About;
  readonly words: Words;
  /** How the shell (command line or Action) names the program's options. */
  readonly spelling: Spelling;
  /** In the registry's order. */
  readonly kinds: readonly KindName[];
  readonly document: PlanDocument;
  /** In the document's order, by which changes are numbered (`n`). */
  readonly changes: readonly ChangeView[];
  /** The changes, folded over zones, the worst first. */
  readonly groups: readonly ChangeGroup[];
  /** The number of each change → the number of the first change of its group. */
  readonly firstOf: ReadonlyMap<number, number>;
  /** All zones, those with the worst changes or undeclared objects first. */
  readonly zones: readonly ZoneView[];
  readonly messages: Messages;
}

/** Messages beside the changes, each once for all its zones. */
export interface Messages {
  /** Messages about changes to the review itself. */
  readonly first: readonly Diagnostic[];
  /** Guardrails that refuse, then lifted ones. */
  readonly guardrails: readonly FoldedGuardrail[];
  /** Failed zones and sections, then all other errors. */
  readonly errors: readonly FoldedMessage[];
  /** Warnings, then notes. */
  readonly warnings: readonly FoldedMessage[];
  /** Warnings that the files accept. */
  readonly accepted: readonly FoldedMessage[];
}

export interface KindName {
  readonly name: string;
  readonly section: string;
}

export interface ChangeView extends ActionWords {
  readonly n: number;
  /** As shown: for drift, the change outside the files, and not the way back. */
  readonly change: PlannedChange;
  /** The effect on protection. For drift: the effect of the change outside the files. */
  readonly effect: Effect;
  readonly tone: Tone;
  /** `~ weakens`; for drift, `+ weakens (added outside)`. */
  readonly lead: string;
  /** Its origin, and who made the change; not escaped. Null: nothing to show. */
  readonly origin: string | null;
  /** Where the files declare it, or the base did. Null: neither. */
  readonly place: string | null;
  /** The first line of the files that it changes. Null: none. */
  readonly line: SourcePlace | null;
  /** The id of the live object, where its name may not be unique. Null: not shown. */
  readonly id: string | null;
  readonly reasons: Reasons;
  /** Without fields that the title already shows. */
  readonly fields: readonly FieldView[];
  /** The object in the dashboard. Null: not changed there, or not known. */
  readonly dashboard: string | null;
}

/** The effect of a change on protection, by dimension. */
interface Reasons {
  /** A prefix where the reasons are about going back: `going back: `. */
  readonly lead: string;
  readonly dimensions: readonly PlannedDimension[];
}

/** What the program knows of its kinds and options, for showing a document. */
type Terms = FieldTerms & Pick<PlanView, "kinds" | "spelling">;

/** The same change in one zone or in many. */
export interface ChangeGroup {
  readonly effect: Effect;
  /** In the document's order. Texts shown for the group are those of the first member. */
  readonly members: readonly [ChangeView, ...ChangeView[]];
  /** Null: the change has no impact on what pages load. */
  readonly impact: ImpactView | null;
  /** What request logs say about the change, in all zones; not escaped. Empty: no logs were given. */
  readonly requests: readonly string[];
}

export interface ZoneView {
  /** Its index in the document. */
  readonly n: number;
  readonly zone: PlannedZone;
  readonly changes: readonly ChangeView[];
  readonly calls: readonly PlannedCall[];
  readonly unmanaged: readonly UnmanagedObject[];
  /** Removed from the files, and still live. */
  readonly noLongerManaged: readonly Diagnostic[];
}

export function viewOf(document: PlanDocument, about: About, terms: Terms): PlanView {
  const words = WORDS[about];
  const changes = document.changes.map((change, n) => changeView(change, n, about, terms));
  const folded = fold(changes);
  return {
    about,
    words,
    kinds: terms.kinds,
    spelling: terms.spelling,
    document,
    changes,
    groups: inOrder(
      folded.map((members) => ({
        effect: members[0].effect,
        members: withCommonTexts(members, about, document, terms),
        impact: impactOf(members),
        requests: movedTexts(members),
      })),
      rank,
    ),
    firstOf: new Map(folded.flatMap((members) => members.map(({ n }) => [n, members[0].n] as const))),
    zones: zoneViews(document, changes),
    messages: messagesOf(document),
  };
}

function impactOf(members: Group<ChangeView>): ImpactView | null {
  const impacts = members.flatMap(({ change }) => change.impact ?? []);
  return impacts.length === 0 ? null : impactView(impacts);
}

/** The first member of several shows only what all members share. */
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
  const action = words.actions[actionName];
  // After an apply there is no conflict left to show.
  const plannedField = (index: number) => (about === "applied" ? null : (planned.fields[index] ?? null));
  return {
    n,
    change,
    effect,
    tone: EFFECTS[effect].tone,
    ...action,
    lead: `${action.sign} ${effect}${action.leadNote}`,
    origin: originAndWho(change, words),
    place: placeText(change),
    line: lineOf(change),
    // Names of live objects need not be unique.
    id: planned.action === "delete" || actionName === "replace" ? change.id : null,
    reasons,
    fields: change.fields.flatMap((field, index) =>
      isInTitle(change, field) ? [] : [fieldView(change, field, plannedField(index), terms)],
    ),
    dashboard: linkIn(planned),
  };
}

/** A change in the direction in which the document shows it. */
function directionOf(
  planned: PlannedChange,
  about: About,
  { backLead }: Words,
): Pick<ChangeView, "change" | "effect" | "reasons"> {
  const { effect, drift_effect: effectOutside = "unknown", dimensions, drift_dimensions: outside } = planned;
  if (about !== "drift") return { change: planned, effect, reasons: { lead: backLead, dimensions } };
  // A plan of an older version only has the effect of going back.
  const reasons = outside === undefined ? { lead: backLead, dimensions } : { lead: "", dimensions: outside };
  return { change: reversed(planned), effect: effectOutside, reasons };
}

/** Reverses a change back: from the declared (or base) state to the live state. */
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
        // A deleted object was as in the base.
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

/** Only a link to the dashboard is kept: a plan document may be forged. */
export function linkIn({ dashboard }: Pick<PlannedChange, "dashboard">): string | null {
  return dashboard !== undefined && ADDRESS.test(dashboard) ? dashboard : null;
}

const ADDRESS = new RegExp(DASHBOARD_ADDRESS);

/** The title already shows the name of a new, renamed or deleted object. */
function isInTitle({ key, was, action, fields }: PlannedChange, field: PlannedField): boolean {
  if (action === "delete") return fields.find(({ before }) => before === key) === field;
  if (fields.find(({ after }) => after === key) !== field) return false;
  return action === "create" || (was !== undefined && field.before === was);
}

/** A changed line, since reviews only show comments at changed lines. */
function lineOf({ fields, source }: PlannedChange): SourcePlace | null {
  const declared = fields.filter(({ origin }) => origin !== "drift");
  return [...declared, ...fields].find((field) => field.source !== undefined)?.source ?? source;
}

function messagesOf({ diagnostics, zones, guardrails }: PlanDocument): Messages {
  const { first, others: rest } = reviewFirst(diagnostics);
  const failures = zones.flatMap(({ problem }) => problem ?? []);
  const errors = [...failures, ...rest.filter(({ severity }) => severity === "error")];
  const once = new Map(
    errors.map((error) => [JSON.stringify([error.zone, error.code, error.message]), error]),
  );
  return {
    first,
    guardrails: foldGuardrails(guardrails),
    errors: foldMessages([...once.values()]),
    warnings: (["warning", "note"] as const).flatMap((level) =>
      foldMessages(rest.filter(({ severity, accepted }) => severity === level && accepted === undefined)),
    ),
    accepted: foldMessages(rest.filter(({ accepted }) => accepted !== undefined)),
  };
}

function zoneViews(document: PlanDocument, all: readonly ChangeView[]): readonly ZoneView[] {
  const changes = groupBy(all, ({ change }) => change.zone);
  const calls = groupBy(document.calls, ({ zone }) => zone);
  const unmanaged = groupBy(document.unmanaged, ({ zone }) => zone);
  const noLongerManaged = groupBy(
    document.diagnostics.filter(({ code }) => NO_LONGER_MANAGED.includes(code)),
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
  return inOrder(zones, ({ changes: zoneChanges, unmanaged: objects }) =>
    Math.min(WORST_FIRST.length, ...[...zoneChanges, ...notListed(objects).filter(isAlarming)].map(rank)),
  );
}

/** Sorts by rank, and keeps the order within a rank. */
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

/** The origin of a change as a text. Null: declared or unknown. */
function originText({ origin, action, drift_effect, taken_over, removed }: PlannedChange): string | null {
  if (taken_over === true)
    return `${SINCE_BASE[action]} since the base, by an apply or outside the files; ${removed === undefined && action !== "delete" ? "live already as declared" : "no longer declared"}`;
  if (origin === "declared" || origin === "unknown") return null;
  const [text, remedy] =
    origin === "drift"
      ? [`drift: ${DRIFTED[action]} outside the files`, REMEDIES[action]]
      : [ORIGINS[origin]];
  const effect = drift_effect === undefined ? undefined : outsideText(drift_effect);
  return [text, effect, remedy].filter((each) => each !== undefined).join("; ");
}

/** The change made outside the files, which a plan undoes. */
const DRIFTED = { create: "deleted", update: "changed", delete: "created" } as const;

const REMEDIES = {
  create: "this plan recreates it",
  update: "this plan reverts it",
  delete: "this plan deletes it",
} as const;

/** No plan can tell an apply of the same change from a change made outside the files. */
const SINCE_BASE = { create: "created", update: "changed", delete: "deleted" } as const;

const ORIGINS = {
  conflict: "conflict: changed since the base, in the files and outside them",
  mixed: "includes drift: some fields were changed outside the files",
} as const;

function outsideText(effect: Effect): string {
  return effect === "unknown"
    ? "the effect of the outside change is unknown"
    : `the outside change ${EFFECTS[effect].predicate}`;
}

/** Where the files declare it. For a removed declaration: where the base declared it. */
function placeText({ source, removed }: PlannedChange): string | null {
  if (removed !== undefined) return `no longer in ${removed.file}:${removed.line} (base)`;
  return source === null ? null : `${source.file}:${source.line}`;
}

/** A message with the options as the shell names them. */
export function spell({ spelling }: Pick<PlanView, "spelling">, sentences: string | Sentences): string {
  return textOf(sentences, spelling);
}

/** The note at the end of a list that was cut. */
export function moreText(n: number, view: PlanView): string {
  return spell(
    view,
    says`and ${`${n}`} more${{ flag: "format", value: "json", lead: ": ", tail: " has all" }}`,
  );
}

/** An example of the effect of a change, with the zone where there are several. Null: none known. */
export function exampleText(
  witness: PlannedDimension["witness"],
  { members: [{ change }, ...otherMembers] }: ChangeGroup,
): string | null {
  const text = witnessText(witness);
  return text === null || otherMembers.length === 0 ? text : `in ${plain(change.zone)}: ${text}`;
}
