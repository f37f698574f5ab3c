import { type KindChanges, listAfter, ruleChanges } from "../calls/index.js";
import { namesWith } from "../kinds/fields.js";
import { type Kind, type PendingChange, POSITION, rulesAt } from "../kinds/kind.js";
import { type Item, isDrift, originOf } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import { type ListStep, listSteps, type PlacedRule } from "../strength/index.js";
import { refOf } from "./change.js";
import type { OtherObjects, RuleSteps } from "./effects.js";

/** A rule as it acts, and as it would without what was done outside the files. */
interface Rule extends PlacedRule {
  readonly byFiles: PlacedRule["rule"];
}

/**
 * The steps of a kind's changes in its list of rules, by the number of the change. Together they have the effect of all
 * changes. Empty: the kind's objects are compared alone.
 *
 * @param others read only if the kind's objects are compared in their list
 */
export function ruleSteps(
  sent: KindChanges,
  takenOver: readonly PendingChange[],
  others: () => Pick<OtherObjects, "declared" | "offOutside">,
): ReadonlyMap<number, RuleSteps> {
  const { kind } = sent;
  const at = rulesAt(kind);
  if (at?.judged?.by !== "list") return new Map();
  const { listed } = at.judged;
  const { declared, offOutside } = others();
  const changes = ruleChanges(sent, at);
  const ids = new Map(changes.map(({ rule, change }) => [rule, idOf(change)]));
  const ruleOf = (id: string, rule: JsonObject): Rule => ({
    id,
    rule: listed(rule),
    byFiles: listed(offOutside.has(id) ? { ...rule, enabled: true } : rule),
  });
  const placed = (rules: readonly JsonObject[]) =>
    rules.map((rule) => ruleOf(ids.get(rule) ?? String(rule.id), rule));
  const rules = at.ruleset(sent.live.context)?.rules ?? [];
  const [live, after] = [placed(rules), placed(listAfter(rules, changes))];
  const formerRule = (change: PendingChange, item: Item | null | undefined): Former => {
    const id = idOf(change);
    const rule = () => ruleOf(id, at.declared((item?.normal ?? {}) as JsonObject)); // no rule has a secret
    const inBase = item === null ? null : isWhole(kind, item) ? rule() : "unknown";
    return { id, inBase, isAstray: isAstray(change) };
  };
  const pending = sent.changes.map((each) => formerRule(each, each.triple.inBase));
  const taken = takenOver.map((each) => formerRule(each, each.triple.live));
  // A rule that is taken over in part and changes as well is in the base as the change has it.
  const formers = [...new Map([...taken, ...pending].map((each) => [each.id, each])).values()];
  // The live list no longer shows where the base has a rule whose move is taken over.
  const isMoved = takenOver.some(isAstray);
  const base = isMoved ? null : listInBase(formers, live, after);
  const toAfter = stepsBetween(live, after, pending);
  const [baseToAfter, baseToLive] = [after, live].map((list) =>
    base === null ? null : stepsBetween(base, list, formers),
  );
  const changed = new Set(formers.map(({ id }) => id));
  const isDeclared = ({ id }: PlacedRule) => declared.has(id) || changed.has(id);
  const byFiles = (rules: readonly Rule[]): readonly PlacedRule[] =>
    rules.filter(isDeclared).map((each) => ({ id: each.id, rule: each.byFiles }));
  const isByFiles = live.every((each) => isDeclared(each) && !offOutside.has(each.id));
  const filesToAfter = isByFiles ? null : stepsBetween(byFiles(live), byFiles(after), pending);
  const filesToLive = isByFiles || base === null ? null : stepsBetween(byFiles(base), byFiles(live), formers);
  const stepsOf = (change: PendingChange, isTaken: boolean): readonly [number, RuleSteps] => {
    const id = idOf(change);
    const drift = baseToLive?.get(id) ?? null;
    const skips = skipsBefore(id, after) ?? skipsBefore(id, live) ?? [];
    const inFiles = (isTaken ? filesToLive : filesToAfter)?.get(id) ?? null;
    const ofBoth = { byFiles: inFiles, drift: isTaken ? null : drift, skips };
    if (isTaken) return [change.at, { ...ofBoth, change: drift, sinceBase: null }];
    const sinceBase = baseToAfter?.get(id) ?? null;
    return [change.at, { ...ofBoth, change: toAfter.get(id) ?? null, sinceBase }];
  };
  return new Map([
    ...sent.changes.map((each) => stepsOf(each, false)),
    ...takenOver.map((each) => stepsOf(each, true)),
  ]);
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

/** A changed rule as the base has it. */
interface Former {
  readonly id: string;
  /** Null: the base lacks it. */
  readonly inBase: Rule | null | "unknown";
  /** Whether it was moved outside the files. */
  readonly isAstray: boolean;
}

/** A new rule has no id yet. */
function idOf({ at, triple }: PendingChange): string {
  return refOf(triple).id ?? `new ${at}`;
}

/** The base may declare only some fields of a rule that is no longer live. */
function isWhole({ fields }: Kind, item: Item | undefined): item is Item {
  return item !== undefined && namesWith(fields, "required").every((field) => field in item.normal);
}

function isAstray({ fields, triple: { origins } }: PendingChange): boolean {
  return fields.some(({ path }) => path === POSITION && isDrift(originOf(origins, path)));
}

/**
 * The list with the changed rules as the base has them. They stand where they are live. Where they are gone or were moved
 * outside the files, they stand where the files have them. Null: unknown.
 */
function listInBase(
  formers: readonly Former[],
  live: readonly Rule[],
  after: readonly Rule[],
): readonly Rule[] | null {
  const known = new Map<string, Rule | null>();
  for (const { id, inBase } of formers) {
    if (inBase === "unknown") return null;
    known.set(id, inBase);
  }
  const astray = new Set(formers.flatMap(({ id, isAstray: is }) => (is ? [id] : [])));
  const staying = live.flatMap((placed) => {
    const former = known.get(placed.id);
    return astray.has(placed.id) ? [] : former === undefined ? placed : (former ?? []);
  });
  const list = after.reduce((all, { id }, place) => {
    const former = known.get(id) ?? null;
    if (former === null || all.some((each) => each.id === id)) return all;
    const before = new Set(after.slice(0, place).map((each) => each.id));
    return all.toSpliced(all.findLastIndex((each) => before.has(each.id)) + 1, 0, former);
  }, staying);
  const ids = new Set(list.map(({ id }) => id));
  const isLost = [...known].some(([id, former]) => former !== null && !ids.has(id));
  return isLost ? null : list;
}

function stepsBetween(
  before: readonly PlacedRule[],
  after: readonly PlacedRule[],
  changed: readonly Former[],
): ReadonlyMap<string, ListStep> {
  const ids = changed.map(({ id }) => id);
  const steps = listSteps(before, after, ids);
  return new Map(steps.map((step, index) => [ids[index] ?? "", step]));
}
