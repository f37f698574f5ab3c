import { equal, isList, isObject, type Json } from "../model/json.js";
import { REFERENCE } from "../model/reference.js";
import { siteOf } from "./bodies.js";

/** The variable for the site of a zone, in names of secrets. */
export const SITE = "SITE";

/** The two names of a zone in texts. */
export interface ZoneLabel {
  readonly zone: string;
  /** The prefix of the names of its secrets. */
  readonly site: string;
}

export function labelOf(zone: string): ZoneLabel {
  return { zone, site: siteOf(zone) };
}

/**
 * A value with `${zone}` and `${vars.SITE}` that becomes each of the values in its zone. Undefined: none. A text that is
 * equal everywhere is kept, even if it has the name of a zone in it.
 */
export function patternOf(values: readonly Json[], labels: readonly ZoneLabel[]): Json | undefined {
  const [first, ...otherValues] = values;
  const [firstLabel] = labels;
  if (first === undefined || firstLabel === undefined) return undefined;
  if (typeof first === "string") return textPattern(values, first, labels, firstLabel);
  if (!isList(first) && !isObject(first))
    return otherValues.every((each) => equal(each, first)) ? first : undefined;
  const keys = Object.keys(first);
  const parts = values.flatMap((each) =>
    isList(each) === isList(first) && typeof each === "object" ? new Map(Object.entries(each ?? {})) : [],
  );
  const isAlike = (part: ReadonlyMap<string, Json>) =>
    part.size === keys.length && keys.every((key) => part.has(key));
  if (parts.length < values.length || !parts.every(isAlike)) return undefined;
  const entries = keys.flatMap((key) => {
    const keyValues = parts.map((part) => part.get(key) ?? null);
    const pattern = patternOf(keyValues, labels);
    return pattern === undefined ? [] : [[key, pattern] as const];
  });
  if (entries.length < keys.length) return undefined;
  return isList(first) ? entries.map(([, pattern]) => pattern) : Object.fromEntries(entries);
}

function textPattern(
  values: readonly Json[],
  first: string,
  labels: readonly ZoneLabel[],
  firstLabel: ZoneLabel,
): string | undefined {
  const fits = (pattern: string) => values.every((each, index) => each === filledFor(pattern, labels[index]));
  return patternsOf(first, firstLabel).find(fits);
}

/** The patterns that may stand for a text, the likeliest first. */
export function patternsOf(text: string, { zone, site }: ZoneLabel): readonly string[] {
  if (text.startsWith("${")) return [text.replaceAll(bounded(site, "A-Z0-9", ""), `\${vars.${SITE}}`), text];
  if (!text.includes(zone)) return [text];
  const whole = text.replaceAll(bounded(zone, "\\w-", "|\\.[\\w-]"), "${zone}");
  return [whole, text, text.replaceAll(zone, "${zone}")];
}

/** Matches a name that is not part of a longer one. */
function bounded(name: string, letters: string, nor: string): RegExp {
  return new RegExp(`(?<![${letters}])${name.replaceAll(".", "\\.")}(?![${letters}]${nor})`, "g");
}

/** Fills in a pattern for a zone. References to the environment stay. */
export function filledFor(pattern: string, label: ZoneLabel | undefined): string {
  if (label === undefined) return pattern;
  return pattern.replace(REFERENCE, (reference, inner: string | undefined) => {
    if (inner === "zone") return label.zone;
    return inner === undefined ? reference : reference.replaceAll(`\${vars.${SITE}}`, label.site);
  });
}
