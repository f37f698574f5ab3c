import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import {
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
  mapKeys,
  mapValues,
  pickBy,
  textsIn,
} from "../../model/json.js";
import type { Sealed } from "../../model/sealed.js";
import type { Dimensions, Skips } from "../../model/strength.js";
import { checkRulesetName } from "../account-rulesets.js";
import { CORE_RULESET, documentedId, documentedName, isRulesetId } from "../documented-rulesets.js";
import { changedMembers, type Field, unknownIfOn } from "../fields.js";
import { error, type Finding, repeatsIn } from "../kind.js";
import type { LiveRule } from "../phase.js";
import { behindIn } from "../rule-places.js";
import { skipOf } from "../skips.js";

/** What an exception skips, in files and in the normal form: `all`, rulesets, or rules by ruleset. */
type SkipValue = "all" | readonly string[] | { readonly [ruleset: string]: readonly string[] };

/** The declaration of what a live rule skips. Null: it skips nothing, or no file can declare it. */
export function skipValueOf(rule: LiveRule, nameOf: (id: string) => string): SkipValue | null {
  const skip = skipOf(rule);
  if (skip === null || !skip.isClear || skip.phases.length > 0) return null;
  const { isWhole, rulesets, rules } = skip;
  const forms = [isWhole, rulesets.length > 0, rules.length > 0].filter(Boolean);
  if (forms.length !== 1 || rules.some(([, ids]) => ids.length === 0)) return null;
  if (isWhole) return "all";
  if (rulesets.length > 0) return rulesets.map(nameOf);
  return Object.fromEntries(rules.map(([id, ids]) => [nameOf(id), ids]));
}

/** The skip value in the service's form. */
export function parametersOf(skip: Sealed, idOf: (ruleset: string) => string): JsonObject {
  const value = readSkipValue(skip);
  if (value === "all") return { ruleset: "current" };
  if (isTexts(value)) return { rulesets: value.map(idOf) };
  return { rules: mapKeys(value, idOf) };
}

/** The names or ids of the skipped rulesets, as written. */
export function rulesetsIn(skip: Sealed): readonly string[] {
  const value = readSkipValue(skip);
  if (value === "all") return [];
  return isTexts(value) ? value : Object.keys(value);
}

/** The declared value in the normal form. */
function normalSkip(declared: Json): Json {
  if (!isObject(declared)) return declared;
  return mapValues(declared, (ids) => textsIn(ids).map((id) => id.toLowerCase()));
}

/** The id of a ruleset with a documented name, else the name. */
export function canonicalRuleset(ruleset: string): string {
  return isRulesetId(ruleset) ? ruleset.toLowerCase() : (documentedId(ruleset) ?? ruleset);
}

/** Order and repetition have no meaning in skip values. */
export const skipField: Field = {
  spell: normalSkip,
  canonical: (value) => {
    const skip = readSkipValue(value);
    if (skip === "all") return skip;
    if (isTexts(skip)) return [...new Set(skip.map(canonicalRuleset))].sort();
    return mapKeys(
      mapValues(skip, (ids) => [...new Set(ids)].sort()),
      canonicalRuleset,
    );
  },
  parts: (before, after) => [changedMembers("", wordsIn(before), wordsIn(after))],
  show: (value) => (value === "all" ? "all (every managed ruleset)" : wordsIn(value).join(", ")),
};

/** Each skipped ruleset or rule, in words. */
export function wordsIn(skip: Sealed): readonly string[] {
  const value = readSkipValue(skip);
  if (value === "all") return [ALL];
  if (isTexts(value)) return value.map(rulesetWords);
  const rules = Object.entries(value).flatMap(([name, ids]) => ids.map((id) => ({ name, id })));
  const [scoring, otherRules] = [rules.filter(isScoring), rules.filter((each) => !isScoring(each))];
  return [...scoring.map((each) => `${ruleWords(each)} (${SCORING})`), ...otherRules.map(ruleWords)];
}

interface Rule {
  readonly name: string;
  readonly id: string;
}

function ruleWords({ name, id }: Rule): string {
  return `rule ${id} of ${rulesetWords(name)}`;
}

/** The scoring rule comes first, because the end of a long list is cut. */
const SCORING = "its scoring rule: without it the ruleset stops nothing";

