import { type Kind, type Live, rulesAt } from "../../kinds/kind.js";
import { carried } from "../../kinds/phase.js";
import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import type { JournalZone } from "../../model/journal.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../../model/json.js";

import { type Problem, problem } from "../../model/problem.js";
import type { Sealed, SealedObject } from "../../model/sealed.js";
import { brief, nameOf } from "../wording.js";
import type { Past } from "./past.js";

/** A field that somebody else has changed since. */
export interface DriftedField {
  readonly field: string;
  readonly before: Sealed;
  readonly now: Sealed;
}

/** These fields in two states of an object. */
export function differing(
  fields: readonly string[],
  before: SealedObject,
  now: SealedObject,
): readonly DriftedField[] {
  return fields.map((field) => ({ field, before: before[field] ?? null, now: now[field] ?? null }));
}

export function changedSince(past: Past, zone: string, drifted: readonly DriftedField[]): Problem {
  return stay(
    "changed_since",
    "Changed since the apply",
    `Somebody else has changed ${nameOf(past.change)} in ${zone} since the apply. What they have changed stays: ${told(drifted, "was")} before the apply.`,
  );
}

/** `value is "a", and was "b"; action is …` */
function told(drifted: readonly DriftedField[], was: string): string {
  return drifted
    .map(({ field, before, now }) => `${field} is ${brief(now)}, and ${was} ${brief(before)}`)
    .join("; ");
}

export function blocksAnew(
  past: Past,
  zone: string,
  back: readonly string[],
  drifted: readonly DriftedField[],
): Problem {
  const theirs = drifted.map(({ field, now }) => `${field} ${brief(now)}`).join(", ");
  const detail = `With ${back.join(", ")} as before the apply and somebody else's ${theirs}, ${nameOf(past.change)} in ${zone} blocks what it has never blocked, before the apply or since. Look at it at the service, and set it right in the files.`;
  return problem("blocks_anew", "What goes back and what stays block together", detail);
}

export function madeAndChanged(past: Past, zone: string, drifted: readonly DriftedField[]): Problem {
  return stay(
    "changed_since",
    "Changed since the apply",
    `The apply has created ${nameOf(past.change)} in ${zone}, and somebody else has changed it since: ${told(drifted, "was made")}. It stays. Delete it at the service if nobody needs it.`,
  );
}

export function manyMade(past: Past, zone: string, items: readonly Item[]): Problem {
  const ids = items.map(({ ref }) => ref.id ?? "no id").join(", ");
  return stay(
    "ambiguous_name",
    "Several live objects of one name",
    `Which of ${ids} in ${zone} the apply has created as ${nameOf(past.change)} is not known. They stay. Delete at the service what nobody needs.`,
  );
}

export function goneSince(past: Past, zone: string): Problem {
  return stay(
    "gone_since",
    "Deleted since the apply",
    `The apply has changed ${nameOf(past.change)} in ${zone}, and somebody else has deleted it since. It stays away.`,
  );
}

export function thereAgain(past: Past, zone: string, drifted: readonly DriftedField[]): Problem {
  return stay(
    "there_again",
    "There again since the apply",
    `The apply has deleted ${nameOf(past.change)} in ${zone}, and one of that name is there again, which is another: ${told(drifted, "was")}. It stays as it is.`,
  );
}

/** Codes of what says that something stays as others have made it since: the zone is not all that it was. */
export const STAYING: ReadonlySet<string> = new Set([
  "changed_since",
  "gone_since",
  "there_again",
  "ambiguous_name",
]);

function stay(code: string, summary: string, detail: string): Problem {
  return { ...problem(code, summary, detail), severity: "warning" };
}

/** What is sensitive is not in a journal. */
export function secretUnknown(past: Past, zone: string, names: readonly string[], then: string): Problem {
  const detail = `What ${names.join(" and ")} of ${nameOf(past.change)} in ${zone} was before the apply is not in the journal, which holds no secrets, and the files and the environment do not give it. ${then}`;
  return problem("not_undone", "A secret cannot be brought back", detail);
}

/** All else went back before; nothing tells whether this did too. */
export function secretUnsure(past: Past, zone: string, names: readonly string[]): Problem {
  const detail = `Whether ${names.join(" and ")} of ${nameOf(past.change)} in ${zone} is what it was before the apply cannot be told: the journal holds no secrets, and the files give it from the same place as when the apply was made. All else of it is as before. It stays as it is. If it is not what it was, give that from another place, such as another secret.`;
  return problem("not_undone", "Whether a secret was brought back is not known", detail);
}

