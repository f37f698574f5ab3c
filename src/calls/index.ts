import { groupBy } from "../model/group-by.js";
import type { JsonObject } from "../model/json.js";
import type { KindCalls, KindChanges, PendingStep } from "./call.js";
import { collectionCalls } from "./collection.js";
import { objectCalls } from "./object.js";
import { listAfter, listCalls, type RuleChange, ruleChanges } from "./rules.js";

export type { KindCalls, KindChanges, PendingStep } from "./call.js";
export { intermediateCalls } from "./collection.js";
export { intermediateItems } from "./intermediate.js";
export { listAfter, ruleChanges } from "./rules.js";

/** The calls of each kind of a zone. The calls for a shared list go to the first kind that changes it. */
export function callsOf(all: readonly KindChanges[]): readonly KindCalls[] {
  const lists = listsIn(all);
  return all.map((kindChanges) => ({ ...kindChanges, drafts: callsOfKind(kindChanges, lists) }));
}

function callsOfKind(kindChanges: KindChanges, lists: ReturnType<typeof listsIn>): readonly PendingStep[] {
  const { at } = kindChanges.kind;
  switch (at.as) {
    case "object":
      return objectCalls(kindChanges, at);
    case "collection":
      return collectionCalls(kindChanges, at);
    case "rules": {
      const list = lists.get(at.phase.name) ?? [];
      return list[0]?.at === at ? listCalls(kindChanges.zoneId, list) : [];
    }
  }
}

/** The rules of a phase after all changes. */
export function rulesAfter(
  all: readonly KindChanges[],
): (phase: string, live: readonly JsonObject[]) => readonly JsonObject[] {
  const lists = listsIn(all);
  return (phase, live) => {
    const changes = lists.get(phase);
    return changes === undefined ? live : listAfter(live, changes);
  };
}

/** The rule changes by phase. */
function listsIn(all: readonly KindChanges[]): ReadonlyMap<string, readonly RuleChange[]> {
  const changes = all.flatMap((kindChanges) =>
    kindChanges.kind.at.as === "rules" ? ruleChanges(kindChanges, kindChanges.kind.at) : [],
  );
  return groupBy(changes, ({ at }) => at.phase.name);
}
