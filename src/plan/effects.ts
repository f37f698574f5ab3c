import { type Kind, type PendingChange, rulesAt } from "../kinds/kind.js";
import { descriptionOf, ruleId } from "../kinds/phase.js";
import { hindrancesOf, switchedOn } from "../kinds/switched-on.js";
import type { KindState } from "../match/match.js";
import { type Item, isDrift, originOf, type Triple } from "../model/item.js";
import { type JsonObject, without } from "../model/json.js";
import type { Change, FieldChange } from "../model/plan.js";
import { type Dimensions, type Hindrance, SERVICE, type Shift } from "../model/strength.js";
import type { ZoneState } from "../model/zone-state.js";
import {
  type ComparedLists,
  compareLists,
  exceptions,
  type ListStep,
  redirects,
  requirementShifts,
  shifts,
  withHindrances,
  withOwnReasons,
} from "../strength/index.js";

/** The zone's objects, as far as they count for the effect of one change. */
export interface OtherObjects {
  /** The ids of live objects that the files declare. */
  readonly declared: ReadonlySet<string>;
  /** The ids of live objects to delete. */
  readonly going: ReadonlySet<string>;
  /** The ids of live objects that were switched off outside the files. */
  readonly offOutside: ReadonlySet<string>;
  /** Whether a policy evaluates trusted types where they are required, before or after. */
  mayEvaluate(): boolean;
  /** The zone's lists of rules, which may let requests skip objects. */
  readonly rules: { readonly before: ZoneState["rules"]; readonly after: ZoneState["rules"] };
}

/** A change of a rule as a step of its list. Null: the list is unknown, and the rule counts alone. */
export interface RuleSteps {
  readonly change: ListStep | null;
  /** The change without undeclared rules, and with rules on that were switched off outside. Null: there are none. */
  readonly byFiles: ListStep | null;
  /** From the base to the files. */
  readonly sinceBase: ListStep | null;
  /** From the base to the live state. */
  readonly drift: ListStep | null;
  /** Earlier rules of the list by which requests skip the rule. The steps have counted them. */
  readonly skips: readonly Hindrance[];
}

export interface Around extends OtherObjects {
  /** Null: the object is no rule, or its effect does not depend on the list. */
  readonly inList: RuleSteps | null;
}

/** An object of a kind before and after a change, with all that decides its effect. */
interface Compared {
  readonly kind: Kind;
  readonly context: unknown;
  readonly triple: Triple;
  readonly zone: string;
  readonly around: Around;
  readonly dimensions: Strengths;
}

type Strengths = (item: Item) => Dimensions;

/** The effect of one change on protection. */
export function effectsOf(
  { kind, base, live: { context } }: Pick<KindState, "kind" | "base" | "live">,
  { triple, fields }: PendingChange,
  zone: string,
  around: Around,
  shownShifts: readonly Shift[],
): Pick<Change, "shifts" | "blocking" | "redirects" | "drift"> {
  const { declared, inList } = around;
  const { want, live, inBase } = triple;
  // The live object has on what the wanted one has on.
  const on = (item: Item | null) =>
    item === null || want === null ? null : switchedOn(kind, { ...item, owns: want.owns }, context);
  const wantedOn = on(want);
  const isWanted = (item: Item) => item === want || item === wantedOn;
  const reviewed = (item: Item) =>
    base.is === "read" && isWanted(item) ? ownedInBoth(item, triple.base) : item;
  const dimensions: Strengths = (item) => kind.dimensions(reviewed(item), context);
  const compared: Compared = { kind, context, triple, zone, around, dimensions };
  const inStep = (step: ListStep | null | undefined) =>
    step ? compareLists(step.before, step.after, zone) : null;
  const sinceBase =
    inBase === undefined ? null : effectBetween(compared, inBase, want, inStep(inList?.sinceBase));
  const ofChange = inStep(inList?.change);
  const ofFiles = inStep(inList?.byFiles)?.shifts;
  const inZone = effectBetween(compared, live, want, ofChange);
  const byFiles =
    wantedOn === null
      ? (ofFiles ?? [])
      : shiftsBetween(compared, on(live) ?? live, wantedOn, dimensions, ofFiles ?? null);
  const ownShifts = withLosses(inZone.shifts, byFiles, [], "by the files alone");
  const changeShifts = [
    ...withLosses(ownShifts, sinceBase?.shifts ?? [], shownShifts, "since the base"),
    ...exceptions(inList?.skips ?? [], declared),
    ...notKnown(compared),
  ];
  const blockingOf: Strengths = (item) => kind.blocking?.(item, context) ?? {};
  const blocking = shiftsBetween(compared, live, want, blockingOf, ofChange?.blocking ?? null);
  return {
    shifts: changeShifts,
    blocking: withOwnReasons(blocking, changeShifts),
    redirects: [...new Set([...inZone.redirects, ...(sinceBase?.redirects ?? [])])],
    drift: hasChangesOutside(triple, fields)
      ? effectBetween(compared, triple.base, live, inStep(inList?.drift))
      : null,
  };
}

