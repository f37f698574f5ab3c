import { type KindChanges, listAfter, ruleChanges } from "../calls/index.js";
import { namesWith } from "../kinds/fields.js";
import { type Kind, type PendingChange, POSITION, type RulesAt, rulesAt } from "../kinds/kind.js";
import { type Item, isDrift, originOf } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import { listSteps, type PlacedRule } from "../strength/index.js";
import { refOf } from "./change.js";
import type { OtherObjects, RuleSteps } from "./effects.js";

/** A rule as it acts, and as it would without what was done outside the files. */
interface Rule extends PlacedRule {
  readonly byFiles: PlacedRule["rule"];
}

type List = readonly Rule[];
type ToRule = (id: string, rule: JsonObject) => Rule;
/** The list by the files alone. */
type InFiles = (list: List) => readonly PlacedRule[];

/** A changed rule as the base has it. */
interface Former {
  readonly id: string;
  /** Null: the base lacks it. Undefined: unknown. */
  readonly inBase: Rule | null | undefined;
  /** Whether it was moved outside the files. */
  readonly isAstray: boolean;
}

/**
 * The steps of a kind's changes in its list of rules, by the number of the change. Together they have the effect of all
 * changes. Empty: the kind's objects are compared alone, because they are not judged by a list, or it could not be read.
 *
 * @param others read only if the kind's objects are compared in their list
 */
export function ruleSteps(
  sent: KindChanges,
  takenOver: readonly PendingChange[],
  others: () => Pick<OtherObjects, "declared" | "offOutside">,
): ReadonlyMap<number, RuleSteps> {
  const at = rulesAt(sent.kind);
  if (at?.judged?.by !== "list" || sent.live.context === null) return new Map();
  const { listed } = at.judged;
  const { declared, offOutside } = others();
  const toRule: ToRule = (id, rule) => ({
    id,
    rule: listed(rule),
    byFiles: listed(offOutside.has(id) ? { ...rule, enabled: true } : rule),
  });
  const { live, after } = listsOf(sent, at, toRule);
  const formers = formersOf(sent, takenOver, at, toRule);
  // The live list no longer shows where the base has a rule whose move is taken over.
  const base = takenOver.some(isAstray) ? null : listInBase(formers, live, after);
  const changed = new Set(formers.map(({ id }) => id));
  const isDeclared = ({ id }: Rule) => declared.has(id) || changed.has(id);
  const isByFiles = live.every((each) => isDeclared(each) && !offOutside.has(each.id));
  const inFiles: InFiles = (list) => list.filter(isDeclared).map((each) => ({ ...each, rule: each.byFiles }));
  const between = stepsBetween(isByFiles ? null : inFiles);
  const toAfter = between(live, after, sent.changes.map(idOf));
  const toLive = between(base, live, [...changed]);
  const sinceBase = between(base, after, [...changed]);
  const skips = (id: string) => skipsBefore(id, after) ?? skipsBefore(id, live) ?? [];
  const stepsOf = (id: string, isTaken: boolean): RuleSteps =>
    isTaken
      ? { ...toLive(id), sinceBase: null, drift: null, skips: skips(id) }
      : { ...toAfter(id), sinceBase: sinceBase(id).change, drift: toLive(id).change, skips: skips(id) };
  return new Map([
    ...sent.changes.map((each) => [each.at, stepsOf(idOf(each), false)] as const),
    ...takenOver.map((each) => [each.at, stepsOf(idOf(each), true)] as const),
  ]);
}

/** The steps of changed rules by id. Null: the first list is unknown, or all is by the files. */
function stepsBetween(inFiles: InFiles | null) {
  return (from: List | null, to: List, changed: readonly string[]) => {
    const all = from === null ? null : listSteps(from, to, changed);
    const byFiles = from === null || inFiles === null ? null : listSteps(inFiles(from), inFiles(to), changed);
    return (id: string) => ({ change: all?.get(id) ?? null, byFiles: byFiles?.get(id) ?? null });
  };
}

/** The live list, and the list after the changes. */
function listsOf(sent: KindChanges, at: RulesAt, toRule: ToRule) {
  const changes = ruleChanges(sent, at);
  const ids = new Map(changes.map(({ rule, change }) => [rule, idOf(change)]));
  const listOf = (rules: readonly JsonObject[]): List =>
    rules.map((rule) => toRule(ids.get(rule) ?? String(rule.id), rule));
  const rules = at.ruleset(sent.live.context)?.rules ?? [];
  return { live: listOf(rules), after: listOf(listAfter(rules, changes)) };
}

/** A rule that is taken over in part and changes as well is in the base as the change has it. */
function formersOf(
  { kind, changes }: KindChanges,
  takenOver: readonly PendingChange[],
  at: RulesAt,
  toRule: ToRule,
): readonly Former[] {
  const former = (change: PendingChange, item: Item | null | undefined): Former => {
    const id = idOf(change);
    const isKnown = item != null && isWhole(kind, item);
    const inBase = isKnown ? toRule(id, at.declared(item.normal as JsonObject)) : undefined; // no rule has a secret
    return { id, inBase: item === null ? null : inBase, isAstray: isAstray(change) };
  };
  const taken = takenOver.map((each) => former(each, each.triple.live));
  const pending = changes.map((each) => former(each, each.triple.inBase));
  return [...new Map([...taken, ...pending].map((each) => [each.id, each])).values()];
}

/** Null: the list lacks the rule. */
function skipsBefore(id: string, list: readonly PlacedRule[]): RuleSteps["skips"] | null {
  const place = list.findIndex((each) => each.id === id);
  const skipped = list[place];
  if (skipped === undefined) return null;
  return list.slice(0, place).flatMap(({ id: by, rule }) => {
    if (skipped.rule === null || rule?.does.as !== "skip" || !rule.does.rest) return [];
    const { name, expression: where } = rule;
    return [
      { as: "skip" as const, by: name, id: by, where, scope: skipped.rule.expression, of: "all" as const },
    ];
  });
}

/** A new rule has no id yet. */
function idOf({ at, triple }: PendingChange): string {
  return refOf(triple).id ?? `new ${at}`;
}

/** The base may declare only some fields of a rule that is no longer live. */
function isWhole({ fields }: Kind, { normal }: Item): boolean {
  return namesWith(fields, "required").every((field) => field in normal);
}

function isAstray({ fields, triple: { origins } }: PendingChange): boolean {
  return fields.some(({ path }) => path === POSITION && isDrift(originOf(origins, path)));
}

/**
 * The list with the changed rules as the base has them. They stand where they are live. Where they are gone or were moved
 * outside the files, they stand where the files have them. Null: unknown.
 */
function listInBase(formers: readonly Former[], live: List, after: List): List | null {
  const known = new Map(formers.map((each) => [each.id, each]));
  const staying = live.flatMap((rule) => {
    const former = known.get(rule.id) ?? { inBase: rule, isAstray: false };
    return former.isAstray ? [] : (former.inBase ?? []);
  });
  const list = after.reduce((all, { id }, place) => {
    const { inBase = null } = known.get(id) ?? {};
    if (inBase === null || all.some((each) => each.id === id)) return all;
    const before = new Set(after.slice(0, place).map((each) => each.id));
    return all.toSpliced(all.findLastIndex((each) => before.has(each.id)) + 1, 0, inBase);
  }, staying);
  const ids = new Set(list.map(({ id }) => id));
  return formers.every(({ id, inBase }) => inBase === null || ids.has(id)) ? list : null;
}
