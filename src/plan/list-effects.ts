import { type KindChanges, listAfter, ruleChanges } from "../calls/index.js";
import { rulesAt } from "../kinds/kind.js";
import type { Shift } from "../model/strength.js";
import { listBlocking, listShifts } from "../strength/index.js";

/** The effect of a change on a list of rules. */
export interface ListEffect {
  readonly shifts: readonly Shift[];
  readonly blocking: readonly Shift[];
}

/**
 * The effects of a kind's changes on its list of rules, as if they were made one after the other. The sum of them is the
 * effect of the call, which makes all at once. Empty: the kind's objects are compared alone.
 */
export function listEffects(kindChanges: KindChanges, zone: string): ReadonlyMap<number, ListEffect> {
  const at = rulesAt(kindChanges.kind);
  if (at?.listed === undefined) return new Map();
  const { listed } = at;
  const changes = ruleChanges(kindChanges, at);
  const live = at.ruleset(kindChanges.live.context)?.rules ?? [];
  const lists = [live, ...changes.map((_, index) => listAfter(live, changes.slice(0, index + 1)))].map(
    (rules) => rules.flatMap((rule) => listed(rule) ?? []),
  );
  return new Map(
    changes.map(({ change }, index) => {
      const [before = [], after = []] = [lists[index], lists[index + 1]];
      return [
        change.at,
        { shifts: listShifts(before, after, zone), blocking: listBlocking(before, after, zone) },
      ];
    }),
  );
}
