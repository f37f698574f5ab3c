import { groupBy } from "../../model/group-by.js";
import { equal, isList, isObject, type Json, type JsonObject, mapValues, without } from "../../model/json.js";
import { readFlag, writeFlag } from "../fields.js";
import { parametersOf } from "../phase.js";
import type { OwnRule } from "./named-ruleset.js";

/** The overrides of tags or of rules in an execute rule. Each entry has a tag or a rule id, and settings. */
export type Overrides = readonly JsonObject[];

/** The key of an entry's subject: a tag or a rule. */
export type Named = "category" | "id";

/** The name of the list of such entries in the rule. */
const LISTS = { category: "categories", id: "rules" } as const;

/** Whether the overrides of an execute rule are of the documented shape. */
export function hasUsableOverrides(rule: JsonObject): boolean {
  const { overrides } = parametersOf(rule);
  if (overrides === undefined || overrides === null) return true;
  return isObject(overrides) && Object.values(LISTS).every((list) => isOverrides(overrides[list] ?? []));
}

/** Settings for all rules of the ruleset that no override of a tag or rule changes. */
export function generalOverrides(rule: JsonObject): JsonObject {
  const { overrides } = parametersOf(rule);
  return isObject(overrides) ? overrides : {};
}

export function overridesIn(rule: JsonObject, named: Named): Overrides {
  const list = generalOverrides(rule)[LISTS[named]] ?? [];
  return isOverrides(list) ? list : [];
}

/** The rule with these overrides of tags or rules. The published schema forbids an empty list. */
export function withOverrides(rule: JsonObject, named: Named, list: Overrides): JsonObject {
  const { [LISTS[named]]: _list, ...rest } = generalOverrides(rule);
  return withAll(rule, list.length === 0 ? rest : { ...rest, [LISTS[named]]: list });
}

/** The rule with only these overrides. The published schema forbids an empty map. */
function withAll(rule: JsonObject, overrides: JsonObject): JsonObject {
  const { overrides: _, ...parameters } = parametersOf(rule);
  const isEmpty = Object.keys(overrides).length === 0;
  return { ...rule, action_parameters: isEmpty ? parameters : { ...parameters, overrides } };
}

/** The rule with this setting for the whole ruleset. Null: without it. */
export function withGeneral(rule: JsonObject, field: "action" | "enabled", value: Json): JsonObject {
  const others = without(generalOverrides(rule), [field]);
  return withAll(rule, value === null ? others : { ...others, [field]: value });
}

/** Whether an override's `enabled` disables, as text or boolean. An absent value does not disable. */
export function isOff(enabled: Json | undefined): boolean {
  return enabled !== undefined && readFlag(enabled) === false;
}

/**
 * The settings of each tag or rule with an entry. If two entries differ, the last one counts (the service's
 * documentation).
 */
export function settingsByName(list: Overrides, named: Named): { readonly [name: string]: JsonObject } {
  const settings = new Map<string, JsonObject>();
  for (const { [named]: name, ...override } of list) {
    if (typeof name === "string") settings.set(name, { ...settings.get(name), ...override });
  }
  return mapValues(Object.fromEntries(settings), (each) =>
    each.enabled === undefined ? each : { ...each, enabled: readFlag(each.enabled) },
  );
}

/** The settings of one tag or rule. Empty: it has no entry. */
export function settingsOf(list: Overrides, named: Named, name: string): JsonObject {
  return (
    settingsByName(
      list.filter((each) => each[named] === name),
      named,
    )[name] ?? {}
  );
}

/**
 * The action of a rule without an override of its own. The last entry for one of its tags counts, then the action of
 * the whole ruleset (the service's documentation). Undefined: unknown, since users report that the action of the whole
 * ruleset does not replace a rule's own action.
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

/** Adds the settings to all entries of a tag or rule. Without an entry, a new one comes last, which counts most. */
export function withSettings(list: Overrides, named: Named, name: string, settings: JsonObject): Overrides {
  if (!list.some((each) => each[named] === name)) return [...list, { [named]: name, ...settings }];
  return withoutTwins(
    list.map((each) => (each[named] === name ? { ...each, ...inFormOf(each, settings) } : each)),
  );
}

/** The settings in the form that the entry uses. A setting that the entry already has stays unchanged. */
function inFormOf({ enabled: live }: JsonObject, settings: JsonObject): JsonObject {
  if (settings.enabled === undefined || live === undefined) return settings;
  const isSame = readFlag(live) === settings.enabled;
  return { ...settings, enabled: isSame ? live : writeFlag(settings.enabled, live) };
}

