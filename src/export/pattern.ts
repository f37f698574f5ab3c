import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { REFERENCE } from "../model/reference.js";
import { siteOf } from "./bodies.js";

/** What stands for the site of a zone in names of secrets. */
export const SITE = "SITE";

/** What a zone's texts can call it by. */
export interface ZoneLabel {
  readonly zone: string;
  /** As names of its secrets begin. */
  readonly site: string;
}

export function labelOf(zone: string): ZoneLabel {
  return { zone, site: siteOf(zone) };
}

/**
 * One value, with `${zone}` and `${vars.SITE}`, that is each of these in its own zone. Undefined: there is none. What is the
 * same text everywhere needs no name of a zone, even where a part of it is one.
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

/** What a text can be made of, likeliest first. */
export function patternsOf(text: string, { zone, site }: ZoneLabel): readonly string[] {
  if (text.startsWith("${")) return [text.replaceAll(bounded(site, "A-Z0-9", ""), `\${vars.${SITE}}`), text];
  if (!text.includes(zone)) return [text];
  const whole = text.replaceAll(bounded(zone, "\\w-", "|\\.[\\w-]"), "${zone}");
  return [whole, text, text.replaceAll(zone, "${zone}")];
}

/** A name that stands by itself; letters around it would make another of it. */
function bounded(name: string, letters: string, nor: string): RegExp {
  return new RegExp(`(?<![${letters}])${name.replaceAll(".", "\\.")}(?![${letters}]${nor})`, "g");
}

/** A pattern as it is read in a zone. What it says of the environment stays. */
export function filledFor(pattern: string, label: ZoneLabel | undefined): string {
  if (label === undefined) return pattern;
  return pattern.replace(REFERENCE, (reference, inner: string | undefined) => {
    if (inner === "zone") return label.zone;
    return inner === undefined ? reference : reference.replaceAll(`\${vars.${SITE}}`, label.site);
  });
}
