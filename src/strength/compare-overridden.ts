import { groupBy } from "../model/group-by.js";
import type { Doing, Overridden, Override, OwnRule } from "../model/strength.js";
import { combinedWay, listText, type Move, type Way } from "./move.js";

/**
 * Compares overridden rules one by one. An override of the rule outweighs overrides of its tags, the last tag outweighs
 * the others, and tags outweigh the override of all rules.
 */
export function compareOverridden(before: Overridden, after: Overridden): Move | null {
  const rules = rulesOf(before, after);
  if (rules === null)
    return { way: "unknown", why: "too many tags to compare: the ruleset's rules are unknown" };
  const moves = rules.flatMap((rule) => moveOf(rule, before, after) ?? []);
  const way = combinedWay(moves.map((each) => each.way));
  if (way === null) return null;
  // The losses come first.
  const ordered = WAYS.flatMap((each) => moves.filter((move) => move.way === each));
  const groups = [...groupBy(ordered, (move) => `${move.way} ${move.why}`).values()];
  return { way, why: listText(groups.map(groupText), "; ") };
}

/** Whether some rule may act, given the overrides of it, of its tags and of all rules, and its own action. */
export function someMayAct(overridden: Overridden): boolean {
  return (
    rulesOf(overridden, overridden)?.some((rule) =>
      enabledCases(rule).some((enabled) => doneBy({ ...rule, enabled }, overridden).value !== 0),
    ) ?? true
  );
}

const WAYS: readonly Way[] = ["weaker", "unknown", "mixed", "stronger"];

interface RuleMove {
  readonly way: Way;
  readonly why: string;
  readonly rule: Rule;
}

function groupText(group: readonly RuleMove[]): string {
  const names = [...new Set(group.map(({ rule }) => rule.name))];
  const why = group[0]?.why ?? "";
  const [name = "", ...otherNames] = names;
  if (otherNames.length === 0)
    return `${group.every(({ rule }) => rule.id === null) ? "" : "rule "}${name}: ${why}`;
  return `${names.length} rules (${listText(names)}): ${why}`;
}

/** A known rule, or a stand-in for all unknown rules with the same tags. */
interface Rule extends OwnRule {
  /** Null: a stand-in for unknown rules. */
  readonly id: string | null;
}

/**
 * The known rules, and stand-ins for rules that may exist: rules named by overrides, and rules with tags of no known
 * rule. Null: there would be too many stand-ins.
 */
function rulesOf(before: Overridden, after: Overridden): readonly Rule[] | null {
  const ownRules = after.own ?? before.own;
  const knownRules = Object.entries(ownRules ?? {}).map(([id, rule]): Rule => ({ ...rule, id }));
  const tagsOfKnown = new Set(knownRules.flatMap(({ tags }) => tags));
  const tags = [...new Set([...before.tags, ...after.tags].map(([tag]) => tag))];
  const ids = [...new Set([...Object.keys(before.rules), ...Object.keys(after.rules)])];
  const unknownIds = ids.filter((id) => ownRules === null || !Object.hasOwn(ownRules, id));
  const unknownTags = ownRules === null ? tags : tags.filter((tag) => !tagsOfKnown.has(tag));
  const doing = after.unlisted ?? { value: null, is: "its own action" };
  const tagCount = unknownIds.length > 0 ? tags.length : unknownTags.length;
  if (tagCount > MOST_TAGS) return null;
  return [
    ...knownRules,
    ...unknownIds.flatMap((id) => tagChoices(tags).map((ruleTags) => unknownRule(id, ruleTags, doing))),
    ...tagChoices(unknownTags)
      .filter((ruleTags) => ownRules === null || ruleTags.length > 0)
      .map((ruleTags) => unknownRule(null, ruleTags, doing)),
  ];
}

const MOST_TAGS = 12;

function unknownRule(id: string | null, tags: readonly string[], doing: Doing): Rule {
  const name = id ?? (tags.length === 0 ? "rules of other tags" : `rules of ${listText(tags, " and ")}`);
  return { id, name, tags, enabled: null, does: doing };
}

/**
 * All lists of at most four tags. On each side, at most one tag decides whether the rule runs and one decides its
 * action.
 */
function tagChoices(tags: readonly string[]): readonly (readonly string[])[] {
  const lists: (readonly string[])[] = [[]];
  for (const tag of tags) for (const list of [...lists]) if (list.length < 4) lists.push([...list, tag]);
  return lists;
}

/** A rule with an unknown default is compared both enabled and disabled. */
function moveOf(rule: Rule, before: Overridden, after: Overridden): RuleMove | null {
  const moves = enabledCases(rule).flatMap((enabled) => {
    const [old, next] = [before, after].map((side) => doneBy({ ...rule, enabled }, side));
    const way = old === undefined || next === undefined ? null : wayOf(old, next, after.most);
    return way === null ? [] : [{ way, why: `${old?.is} → ${next?.is}`, rule }];
  });
  const [first] = moves;
  const way = combinedWay(moves.map((each) => each.way));
  if (first === undefined || way === null) return null;
  return { ...first, way: way === "mixed" ? "unknown" : way };
}

function enabledCases({ enabled }: Rule): readonly boolean[] {
  return enabled === null ? [true, false] : [enabled];
}

const OFF: Doing = { value: 0, is: "off" };

function doneBy({ id, tags, enabled, does }: Rule, overridden: Overridden): Doing {
  const single = id !== null && Object.hasOwn(overridden.rules, id) ? overridden.rules[id] : undefined;
  const tagged = overridden.tags.filter(([tag]) => tags.includes(tag)).map(([, each]) => each);
  const overrides: readonly Override[] = [
    ...(single === undefined ? [] : [single]),
    ...tagged.reverse(),
    overridden.whole,
  ];
  const isOn = overrides.find((each) => each.enabled !== undefined)?.enabled;
  const doing = overrides.find((each) => each.does !== undefined)?.does ?? does;
  const runs = isOn === undefined ? enabled : isOn;
  if (runs === false) return OFF;
  return runs === null && doing.value !== 0 ? { value: null, is: `perhaps ${doing.is}` } : doing;
}

/** An unknown action lies between doing nothing and doing the most. */
function wayOf(old: Doing, next: Doing, most: number): Way | null {
  if (old.value === null && next.value === null) return old.is === next.is ? null : "unknown";
  const [from, to] = [old.value ?? next.value, next.value ?? old.value];
  if (old.value === null) return to === 0 ? "weaker" : to === most ? "stronger" : "unknown";
  if (next.value === null) return from === 0 ? "stronger" : from === most ? "weaker" : "unknown";
  if (old.value === next.value) return null;
  return next.value > old.value ? "stronger" : "weaker";
}
