import { groupBy } from "../model/group-by.js";
import type { Doing, Overridden, OwnRule, Said } from "../model/strength.js";
import { listed, type Move, together, type Way } from "./move.js";

/**
 * What becomes of rules of which something else is said: rule by rule, what it did and what it does. What is said of the
 * rule outweighs what is said of its tags, of which the last one counts, and that what is said of all.
 */
export function compareOverridden(before: Overridden, after: Overridden): Move | null {
  const rules = rulesOf(before, after);
  if (rules === null)
    return { way: "unknown", why: "more tags than can be compared without what its rules are" };
  const moves = rules.flatMap((rule) => moveOf(rule, before, after) ?? []);
  const way = together(moves.map((each) => each.way));
  if (way === null) return null;
  // What gets lost comes first.
  const ordered = WAYS.flatMap((each) => moves.filter((move) => move.way === each));
  const groups = [...groupBy(ordered, (move) => `${move.way} ${move.why}`).values()];
  return { way, why: listed(groups.map(groupText), "; ") };
}

/** Whether some rule may do more than nothing, by what is said of it in one place, in another, and by itself. */
export function someMayAct(all: Overridden): boolean {
  return (
    rulesOf(all, all)?.some((rule) =>
      cases(rule).some((enabled) => doneBy({ ...rule, enabled }, all).value !== 0),
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
  const [name = "", ...others] = names;
  if (others.length === 0)
    return `${group.every(({ rule }) => rule.id === null) ? "" : "rule "}${name}: ${why}`;
  return `${names.length} rules (${listed(names)}): ${why}`;
}

/** A rule, or any rule like it. */
interface Rule extends OwnRule {
  /** Null: it stands for all rules like it, of which nothing is known. */
  readonly id: string | null;
}

/**
 * The rules that are known, and those that may be there: the ones that are named and not among them, and such as have tags
 * that none of them has. Null: these would be too many.
 */
function rulesOf(before: Overridden, after: Overridden): readonly Rule[] | null {
  const own = after.own ?? before.own;
  const known = Object.entries(own ?? {}).map(([id, rule]): Rule => ({ ...rule, id }));
  const tagsOfKnown = new Set(known.flatMap(({ tags }) => tags));
  const tags = [...new Set([...before.tags, ...after.tags].map(([tag]) => tag))];
  const ids = [...new Set([...Object.keys(before.rules), ...Object.keys(after.rules)])];
  const unknownIds = ids.filter((id) => own === null || !Object.hasOwn(own, id));
  const unknownTags = own === null ? tags : tags.filter((tag) => !tagsOfKnown.has(tag));
  const does = after.unlisted ?? { value: null, is: "its own action" };
  const most = unknownIds.length > 0 ? tags.length : unknownTags.length;
  if (most > MOST_TAGS) return null;
  return [
    ...known,
    ...unknownIds.flatMap((id) => someOf(tags).map((some) => unknownRule(id, some, does))),
    ...someOf(unknownTags)
      .filter((some) => own === null || some.length > 0)
      .map((some) => unknownRule(null, some, does)),
  ];
}

const MOST_TAGS = 12;

function unknownRule(id: string | null, tags: readonly string[], does: Doing): Rule {
  const name = id ?? (tags.length === 0 ? "rules of other tags" : `rules of ${listed(tags, " and ")}`);
  return { id, name, tags, enabled: null, does };
}

/**
 * All choices of tags that make a difference: two of them decide on each side, one whether the rule runs, and one what it
 * does.
 */
function someOf(tags: readonly string[]): readonly (readonly string[])[] {
  const all: (readonly string[])[] = [[]];
  for (const tag of tags) for (const some of [...all]) if (some.length < 4) all.push([...some, tag]);
  return all;
}

/** Of a rule that may be on or off by itself, what happens in both cases. */
function moveOf(rule: Rule, before: Overridden, after: Overridden): RuleMove | null {
  const moves = cases(rule).flatMap((enabled) => {
    const [was, is] = [before, after].map((side) => doneBy({ ...rule, enabled }, side));
    const way = was === undefined || is === undefined ? null : wayOf(was, is, after.most);
    return way === null ? [] : [{ way, why: `${was?.is} → ${is?.is}`, rule }];
  });
  const [first] = moves;
  const way = together(moves.map((each) => each.way));
  if (first === undefined || way === null) return null;
  return { ...first, way: way === "mixed" ? "unknown" : way };
}

function cases({ enabled }: Rule): readonly boolean[] {
  return enabled === null ? [true, false] : [enabled];
}

const OFF: Doing = { value: 0, is: "off" };

function doneBy({ id, tags, enabled, does }: Rule, said: Overridden): Doing {
  const single = id !== null && Object.hasOwn(said.rules, id) ? said.rules[id] : undefined;
  const tagged = said.tags.filter(([tag]) => tags.includes(tag)).map(([, each]) => each);
  const saying: readonly Said[] = [
    ...(single === undefined ? [] : [single]),
    ...tagged.reverse(),
    said.whole,
  ];
  const isOn = saying.find((each) => each.enabled !== undefined)?.enabled;
  const doing = saying.find((each) => each.does !== undefined)?.does ?? does;
  const runs = isOn === undefined ? enabled : isOn;
  if (runs === false) return OFF;
  return runs === null && doing.value !== 0 ? { value: null, is: `perhaps ${doing.is}` } : doing;
}

/** What may be anything is no less than nothing, and no more than the most. */
function wayOf(was: Doing, is: Doing, most: number): Way | null {
  if (was.value === null && is.value === null) return was.is === is.is ? null : "unknown";
  const [from, to] = [was.value ?? is.value, is.value ?? was.value];
  if (was.value === null) return to === 0 ? "weaker" : to === most ? "stronger" : "unknown";
  if (is.value === null) return from === 0 ? "stronger" : from === most ? "weaker" : "unknown";
  if (was.value === is.value) return null;
  return is.value > was.value ? "stronger" : "weaker";
}
