import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject, mapKeys, mapValues, pick, pickBy } from "../../model/json.js";
import { isSame, mapInside } from "../fields.js";
import { liveExtra, PLAIN } from "./extra-fields.js";
import { SAME_NAMED } from "./fields.js";
import { isLogpullOnly, shownLogpull, writeLogpull } from "./logpull.js";
import { declaredLogpull, defaultsOf, isOption, memberOf } from "./options.js";

/** The declaration of a live job. */
export function configOf(live: Item, declared: JsonObject | null): JsonObject {
  const normal = live.normal as JsonObject; // secrets of live objects are not sealed
  const raw = live.raw ?? {};
  if (declared === null)
    return pickBy({ ...pick(normal, SAME_NAMED), ...optionsOf(normal, raw) }, (value) => value !== null);
  return mapValues(declared, (written, key) => valueFor(key, written, normal, raw) ?? undefined);
}

/** All declarable options. Unknown fields are left out, because they may hold a secret. */
function optionsOf(normal: JsonObject, raw: JsonObject): JsonObject {
  // No option that this program knows is a map or a list.
  const unusual = pickBy(normal, (value, field) => typeof value !== "object" && value !== USUAL[field]);
  const extra = pick(mapInside("extra", unusual), PLAIN);
  const output = mapKeys(
    pickBy(unusual, (_, field) => field in OPTIONS && !BESIDE.includes(field)),
    memberOf,
  );
  const text = liveText(raw);
  if (text !== null && Object.keys(output).length > 0)
    return { logpull_options: shownLogpull(text), ...filled({ extra }) };
  return {
    ...(hasFields(normal) ? pick(normal, BESIDE) : pick(unusual, ["timestamps"])),
    ...filled({ extra: { ...extra, ...filled({ output_options: output }) } }),
  };
}

const OPTIONS = defaultsOf(undefined);
const USUAL: JsonObject = { ...liveExtra({}), ...OPTIONS };

/** Options with a key of their own. */
const BESIDE: readonly string[] = ["fields", "timestamps"];

/** An empty list of fields leaves them to the service. */
function hasFields({ fields }: JsonObject): boolean {
  return Array.isArray(fields) && fields.length > 0;
}

/** The live `logpull_options`. Null: the job uses `output_options`. */
function liveText({ logpull_options: text, output_options: output }: JsonObject): string | null {
  return typeof text === "string" && !isObject(output) ? text : null;
}

/** The maps that are not empty. */
function filled(maps: { readonly [key: string]: JsonObject }): JsonObject {
  return mapValues(maps, orNothing);
}

function orNothing(map: JsonObject): JsonObject | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}

function valueFor(key: string, written: Json, normal: JsonObject, raw: JsonObject): Json | undefined {
  switch (key) {
    case "id":
    case "renamed_from":
    case "ownership_challenge":
      return written;
    case "logpull_options":
      return typeof written === "string" ? textFor(written, normal, raw) : undefined;
    case "extra":
      return isObject(written) ? extraFor(written, normal) : undefined;
    case "fields":
      return hasFields(normal) ? normal.fields : undefined;
    default:
      return normal[key];
  }
}

/**
 * The declared text, if no option differs. Otherwise the live text or, for a job without one, the declared text with
 * the live values.
 */
function textFor(written: string, normal: JsonObject, raw: JsonObject): Json {
  const declaredOptions = declaredLogpull(written, { raw });
  const differing = Object.keys(declaredOptions).filter(
    (field) => !isSame(normal[field] ?? null, declaredOptions[field] ?? null, undefined),
  );
  if (differing.length === 0) return written;
  const liveParameters = shownLogpull(liveText(raw) ?? "", written);
  return liveParameters === "" ? writeLogpull(written, pick(normal, differing)) : liveParameters;
}

function extraFor(written: JsonObject, normal: JsonObject): JsonObject | undefined {
  return orNothing(
    mapValues(written, (value, key) =>
      key === "output_options" && isObject(value) ? outputFor(value, normal) : normal[`extra.${key}`],
    ),
  );
}

function outputFor(written: JsonObject, normal: JsonObject): JsonObject | undefined {
  const options = pickBy(normal, (_, field) => isOption(field) && !isLogpullOnly(field));
  return orNothing(pick(mapKeys(options, memberOf), Object.keys(written)));
}
