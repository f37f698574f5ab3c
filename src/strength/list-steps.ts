import type { ListedRule } from "./list-outcomes.js";

/** A rule in its place. */
export interface PlacedRule {
  readonly id: string;
  /** Null: the rule is switched off. */
  readonly rule: ListedRule | null;
}

/** A list before and after one of its rules changes. */
export interface ListStep {
  readonly before: readonly ListedRule[];
  readonly after: readonly ListedRule[];
}

/**
 * The change of a list as changes of single rules, by their ids, one after the other. The first starts at the list before,
 * and the last ends at the list after, so that the steps together have the effect of the whole change.
 *
 * @param changed the ids of the rules that come, go, change or move, in the order of their steps. The other rules are
 *   alike on both sides and in the same order
 */
export function listSteps(
  before: readonly PlacedRule[],
  after: readonly PlacedRule[],
  changed: readonly string[],
): ReadonlyMap<string, ListStep> {
  const open = new Set(changed);
  let list = before;
  return new Map(
    changed.map((id, index) => {
      open.delete(id);
      const next = index === changed.length - 1 ? after : withChange(list, after, id, open);
      const step = { before: enabledIn(list), after: enabledIn(next) };
      list = next;
      return [id, step];
    }),
  );
}

/** The rule goes behind the last settled rule that is before it. A rule that has not changed yet will move itself. */
function withChange(
  list: readonly PlacedRule[],
  after: readonly PlacedRule[],
  id: string,
  open: ReadonlySet<string>,
): readonly PlacedRule[] {
  const place = after.findIndex((each) => each.id === id);
  const entry = after[place];
  const others = list.filter((each) => each.id !== id);
  if (entry === undefined) return others;
  const settledBefore = new Set(
    after.slice(0, place).flatMap((each) => (open.has(each.id) ? [] : [each.id])),
  );
  const isSettledBefore = (each: PlacedRule) => settledBefore.has(each.id);
  const oldPlace = list.findIndex((each) => each.id === id);
  const isSettledBehind = (each: PlacedRule) => !open.has(each.id) && !isSettledBefore(each);
  const isInPlace =
    oldPlace !== -1 &&
    !others.slice(oldPlace).some(isSettledBefore) &&
    !others.slice(0, oldPlace).some(isSettledBehind);
  return others.toSpliced(isInPlace ? oldPlace : others.findLastIndex(isSettledBefore) + 1, 0, entry);
}

function enabledIn(list: readonly PlacedRule[]): readonly ListedRule[] {
  return list.flatMap(({ rule }) => rule ?? []);
}