export function secretAssumed(past: Past, zone: string, names: readonly string[]): Problem {
  return stay(
    "secret_assumed",
    "A secret is taken from the files",
    `The files give another ${names.join(" and ")} of ${nameOf(past.change)} than ${zone} has, from the same place as when the apply was made. It is taken for what was there before.`,
  );
}

export function notBrought(
  past: Past,
  zone: string,
  fields: readonly string[],
  then = "Look at it at the service.",
): Problem {
  const detail = `${fields.join(", ")} of ${nameOf(past.change)} in ${zone} cannot be made again what it was from what is live and the journal. ${then}`;
  return problem("not_undone", "Something cannot be brought back", detail);
}

export function unlistedMade(past: Past, zone: string): Problem {
  const detail = `The apply has created ${nameOf(past.change)} in ${zone}, and the service does not list such objects, so it cannot be found. It stays. Delete it at the service.`;
  return problem("not_undone", "What was created cannot be found", detail);
}

/**
 * Rules of others that are no longer what they were, or where they were, when the apply wrote to their list. A rollback
 * takes none of them back.
 *
 * @param own the ids of what goes back, whatever its kind
 * @param others the live objects that neither the apply has changed nor the files declare
 */
export function othersChanged(
  kind: Kind,
  live: Live,
  { own: ownIds, others }: { readonly own: ReadonlySet<string>; readonly others: readonly Item[] },
  before: JournalZone,
): readonly Problem[] {
  const list = rulesThen(kind, before);
  // Kinds can share a list: what the apply did to a rule of another kind is told by that one.
  const changed = new Set(before.changes.map(({ id }) => id));
  const now = (kind.kept?.does?.(rulesAt(kind) === null ? [] : others, live.context) ?? []).filter(
    ({ ref }) => !ownIds.has(ref.id ?? ""),
  );
  const rules = rulesAt(kind)?.ruleset(live.context)?.rules ?? [];
  const ids = new Set(now.map(({ ref }) => ref.id));
  const moved = [
    ...now.flatMap(({ ref, raw, does }) => {
      const was = list.find(({ id }) => id === ref.id);
      const what =
        was === undefined
          ? "is there now"
          : !equal(carried(was), carried(raw))
            ? "has changed"
            : standsElsewhere(String(was.id), list, rules)
              ? "stands elsewhere in the list"
              : null;
      return what === null ? [] : [`${named(ref.key, ref.id)} ${what}: it ${does}`];
    }),
    // One that is there is told of by the kind whose it is, where that has something to say of it.
    ...list
      .filter(({ id }) => !changed.has(String(id)) && !ids.has(String(id)))
      .filter(({ id }) => !rules.some((rule) => rule.id === id))
      .map(({ id, description }) => `${named(description ?? null, String(id))} is gone`),
  ];
  if (moved.length === 0) return [];
  const more = moved.length > MAX_NAMED ? `; and ${moved.length - MAX_NAMED} more` : "";
  const detail = `Since the apply, rules of others in ${before.zone} have moved: ${moved.slice(0, MAX_NAMED).join("; ")}${more}. They stay as they are now.`;
  return [
    { ...problem("others_moved", "Rules of others moved since the apply", detail), severity: "warning" },
  ];
}

const MAX_NAMED = 6;
const MAX_CHARS = 80;

/** Whether other rules that execute rulesets are in front of it than were: the apply moves none of these. */
function standsElsewhere(id: string, before: readonly JsonObject[], now: readonly JsonObject[]): boolean {
  const inFront = (list: readonly JsonObject[], of: readonly JsonObject[]) => {
    const place = list.findIndex((each) => each.id === id);
    const isCommon = (rule: JsonObject) => of.some((each) => each.id === rule.id);
    return list
      .slice(0, place)
      .flatMap((rule) => (rule.action === "execute" && isCommon(rule) ? (rule.id ?? []) : []));
  };
  return !equal(inFront(before, now).toSorted(), inFront(now, before).toSorted());
}

/** The list of rules that the apply has seen, which is kept for one of the kinds that share it. */
function rulesThen(kind: Kind, { seen }: JournalZone): readonly JsonObject[] {
  const phase = rulesAt(kind)?.phase.name;
  return seen
    .filter(({ key }) => key === phase)
    .flatMap(({ state }) => {
      const then = state?.rules as Json | undefined; // a journal is JSON
      return isList(then) ? then.filter(isObject) : [];
    });
}

function named(name: Json, id: string | null): string {
  return typeof name === "string" && name !== ""
    ? `${JSON.stringify(cutEnd(name, MAX_CHARS))} (${id})`
    : `${id}`;
}
