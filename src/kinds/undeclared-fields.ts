import type { Item } from "../model/item.js";
import { equal, type Json } from "../model/json.js";
import { type LiveUnmanaged, RULES } from "../model/unmanaged.js";
import { effectOf, shifts } from "../strength/index.js";
import { type Kind, rulesAt } from "./kind.js";

/** Fields that decide whether and where an object acts: the value for always, and what another value does. */
const DECIDING: ReadonlyMap<string, readonly [always: Json, does: string]> = new Map([
  ["enabled", [true, "is switched off"]],
  ["expression", ["true", "acts on some requests only"]],
  ["counting_expression", ["", "counts some requests only"]],
  ["requests_to_origin", [false, "counts requests to the origin only"]],
]);

/**
 * The undeclared fields of a declared object that keep it from acting, at all or on some requests. The files may leave
 * out only those with a default.
 */
export function undeclaredLimits<Context>(
  kind: Kind<Context>,
  item: Item,
  context: Context,
): readonly LiveUnmanaged[] {
  const { ref, normal, owns, raw } = item;
  const limits = [...DECIDING].filter(([field, [always]]) => {
    const { default: initial, unset = initial } = kind.fields[field] ?? {};
    return unset === always && !owns.includes(field) && !equal(normal[field] ?? always, always);
  });
  if (limits.length === 0) return [];
  const always = Object.fromEntries(limits.map(([field, [value]]) => [field, value]));
  const strengthOf = (each: Item["normal"]) => kind.dimensions(each, context, item);
  const effect = effectOf(shifts(strengthOf({ ...normal, ...always }), strengthOf(normal)));
  if (effect === "neutral" || effect === "strengthens") return [];
  const fields = limits.map(([field]) => field);
  const does = `${limits.map(([, [, each]]) => each).join(" and ")} (undeclared: ${fields.join(", ")})`;
  const list = rulesAt(kind) === null ? kind.section : RULES;
  return [{ ref, list, does, effect, fields, raw: raw ?? {} }];
}