function isScoring({ id }: Rule): boolean {
  return id.toLowerCase() === CORE_RULESET.scoringId;
}

const ALL = "all managed rulesets";

function rulesetWords(ruleset: string): string {
  return isRulesetId(ruleset) ? documentedName(ruleset.toLowerCase()) : ruleset;
}

const MAX_CHARS = 200;

/**
 * The skip value as a strength.
 *
 * @param behind the ids of rulesets that run before the exception
 */
function skipsOf(skip: Sealed, where: string, behind: readonly string[]): Skips {
  const value = readSkipValue(skip);
  const past = mapKeys(pastOf(value), canonicalRuleset);
  const none = Object.fromEntries(behind.map((id) => [id, []]));
  return {
    as: "skips",
    where,
    past: { ...past, ...none },
    others: value === "all",
    is: cutEnd(effectiveWords(value, behind), MAX_CHARS),
  };
}

/** The rulesets and rules that have not yet run when the exception is reached. */
function effectiveWords(value: SkipValue, behind: readonly string[]): string {
  if (behind.length === 0) return wordsIn(value).join(", ");
  if (value === "all") return `the managed rulesets behind ${behind.map(rulesetWords).join(", ")}`;
  const isLeft = (name: string) => !behind.includes(canonicalRuleset(name));
  const remaining = isTexts(value) ? value.filter(isLeft) : pickBy(value, (_, name) => isLeft(name));
  return wordsIn(remaining).join(", ") || "nothing";
}

function pastOf(value: SkipValue): { readonly [ruleset: string]: "all" | readonly string[] } {
  if (value === "all") return {};
  return isTexts(value) ? Object.fromEntries(value.map((name) => [name, "all"])) : value;
}

/** The schema of files and `skipValueOf` guarantee one of the three forms. */
function readSkipValue(skip: Sealed): SkipValue {
  if (isList(skip as Json)) return textsIn(skip as Json);
  return isObject(skip) ? (skip as Exclude<SkipValue, string | readonly string[]>) : "all";
}

function isTexts(value: Exclude<SkipValue, "all">): value is readonly string[] {
  return Array.isArray(value);
}

/**
 * The protection that an exception removes. A disabled exception removes none, and neither does one behind its ruleset,
 * which has already run.
 */
export function strengthOf({ normal: { enabled, expression, skip, position } }: Item): Dimensions {
  if (enabled === false) return {};
  if (enabled !== true || skip === undefined)
    return { skipped: unknownIfOn([enabled ?? null, expression ?? null, skip ?? null]) };
  return { skipped: skipsOf(skip, asText(expression ?? ""), behindIn(position ?? null)) };
}

/** Problems of rulesets and rules that are listed twice. */
export function checkSkip(skip: Json | undefined): readonly Finding[] {
  if (isList(skip)) return duplicatesIn([], skip, canonicalRuleset);
  if (!isObject(skip)) return [];
  const names = Object.keys(skip);
  return [
    ...repeatsIn(names.map(canonicalRuleset)).map((index) =>
      duplicateSkip([names[index] ?? ""], names[index]),
    ),
    ...names.flatMap((name) => duplicatesIn([name], skip[name], (id) => id.toLowerCase())),
  ];
}

function duplicatesIn(
  path: Finding["path"],
  list: Json | undefined,
  canonical: (item: string) => string,
): readonly Finding[] {
  const items = isList(list) ? list : [];
  return repeatsIn(items.map((item) => canonical(asText(item)))).map((index) =>
    duplicateSkip([...path, index], items[index]),
  );
}

/** Likely typos in the names of skipped rulesets. */
export function checkNames(skip: Json | undefined): readonly Finding[] {
  const entries = isList(skip)
    ? skip.entries()
    : Object.keys(isObject(skip) ? skip : {}).map((name) => [name, name]);
  return [...entries].flatMap(([place, name]) => checkRulesetName(asText(name), ["skip", place]));
}

function duplicateSkip(path: Finding["path"], entry: Json | undefined): Finding {
  const detail = "skip has it already, by its name or its id. Remove one of the two.";
  return error(
    ["skip", ...path],
    "duplicate_skip",
    `Duplicate item ${JSON.stringify(entry)} in skip`,
    detail,
  );
}
