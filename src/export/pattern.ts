import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
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
  if (isList(first)) {
    if (!values.every((each) => isList(each) && each.length === first.length)) return undefined;
    const lists = values as readonly (readonly Json[])[]; // all are
    const items = first.map((_, index) =>
      patternOf(
        lists.map((list) => list[index] ?? null),
        labels,
      ),
    );
    return items.every((each) => each !== undefined) ? items : undefined;
  }
  if (isObject(first)) {
    const names = Object.keys(first);
    const isAlike = (each: Json) => isObject(each) && Object.keys(each).length === names.length;
    if (!values.every(isAlike)) return undefined;
    const maps = values as readonly JsonObject[]; // all are
    if (!maps.every((map) => names.every((name) => Object.hasOwn(map, name)))) return undefined;
    const entries = names.map(
      (name) =>
        [
          name,
          patternOf(
            maps.map((map) => map[name] ?? null),
            labels,
          ),
        ] as const,
    );
    return entries.every(([, each]) => each !== undefined)
      ? (Object.fromEntries(entries) as JsonObject)
      : undefined;
  }
  return otherValues.every((each) => equal(each, first)) ? first : undefined;
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
