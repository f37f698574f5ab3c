import type { Kind, Live } from "../../kinds/kind.js";
import { carried } from "../../kinds/phase.js";
import { cutEnd } from "../../model/cut.js";
import { equal } from "../../model/equal.js";
import type { JournalZone } from "../../model/journal.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { type Problem, problem } from "../../model/problem.js";

/**
 * Rules of others that are no longer what they were when the apply wrote to their list. A rollback takes none of them
 * back.
 */
export function othersMoved(kind: Kind, live: Live, before: JournalZone): readonly Problem[] {
  const then = rulesThen(kind, before);
  const now = kind.undeclared([], live.around);
  const ids = new Set(now.map(({ ref }) => ref.id));
  const moved = [
    ...now.flatMap(({ ref, raw, does }) => {
      const was = then.find(({ id }) => id === ref.id);
      if (was !== undefined && equal(carried(was), carried(raw))) return [];
      return [`${named(ref.key, ref.id)} ${was === undefined ? "is there now" : "has changed"}: it ${does}`];
    }),
    // What is ours is no stranger, whatever it was then.
    ...then
      .filter(({ id }) => !ids.has(String(id)) && !live.items.some(({ ref }) => ref.id === id))
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

/** Of the lists of rules that the apply has seen, what it did not change. */
function rulesThen(kind: Kind, { seen, changes }: JournalZone): readonly JsonObject[] {
  const own = new Set(changes.filter((each) => each.kind === kind.name).map(({ id }) => id));
  return seen
    .filter((each) => each.kind === kind.name)
    .flatMap(({ state }) => {
      const rules = state?.rules as Json | undefined; // a journal is JSON
      return isList(rules) ? rules.filter(isObject).filter(({ id }) => !own.has(String(id))) : [];
    });
}

function named(name: Json, id: string | null): string {
  return typeof name === "string" && name !== ""
    ? `${JSON.stringify(cutEnd(name, MAX_CHARS))} (${id})`
    : `${id}`;
}