/** @param lists the lists that have the object as a rule. Null: the object counts alone */
function effectBetween(
  compared: Compared,
  a: Item | null,
  b: Item | null,
  lists: ComparedLists | null,
): Pick<Change, "shifts" | "redirects"> {
  const { zone, around, dimensions } = compared;
  const ofObject = shiftsBetween(compared, a, b, dimensions, lists?.shifts ?? null);
  const [from, to] = [hindrancesIn(compared, a), hindrancesIn(compared, b)];
  return {
    shifts: withHindrances(ofObject, from, to, around.declared, zone),
    redirects: redirects(a === null ? {} : dimensions(a), b === null ? {} : dimensions(b)),
  };
}

/**
 * The shifts from one state of the object to another.
 *
 * @param ofList the shifts of the list that has the object as a rule. Null: the object counts alone
 */
function shiftsBetween(
  compared: Compared,
  a: Item | null,
  b: Item | null,
  strengths: Strengths,
  ofList: readonly Shift[] | null,
): readonly Shift[] {
  const { kind, context, zone, around } = compared;
  const at = rulesAt(kind);
  const judged =
    at?.judged?.by === "rule"
      ? at.judged.shifts(a?.normal ?? null, b?.normal ?? null, zone, rulesBehind(compared, at.phase.name, b))
      : ofList;
  const replaced = (item: Item) => (judged === null ? [] : Object.keys(kind.blocking?.(item, context) ?? {}));
  const of = (item: Item | null) => (item === null ? {} : without(strengths(item), replaced(item)));
  const [was, is] = [of(a), of(b)];
  const required = requirementShifts(was, is);
  return [
    ...(judged ?? []),
    ...shifts(was, is, zone),
    ...(required.length > 0 && around.mayEvaluate() ? required : []),
  ];
}

/** The live rules behind a rule, with rules on that were switched off outside. A new rule has a name and no id yet. */
function rulesBehind(
  { triple, around: { rules, offOutside } }: Compared,
  phase: string,
  item: Item | null,
): readonly JsonObject[] {
  if (item === null) return [];
  const list = (item === triple.live ? rules.before : rules.after).get(phase) ?? [];
  const id = item.ref.id ?? triple.live?.ref.id ?? null;
  const place = list.findIndex(
    (rule) => ruleId(rule) === id && (id !== null || descriptionOf(rule) === item.normal.description),
  );
  const behind = new Set(list.slice(place + 1).map(ruleId));
  const live = rules.before.get(phase) ?? [];
  return live
    .filter((rule) => behind.has(ruleId(rule)))
    .map((rule) => (offOutside.has(String(rule.id)) ? { ...rule, enabled: true } : rule));
}

function hindrancesIn(
  { kind, context, triple, around: { rules, going } }: Compared,
  item: Item | null,
): readonly Hindrance[] | null {
  if (item === null) return null;
  const lists = item === triple.want ? rules.after : rules.before;
  return hindrancesOf(kind, item, context, lists).filter(
    (each) => each.as === "off" || each.id === null || !going.has(each.id),
  );
}

/** Shifts of fields that could not be compared. */
function notKnown({ kind, triple, dimensions }: Compared): readonly Shift[] {
  const { live, newlyDeclared = [], notCompared = [] } = triple;
  return [
    ...newlyDeclared.map(({ name }) => unknownFor(kind, `the base does not declare ${name}`)),
    ...notCompared.map((why) => ({
      ...unknownFor(kind, `not compared with the live state: ${why}`),
      ...(live !== null && SERVICE in dimensions(live) ? { dimension: SERVICE } : {}),
    })),
  ];
}

export function unknownFor({ name }: Kind, why: string): Shift {
  return { dimension: name, way: "unknown", why, witness: null };
}

/** A declared object that owns only fields that the base owns too. Its other fields were not reviewed before this change. */
function ownedInBoth(want: Item, base: Item | null): Item {
  const before = base?.owns ?? "nothing";
  if (!Array.isArray(want.owns) || before === "all") return want;
  return { ...want, owns: before === "nothing" ? [] : want.owns.filter((field) => before.includes(field)) };
}

/**
 * Adds losses in dimensions that show none. Partly reverting a drift is no gain, so losses since the base are shown too; so
 * are losses that undeclared rules hide.
 *
 * @param shownShifts shifts that the plan shows already
 */
function withLosses(
  shifted: readonly Shift[],
  others: readonly Shift[],
  shownShifts: readonly Shift[],
  comparedHow: string,
): readonly Shift[] {
  const isLoss = ({ way }: Shift) => way !== "stronger" && way !== "neutral";
  const lost = new Set([...shifted, ...shownShifts].filter(isLoss).map(({ dimension }) => dimension));
  const more = others.filter((each) => isLoss(each) && !lost.has(each.dimension));
  // Without the facts, which the plan would show instead of the new reason.
  return [...shifted, ...more.map(({ facts, ...each }) => ({ ...each, why: `${comparedHow}: ${each.why}` }))];
}

function hasChangesOutside({ origins }: Triple, fields: readonly FieldChange[]): boolean {
  const all = [origins.rest, ...fields.map(({ path }) => originOf(origins, path))];
  return (fields.length === 0 ? all : all.slice(1)).some(isDrift);
}
