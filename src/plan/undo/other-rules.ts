import { rulesAt } from "../../kinds/kind.js";
import { descriptionOf, sentRule } from "../../kinds/phase.js";
import { executedBefore, indexOf } from "../../kinds/rule-places.js";
import type { Matched } from "../../match/match.js";
import { pair } from "../../match/pair.js";
import { reportOnce } from "../../match/report-once.js";
import { cutEnd, fewOf } from "../../model/cut.js";
import type { Ref } from "../../model/item.js";
import type { JournalZone } from "../../model/journal.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { type Problem, warning } from "../../model/problem.js";
import { RULES } from "../../model/unmanaged.js";
import type { Undoing } from "./past.js";

/**
 * Names the rules of others that changed or moved since the apply wrote to their list. A rollback leaves them alone.
 *
 * @returns warnings by kind. A rule of a list that several kinds share is named once
 */
export function othersChanged(
  all: readonly UndoneKind[],
  journaled: JournalZone,
): readonly (readonly Problem[])[] {
  const reports = all.map((each) => ({ items: each.live.items, reported: changedRules(each, journaled) }));
  return reportOnce(reports, (each) => each).map((changed) => {
    if (changed.length === 0) return [];
    const changes = changed.map(({ change }) => change);
    const detail = `Since the apply, undeclared rules in ${journaled.zone} changed: ${fewOf(changes, MAX_NAMED).join("; ")}. They stay unchanged.`;
    return [warning("others_moved", "Undeclared rules changed since the apply", detail)];
  });
}

type UndoneKind = Undoing & { readonly matched: Matched };

function changedRules({ kind, live, declared, zone, matched }: UndoneKind, { changes, seen }: JournalZone) {
  const at = rulesAt(kind);
  if (at === null) return [];
  // The journal keeps a list of rules once, for one of the kinds that share it.
  const formerRules = seen.flatMap(({ key, state }) => {
    const list = state?.rules as Json | undefined; // a journal is JSON
    return key === at.phase.name && isList(list) ? list.filter(isObject) : [];
  });
  const rules = at.ruleset(live.context)?.rules ?? [];
  const meant = new Set(pair(kind, declared, live, zone).pairs.map((each) => each.live?.ref.id));
  const otherItems = matched.kept.filter(({ ref }) => !meant.has(ref.id));
  const moved = (kind.kept?.undeclared?.(otherItems, live.context) ?? []).flatMap(({ ref, raw, does }) => {
    const formerRule = formerRules.find(({ id }) => id === ref.id);
    const movement =
      formerRule === undefined
        ? "was created"
        : !equal(sentRule(formerRule), sentRule(raw))
          ? "changed"
          : standsElsewhere(String(formerRule.id), formerRules, rules)
            ? "moved in the list"
            : null;
    return movement === null ? [] : [changedRule(ref, `${movement}: it ${does}`)];
  });
  // A rule that the apply has changed is reported by its kind.
  const known = new Set([...changes.map(({ id }) => id), ...rules.map(({ id }) => id)]);
  const gone = formerRules
    .filter(({ id }) => !known.has(String(id)))
    .map((rule) => {
      const ref = { kind: kind.name, key: descriptionOf(rule), id: String(rule.id) };
      return changedRule(ref, "was deleted");
    });
  return [...moved, ...gone];
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

function changedRule(ref: Ref, how: string) {
  const { key, id } = ref;
  const name = key === "" ? `${id}` : `${JSON.stringify(cutEnd(key, MAX_CHARS))} (${id})`;
  return { ref, list: RULES, change: `${name} ${how}` };
}
