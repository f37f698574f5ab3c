import { equal, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { readFlag, writeFlag } from "../fields.js";
import type { OwnRule } from "./managed.js";

/** The overrides of tags, or of rules, in an execute rule: each entry names what it is about, and says something. */
export type Overrides = readonly JsonObject[];

/** What entries name: a tag or a rule. */
export type Named = "category" | "id";

/** The name of an entry's list in the rule. */
const LISTS = { category: "categories", id: "rules" } as const;

/** Whether the overrides of an execute rule are of the documented shape. */
export function hasUsableOverrides(rule: JsonObject): boolean {
  const { overrides } = parametersOf(rule);
  if (overrides === undefined || overrides === null) return true;
  return isObject(overrides) && Object.values(LISTS).every((list) => isOverrides(overrides[list] ?? []));
}

/** What holds for all rules of the ruleset where no tag and no rule says otherwise. */
export function generalOverrides(rule: JsonObject): JsonObject {
  const { overrides } = parametersOf(rule);
  return isObject(overrides) ? overrides : {};
}

export function overridesIn(rule: JsonObject, named: Named): Overrides {
  const list = generalOverrides(rule)[LISTS[named]] ?? [];
  return isOverrides(list) ? list : [];
}

/** The rule with these overrides of tags or rules. The published schema allows no empty list. */
export function withOverrides(rule: JsonObject, named: Named, list: Overrides): JsonObject {
  const { [LISTS[named]]: _list, ...rest } = generalOverrides(rule);
  return withAll(rule, list.length === 0 ? rest : { ...rest, [LISTS[named]]: list });
}

/** The rule with these overrides alone. The published schema allows no empty map. */
function withAll(rule: JsonObject, overrides: JsonObject): JsonObject {
  const { overrides: _, ...parameters } = parametersOf(rule);
  const isEmpty = Object.keys(overrides).length === 0;
  return { ...rule, action_parameters: isEmpty ? parameters : { ...parameters, overrides } };
}

/** The rule with this action for the whole ruleset; null: each rule does what it does by itself. */
export function withGeneralAction(rule: JsonObject, action: Json): JsonObject {
  const { action: _action, ...others } = generalOverrides(rule);
  return withAll(rule, action === null ? others : { ...others, action });
}

/** Whether an override's `enabled` switches off: in whatever form it comes, and not where it is left out. */
export function isOff(enabled: Json | undefined): boolean {
  return enabled !== undefined && readFlag(enabled) === false;
}

/** What the entries of one tag or rule say together. Of two that differ, the last one counts, says the documentation. */
export function combinedOverride(list: Overrides, named: Named, name: string): JsonObject {
  const { [named]: _, ...override } = Object.assign(
    {},
    ...list.filter((each) => each[named] === name),
  ) as JsonObject; // of entries
  return override.enabled === undefined ? override : { ...override, enabled: readFlag(override.enabled) };
}

/**
 * The action of a rule of which nothing is said by its id. Of entries for its tags the last one counts, then what is
 * said of the whole ruleset, says the documentation; users report that the latter leaves a rule's own action alone, so
 * where the two differ it is not known: undefined.
 */
export function actionWithoutOverride(
  rule: JsonObject,
  { tags = [], action }: Partial<OwnRule>,
): Json | undefined {
  const tagOverride = overridesIn(rule, "category").findLast(
    (each) => each.action !== undefined && tags.some((tag) => tag === each.category),
  );
  if (tagOverride !== undefined) return tagOverride.action;
  const { action: general = action } = generalOverrides(rule);
  return general === action ? action : undefined;
}

/** With all entries of a tag or rule saying this too, or a new one, which then counts most. */
export function withSettings(list: Overrides, named: Named, name: string, settings: JsonObject): Overrides {
  if (!list.some((each) => each[named] === name)) return [...list, { [named]: name, ...settings }];
  return withoutTwins(
    list.map((each) => (each[named] === name ? { ...each, ...inFormOf(each, settings) } : each)),
  );
}

/** What is to be said, in the form that the entry has for it; what it says already stays as it is. */
function inFormOf({ enabled: live }: JsonObject, settings: JsonObject): JsonObject {
  if (settings.enabled === undefined || live === undefined) return settings;
  const isSame = readFlag(live) === settings.enabled;
  return { ...settings, enabled: isSame ? live : writeFlag(settings.enabled, live) };
}

/** Without what switches a tag or rule off; an entry that says nothing else goes. */
export function withoutDisable(list: Overrides, named: Named, name: string): Overrides {
  return withoutTwins(
    list.flatMap((each) => {
      if (each[named] !== name || !isOff(each.enabled)) return [each];
      const { enabled: _, ...rest } = each;
      return Object.keys(rest).length > 1 ? [rest] : [];
    }),
  );
}

function isDisabled(list: Overrides, named: Named, name: string): boolean {
  return combinedOverride(list, named, name).enabled === false;
}

/**
 * What is switched off, by entries that say nothing else, and would be on without these; and of `listed` also what entries that say more
 * switch off.
 */
export function disabledIn(list: Overrides, named: Named, listed: readonly string[]): readonly string[] {
  const names = new Set(list.flatMap(({ [named]: name }) => (typeof name === "string" ? [name] : [])));
  return [...names].filter(
    (name) => isDisabled(list, named, name) && (listed.includes(name) || isPlainly(list, named, name)),
  );
}

/** With exactly these switched off, as far as entries that say more leave it to this. */
export function withDisabled(
  list: Overrides,
  named: Named,
  names: readonly string[],
  isForeign: (name: Json | undefined) => boolean,
): Overrides {
  const keptEntries = list.filter(
    (each) => !isPlain(each) || isForeign(each[named]) || names.some((name) => name === each[named]),
  );
  return names.reduce<Overrides>(
    (overrides, name) =>
      isDisabled(overrides, named, name)
        ? overrides
        : withSettings(overrides, named, name, { enabled: false }),
    keptEntries,
  );
}

function isPlainly(list: Overrides, named: Named, name: string): boolean {
  const otherEntries = list.filter((each) => each[named] !== name || !isPlain(each));
  return !isDisabled(otherEntries, named, name);
}

function isPlain(entry: JsonObject): boolean {
  return isOff(entry.enabled) && Object.keys(entry).length === 2;
}

/** The published schema allows no two entries that are the same; the last one is the one that counts. */
function withoutTwins(list: Overrides): Overrides {
  return list.filter((each, index) => list.findLastIndex((other) => equal(other, each)) === index);
}

function parametersOf({ action_parameters: parameters }: JsonObject): JsonObject {
  return isObject(parameters) ? parameters : {};
}

function isOverrides(value: Json): value is Overrides {
  return isList(value) && value.every(isObject);
}

const LEVELS = [1, 2, 3, 4] as const;

/** Each rule has the tag of its level. */
export const tagOf = (level: number): string => `paranoia-level-${level}`;

export function isLevelTag(tag: Json | undefined): boolean {
  return typeof tag === "string" && tag.startsWith("paranoia-level-");
}

/**
 * PLn where the levels above n are off and the others are not; else, after "custom", what each level is, from the
 * first one that is off.
 *
 * @param whole whether the rules run where no tag says otherwise: the override for the whole ruleset
 */
export function readLevel(categories: Overrides, whole: Json | undefined): string {
  if (isOff(whole)) {
    const on = LEVELS.filter(
      (level) => combinedOverride(categories, "category", tagOf(level)).enabled === true,
    );
    return ["custom: all off", ...on.map((level) => `${level} on`)].join(", ");
  }
  const off = LEVELS.filter((level) => isDisabled(categories, "category", tagOf(level)));
  const [first = LEVELS.length + 1] = off;
  if (first > 1 && off.length === LEVELS.length + 1 - first) return `PL${first - 1}`;
  const states = LEVELS.slice(first - 1).map((level) => `${level} ${off.includes(level) ? "off" : "on"}`);
  return `custom: ${states.join(", ")}`;
}

/** The levels that a level, or a combination that is none, leaves on. */
export function levelsOn(level: string): readonly number[] {
  if (level.startsWith("PL")) return LEVELS.filter((each) => each <= Number(level.slice("PL".length)));
  return level.startsWith("custom: all off")
    ? LEVELS.filter((each) => level.includes(`${each} on`))
    : LEVELS.filter((each) => !level.includes(`${each} off`));
}

/** The overrides of tags with a level set: nothing else in them changes, and what is so already stays as it is. */
export function writeLevel(categories: Overrides, level: string): Overrides {
  const highest = Number(level.slice("PL".length));
  return LEVELS.reduce<Overrides>((list, each) => {
    const tag = tagOf(each);
    if (each <= highest) return withoutDisable(list, "category", tag);
    return isDisabled(list, "category", tag) ? list : withSettings(list, "category", tag, { enabled: false });
  }, categories);
}
