import { type Kind, type Live, rulesAt } from "../../kinds/kind.js";
import { sentRule } from "../../kinds/phase.js";
import { executedBefore, indexOf } from "../../kinds/rule-places.js";
import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import type { JournalZone } from "../../model/journal.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { FieldChange } from "../../model/plan.js";
import { type Problem, problem } from "../../model/problem.js";
import { brief, nameOf } from "../wording.js";
import type { Past } from "./past.js";

type Drifted = readonly FieldChange[];
type Names = readonly string[];

export function messagesFor({ change }: Past, zone: string) {
  const name = nameOf(change);
  const objectName = `${name} in ${zone}`;
  return {
    changedSince: (drifted: Drifted) =>
      stay(
        "changed_since",
        "Changed since the apply",
        `Somebody else has changed ${objectName} since the apply. What they have changed stays: ${differencesText(drifted, "was")} before the apply.`,
      ),
    blocksAnew: (back: Names, drifted: Drifted) =>
      problem(
        "blocks_anew",
        "What goes back and what stays block together",
        `With ${back.join(", ")} as before the apply and somebody else's ${drifted.map(({ path, after }) => `${path} ${brief(after)}`).join(", ")}, ${objectName} blocks what it has never blocked, before the apply or since. Look at it at the service, and set it right in the files.`,
      ),
    madeAndChanged: (drifted: Drifted) =>
      stay(
        "changed_since",
        "Changed since the apply",
        `The apply has created ${objectName}, and somebody else has changed it since: ${differencesText(drifted, "was made")}. It stays. Delete it at the service if nobody needs it.`,
      ),
    manyMade: (items: readonly Item[]) =>
      stay(
        "ambiguous_name",
        "Several live objects of one name",
        `Which of ${items.map(({ ref }) => ref.id ?? "no id").join(", ")} in ${zone} the apply has created as ${name} is not known. They stay. Delete at the service what nobody needs.`,
      ),
    goneSince: () =>
      stay(
        "gone_since",
        "Deleted since the apply",
        `The apply has changed ${objectName}, and somebody else has deleted it since. It stays away.`,
      ),
    thereAgain: (drifted: Drifted) =>
      stay(
        "there_again",
        "There again since the apply",
        `The apply has deleted ${objectName}, and one of that name is there again, which is another: ${differencesText(drifted, "was")}. It stays as it is.`,
      ),
    secretUnknown: (names: Names, consequence: string) =>
      problem(
        "not_undone",
        "A secret cannot be brought back",
        `What ${names.join(" and ")} of ${objectName} was before the apply is not in the journal, which holds no secrets, and the files and the environment do not give it. ${consequence}`,
      ),
    secretUnsure: (names: Names) =>
      problem(
        "not_undone",
        "Whether a secret was brought back is not known",
        `Whether ${names.join(" and ")} of ${objectName} is what it was before the apply cannot be told: the journal holds no secrets, and the files give it from the same place as when the apply was made. All else of it is as before. It stays as it is. If it is not what it was, give that from another place, such as another secret.`,
      ),
    secretAssumed: (names: Names) =>
      stay(
        "secret_assumed",
        "A secret is taken from the files",
        `The files give another ${names.join(" and ")} of ${name} than ${zone} has, from the same place as when the apply was made. It is taken for what was there before.`,
      ),
    notBrought: (fields: Names, consequence = "Look at it at the service.") =>
      problem(
        "not_undone",
        "Something cannot be brought back",
        `${fields.join(", ")} of ${objectName} cannot be made again what it was from what is live and the journal. ${consequence}`,
      ),
    unlistedMade: () =>
      problem(
        "not_undone",
        "What was created cannot be found",
        `The apply has created ${objectName}, and the service does not list such objects, so it cannot be found. It stays. Delete it at the service.`,
      ),
  };
}

/** `value is "a", and was "b"; action is …` */
function differencesText(drifted: Drifted, was: string): string {
  return drifted
    .map(({ path, before, after }) => `${path} is ${brief(after)}, and ${was} ${brief(before)}`)
    .join("; ");
}

/** Codes of messages about objects that stay as others have changed them, so that the rollback is incomplete. */
export const STAYING: ReadonlySet<string> = new Set([
  "changed_since",
  "gone_since",
  "there_again",
  "ambiguous_name",
]);

function stay(code: string, summary: string, detail: string): Problem {
  return { ...problem(code, summary, detail), severity: "warning" };
}

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
  const moved = (kind.kept?.does?.(otherItems, context) ?? []).flatMap(({ ref, raw, does }) => {
    const formerRule = formerRules.find(({ id }) => id === ref.id);
    const movement =
      formerRule === undefined
        ? "is there now"
        : !equal(sentRule(formerRule), sentRule(raw))
          ? "has changed"
          : standsElsewhere(String(formerRule.id), formerRules, rules)
            ? "stands elsewhere in the list"
            : null;
    return movement === null || returningIds.has(ref.id ?? "")
      ? []
      : [`${ruleName(ref.key, ref.id)} ${movement}: it ${does}`];
  });
  // A rule that the apply has changed is reported by its kind.
  const known = new Set([...changes.map(({ id }) => id), ...rules.map(({ id }) => id)]);
  const gone = formerRules
    .filter(({ id }) => !known.has(String(id)))
    .map(({ id, description }) => `${ruleName(description ?? null, String(id))} is gone`);
  const all = [...moved, ...gone];
  if (all.length === 0) return [];
  const more = all.length > MAX_NAMED ? `; and ${all.length - MAX_NAMED} more` : "";
  const detail = `Since the apply, rules of others in ${zone} have moved: ${all.slice(0, MAX_NAMED).join("; ")}${more}. They stay as they are now.`;
  return [stay("others_moved", "Rules of others moved since the apply", detail)];
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
