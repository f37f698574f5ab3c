import type { Json } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Rank, Strength } from "../../model/strength.js";
import { HEADER, settings, strongCiphers } from "./table.js";

/** Each setting is a dimension of its own. */
export function strengthOf(normal: SealedObject): Dimensions {
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
  if (field.startsWith(`${HEADER}.`)) {
    const isForgotten = field === ENABLED && value === true && normal[`${HEADER}.max_age`] === 0;
    if (isForgotten) return [[field, named(field, FORGOTTEN)]];
    const strength = headerStrength(field.slice(HEADER.length + 1), value, normal[ENABLED] !== false);
    return strength === null ? [] : [[field, named(field, strength)]];
  }
  const entry = [field, named(field, settings.get(field)?.strength(value) ?? unknown(field, value))] as const;
  if (field === "tls_1_3") return [entry, ["tls_1_3_0rtt", earlyData(value)]];
  return field === "ciphers" ? [entry, ...strongCiphers(value)] : [entry];
}

function named(called: string, strength: Strength): Strength {
  return strength.as === "rank" ? { ...strength, called } : strength;
}

const ENABLED = `${HEADER}.enabled`;

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

/** The value zrt switches on both TLS 1.3 and its early data. */
function earlyData(value: Json): Strength {
  const means = { stronger: "early data can no longer be replayed", weaker: "early data can be replayed" };
  const isOn = value === "zrt";
  return { as: "rank", value: isOn ? 0 : 1, is: isOn ? "on" : "off", called: "0-RTT", means };
}

/** HSTS that is off has no details. Null: the part has no effect. */
function headerStrength(name: string, value: Json, isOn: boolean): Strength | null {
  const part = HEADER_PARTS.get(name);
  if (part === undefined) return unknown(name, value);
  const { stronger, weaker, isDetail } = part;
  if (isDetail && !isOn) return null;
  const means = { stronger, weaker };
  const rank = (strength: number, is: string): Rank => ({
    as: "rank",
    value: strength,
    is,
    means,
    ...(isDetail ? { isDetail } : {}),
  });
  if (typeof value === "number") return rank(value, `${value} seconds`);
  return typeof value === "boolean" ? rank(value ? 1 : 0, value ? "on" : "off") : unknown(name, value);
}

interface HeaderPart {
  readonly stronger: string;
  readonly weaker: string;
  readonly isDetail: boolean;
}

const HEADER_PARTS: ReadonlyMap<string, HeaderPart> = new Map([
  ["enabled", part("browsers use only HTTPS", "browsers may use plain HTTP once they forget", false)],
  ["max_age", part("browsers remember HSTS longer", "browsers forget HSTS sooner")],
  ["include_subdomains", part("subdomains have HSTS too", "subdomains no longer have HSTS")],
  ["preload", part("browsers may preload HSTS of the zone", "browsers no longer preload HSTS of the zone")],
  ["nosniff", part("browsers no longer guess content types", "browsers may guess content types", false)],
]);

function part(stronger: string, weaker: string, isDetail = true): HeaderPart {
  return { stronger, weaker, isDetail };
}

/** The settings that turn visitors away. */
export function blockingOf(normal: SealedObject): Dimensions {
  return Object.fromEntries(
    Object.entries(strengthOf(normal)).filter(([dimension]) => settings.get(dimension)?.blocks === true),
  );
}
