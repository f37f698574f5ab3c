import { type Kind, type Live, rulesAt } from "../../kinds/kind.js";
import { sentRule } from "../../kinds/phase.js";
import { executedBefore, indexOf } from "../../kinds/rule-places.js";
import { cutEnd, fewOf } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import type { JournalZone } from "../../model/journal.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { type Problem, warning } from "../../model/problem.js";

/**
 * Names the rules of others that changed or moved since the apply wrote to their list. A rollback leaves them alone.
 *
 * @param returningIds the ids of the objects that go back, of any kind
 * @param otherItems the live objects that neither the apply has changed nor the files declare
 */
export function othersChanged(
  kind: Kind,
  { context }: Live,
  returningIds: ReadonlySet<string>,
  otherItems: readonly Item[],
  { zone, changes, seen }: JournalZone,
): readonly Problem[] {
  const at = rulesAt(kind);
  if (at === null) return [];
  // The journal keeps a list of rules once, for one of the kinds that share it.
  const formerRules = seen.flatMap(({ key, state }) => {
    const list = state?.rules as Json | undefined; // a journal is JSON
    return key === at.phase.name && isList(list) ? list.filter(isObject) : [];
  });
  const rules = at.ruleset(context)?.rules ?? [];
  const moved = (kind.kept?.undeclared?.(otherItems, context) ?? []).flatMap(({ ref, raw, does }) => {
    const formerRule = formerRules.find(({ id }) => id === ref.id);
    const movement =
      formerRule === undefined
        ? "was created"
        : !equal(sentRule(formerRule), sentRule(raw))
          ? "changed"
          : standsElsewhere(String(formerRule.id), formerRules, rules)
            ? "moved in the list"
            : null;
    return movement === null || returningIds.has(ref.id ?? "")
      ? []
      : [`${ruleName(ref.key, ref.id)} ${movement}: it ${does}`];
  });
  // A rule that the apply has changed is reported by its kind.
  const known = new Set([...changes.map(({ id }) => id), ...rules.map(({ id }) => id)]);
  const gone = formerRules
    .filter(({ id }) => !known.has(String(id)))
    .map(({ id, description }) => `${ruleName(description ?? null, String(id))} was deleted`);
  const all = [...moved, ...gone];
  if (all.length === 0) return [];
  const detail = `Since the apply, undeclared rules in ${zone} changed: ${fewOf(all, MAX_NAMED).join("; ")}. They stay unchanged.`;
  return [warning("others_moved", "Undeclared rules changed since the apply", detail)];
}

const MAX_NAMED = 6;
const MAX_CHARS = 80;

/** Whether a rule moved past a ruleset that both lists execute. An apply does not move those rules. */
function standsElsewhere(id: string, before: readonly JsonObject[], now: readonly JsonObject[]): boolean {
  const inFront = (list: readonly JsonObject[], reference: readonly JsonObject[]) => {
    const common = executedBefore(reference, reference.length);
    return executedBefore(list, indexOf(list, id)).filter((each) => common.includes(each));
  };
  return !equal(inFront(before, now).toSorted(), inFront(now, before).toSorted());
}

function ruleName(name: Json, id: string | null): string {
  return typeof name === "string" && name !== ""
    ? `${JSON.stringify(cutEnd(name, MAX_CHARS))} (${id})`
    : `${id}`;
}