/** Removes the disabling of a tag or rule. An entry without other settings is removed. */
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
  return settingsOf(list, named, name).enabled === false;
}

/**
 * The tags or rules that are disabled only by entries without other settings.
 *
 * @param listed tags or rules that also count if entries with other settings disable them
 */
export function disabledIn(list: Overrides, named: Named, listed: readonly string[]): readonly string[] {
  const listedNames = new Set(listed);
  return [...groupBy(list, (each) => each[named])].flatMap(([name, own]) =>
    typeof name === "string" &&
    isDisabled(own, named, name) &&
    (listedNames.has(name) || isPlainly(own, named, name))
      ? [name]
      : [],
  );
}

/** Disables exactly these, except where entries with other settings decide. */
export function withDisabled(
  list: Overrides,
  named: Named,
  names: readonly string[],
  isForeign: (name: Json | undefined) => boolean,
): Overrides {
  const wanted = new Set<Json | undefined>(names);
  const kept = list.filter((each) => !isPlain(each) || isForeign(each[named]) || wanted.has(each[named]));
  const entries = groupBy(kept, (each) => each[named]);
  const open = [...new Set(names)].filter((name) => !isDisabled(entries.get(name) ?? [], named, name));
  const off = { enabled: false };
  return [
    ...open
      .filter((name) => entries.has(name))
      .reduce<Overrides>((overrides, name) => withSettings(overrides, named, name, off), kept),
    ...open.filter((name) => !entries.has(name)).map((name) => ({ [named]: name, ...off })),
  ];
}

function isPlainly(list: Overrides, named: Named, name: string): boolean {
  const otherEntries = list.filter((each) => each[named] !== name || !isPlain(each));
  return !isDisabled(otherEntries, named, name);
}

function isPlain(entry: JsonObject): boolean {
  return isOff(entry.enabled) && Object.keys(entry).length === 2;
}

/** The published schema forbids equal entries. The last one is kept, because the last one counts. */
function withoutTwins(list: Overrides): Overrides {
  const alike = groupBy(list, ({ category, id }) => category ?? id);
  return list.filter(
    (each) => alike.get(each.category ?? each.id)?.findLast((other) => equal(other, each)) === each,
  );
}

function isOverrides(value: Json): value is Overrides {
  return isList(value) && value.every(isObject);
}

const LEVELS = [1, 2, 3, 4] as const;

/** The tag of a paranoia level. Each rule has the tag of its level. */
export const tagOf = (level: number): string => `paranoia-level-${level}`;

export function isLevelTag(tag: Json | undefined): boolean {
  return typeof tag === "string" && tag.startsWith("paranoia-level-");
}

/**
 * PLn if exactly the levels above n are disabled. Otherwise "custom", with the state of each level from the first
 * disabled one.
 *
 * @param whole the `enabled` override of the whole ruleset, which holds for rules without an override of a tag
 */
export function readLevel(categories: Overrides, whole: Json | undefined): string {
  if (isOff(whole)) {
    const on = LEVELS.filter((level) => settingsOf(categories, "category", tagOf(level)).enabled === true);
    return ["custom: all off", ...on.map((level) => `${level} on`)].join(", ");
  }
  const off = LEVELS.filter((level) => isDisabled(categories, "category", tagOf(level)));
  const [first = LEVELS.length + 1] = off;
  if (first > 1 && off.length === LEVELS.length + 1 - first) return `PL${first - 1}`;
  const states = LEVELS.slice(first - 1).map((level) => `${level} ${off.includes(level) ? "off" : "on"}`);
  return `custom: ${states.join(", ")}`;
}

/** The enabled levels of a paranoia level or a custom mix of levels. */
export function levelsOn(level: string): readonly number[] {
  if (level.startsWith("PL")) return LEVELS.filter((each) => each <= Number(level.slice("PL".length)));
  return level.startsWith("custom: all off")
    ? LEVELS.filter((each) => level.includes(`${each} on`))
    : LEVELS.filter((each) => !level.includes(`${each} off`));
}

/** The overrides of tags with this paranoia level set. Everything else in the overrides stays unchanged. */
export function writeLevel(categories: Overrides, level: string): Overrides {
  const highest = Number(level.slice("PL".length));
  return LEVELS.reduce<Overrides>((list, each) => {
    const tag = tagOf(each);
    if (each <= highest) return withoutDisable(list, "category", tag);
    return isDisabled(list, "category", tag) ? list : withSettings(list, "category", tag, { enabled: false });
  }, categories);
}
