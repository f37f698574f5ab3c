import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import { absurd } from "../../model/problem.js";
import type { SealedObject } from "../../model/sealed.js";
import { writeFlag } from "../fields.js";
import type { Live, Was } from "../kind.js";
import { carried } from "../phase.js";
import { placeAt, placeFor, readPosition } from "./place.js";
import { type Context, idOf } from "./read.js";
import { parametersOf } from "./skip.js";

/** A rule is said as a whole: what a body leaves out is lost. */
export function toWire({ normal }: Item, was: Was | null, { context }: Live<Context>): JsonObject {
  const now = newRule(normal, context);
  if (was === null) return now;
  const { id: _, ...rule } = carried(was.live.raw ?? absurd(IS_KNOWN));
  const changed = was.fields.flatMap((path): readonly (readonly [string, Json])[] => {
    if (path === "skip") return [["action_parameters", now.action_parameters ?? null]];
    if (path === "enabled") return [["enabled", writeFlag(now.enabled ?? null, rule.enabled)]];
    return path === "position" ? [] : [[path, now[path] ?? null]];
  });
  return { ...rule, ...Object.fromEntries(changed) };
}

function newRule(
  { description = "", expression = null, skip, enabled = null }: SealedObject,
  { ids }: Context,
): JsonObject {
  return {
    action: "skip",
    action_parameters: parametersOf(skip ?? absurd(IS_KNOWN), (name) => idOf(name, ids)),
    // None of them is sensitive.
    expression: expression as Json,
    description: description as Json,
    enabled: enabled as Json,
  };
}

const IS_KNOWN = "a change has a live or a wanted exception, whose skip read() knows";

/** Where it stood before, if it is to go back; else where the order of the files has it. */
export function placeOf(
  { at, owns, raw }: Item,
  others: readonly JsonObject[],
  { entries, kept }: Context,
): number {
  if (owns === "all") return placeAt(readPosition(raw?.position), others);
  const index = at?.[1];
  return placeFor(typeof index === "number" ? index : entries.length, entries, others, kept);
}
