import type { Item } from "../../model/item.js";
import { type Json, pickBy } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Strength } from "../../model/strength.js";
import { nameInside } from "../fields.js";
import { HEADER, header, settings } from "./fields.js";

/** Each setting is a dimension of its own. */
export function strengthOf({ normal }: Item): Dimensions {
  return Object.fromEntries(
    Object.entries(normal as { readonly [field: string]: Json }) // no field is sensitive
      .flatMap(([field, value]) => strengthIn(field, value, normal)),
  );
}

function strengthIn(
  field: string,
  value: Json,
  normal: SealedObject,
): readonly (readonly [dimension: string, strength: Strength])[] {
  const part = nameInside(HEADER, field);
  const setting = part === null ? settings.get(field) : header.get(part);
  // HSTS that is off has no details.
  if (setting?.isDetail && normal[ENABLED] === false) return [];
  const isForgotten = field === ENABLED && value === true && normal[`${HEADER}.max_age`] === 0;
  const strength = isForgotten ? FORGOTTEN : (setting?.strength(value) ?? unknown(part ?? field, value));
  return [[field, named(field, strength)], ...Object.entries(setting?.beside?.(value) ?? {})];
}

function named(called: string, strength: Strength): Strength {
  return strength.as === "rank" ? { ...strength, called } : strength;
}

const ENABLED = `${HEADER}.enabled`;

/** The settings with HSTS on, if it is off without the files declaring it. Null: it is not. */
export function withHsts(item: Item): Item | null {
  if (item.normal[ENABLED] !== false || item.owns.includes(ENABLED)) return null;
  return { ...item, normal: { ...item.normal, [ENABLED]: true } };
}

/** Weaker than off: browsers that remember HSTS forget it at their next visit. */
const FORGOTTEN: Strength = {
  as: "rank",
  value: -1,
  is: "on with max_age 0",
  means: { stronger: "", weaker: "browsers forget HSTS at once" },
};

function unknown(field: string, value: Json): Strength {
  const subject = settings.has(field) ? `${field}: ${JSON.stringify(value)}` : field;
  return { as: "unknown", is: JSON.stringify(value), why: `the effect of ${subject} is unknown` };
}

/** The settings that turn visitors away. */
export function blockingOf(item: Item): Dimensions {
  return pickBy(strengthOf(item), (_, dimension) => settings.get(dimension)?.blocks === true);
}
