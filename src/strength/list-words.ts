import type { Region, Regions } from "../expression/coverage/regions.js";
import { quoted } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import {
  areAlike,
  hitsWithin,
  type ListedAction,
  type ListedRule,
  type ListRank,
  type Moved,
  RANKS,
  type RankMove,
  type SkipMove,
} from "./list-outcomes.js";
import { listText } from "./move.js";
import { requestsOf } from "./scope-words.js";

/** The rules that words may name, and the sets of requests. */
export interface Named {
  readonly before: readonly ListedRule[];
  readonly after: readonly ListedRule[];
  /** The expressions that are read: the others are undecided, so no words are about their rules. */
  readonly texts: readonly string[];
  readonly regions: Regions;
}

/** `no longer blocked by "A": /login`, `challenged → blocked: every request` */
export function rankWords(named: Named, moves: readonly Moved<RankMove>[]): string {
  const happens = (move: Moved<RankMove>) => {
    const { from, to } = move.effect;
    if (from !== "passed" && to !== "passed" && !move.world.solved) return `${from} → ${to}`;
    const isLess = isLoss(move);
    const rank = isLess ? from : to;
    const by = rulesBehind(named, move, isLess ? "before" : "after", ({ as }) => as === ACTIONS[rank]);
    return `${isLess ? "no longer" : "now"} ${rank}${by}`;
  };
  // A request has one rank before and one after, so losses with the same words are alternatives.
  return inWords(named, sureMoves(named, moves), happens, (move, where) => `${isLoss(move)} ${where}`);
}

function isLoss({ effect: { from, to } }: Moved<RankMove>): boolean {
  return RANKS.indexOf(to) < RANKS.indexOf(from);
}

/** Where unknown rules leave the other rank open, all possible ones are one move. */
function sureMoves({ regions }: Named, moves: readonly Moved<RankMove>[]): readonly Moved<RankMove>[] {
  const isSure = ({ region }: Moved<RankMove>) => regions.surely(region) !== regions.none;
  const open = moves.filter((each) => !isSure(each));
  const alike = groupBy(open, (move) => {
    const { from, to } = move.effect;
    return [move.world.solved, isLoss(move) ? `no longer ${from}` : `now ${to}`].join();
  });
  const joined = [...alike.values()].map((group): Moved<RankMove> => {
    const [{ world, effect }] = group;
    const region = group.map((each) => each.region).reduce(regions.either);
    const isLess = isLoss(group[0]);
    return {
      world,
      region,
      effect: isLess ? { from: effect.from, to: "passed" } : { from: "passed", to: effect.to },
    };
  });
  return [...moves.filter(isSure), ...joined];
}

const ACTIONS: { readonly [rank in ListRank]: ListedAction["as"] | null } = {
  passed: null,
  logged: "log",
  challenged: "challenge",
  blocked: "block",
};

/** `skips rate limits by "A": /login` */
export function skipWords(named: Named, moves: readonly Moved<SkipMove>[]): string {
  const happens = (move: Moved<SkipMove>) => {
    const { past, is } = move.effect;
    const isMore = is === "skipped";
    const isMeant = (does: ListedAction) =>
      does.as === "skip" && past.some((each) => does.past.includes(each));
    const by = rulesBehind(named, move, isMore ? "after" : "before", isMeant);
    return `${isMore ? "skips" : "no longer skips"} ${listText(past)}${by}`;
  };
  return inWords(named, moves, happens, (move, where) => happens(move) + where);
}

/**
 * What holds for all clients is said once.
 *
 * @param groupOf moves of one group share the words for their requests
 */
function inWords<Effect>(
  named: Named,
  moves: readonly Moved<Effect>[],
  happens: (move: Moved<Effect>) => string,
  groupOf: (move: Moved<Effect>, where: string) => string,
): string {
  const isForAll = ({ effect }: Moved<Effect>) =>
    moves.some((each) => !each.world.solved && isSame(each.effect, effect));
  const parts = moves
    .filter((move) => !move.world.solved || !isForAll(move))
    .map((move) => ({ move, where: `${suffix(move)}: ${regionWords(named, move.region)}` }));
  const groups = [...groupBy(parts, ({ move, where }) => groupOf(move, where)).values()];
  const texts = groups.map((group) => {
    const alternatives = new Set(group.map(({ move }) => happens(move)));
    return `${[...alternatives].join(", or ")}${group[0].where}`;
  });
  return listText(texts, "; ");
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function suffix({ world }: Moved<unknown>): string {
  return world.solved ? " after a solved challenge" : "";
}

/** The rules with an effect on the requests that both lists have. Another rule is the one that the change is about. */
function rulesBehind(
  named: Named,
  { world, region }: Moved<unknown>,
  side: "before" | "after",
  isMeant: (does: ListedAction) => boolean,
): string {
  const { regions, texts } = named;
  const others = named[side === "before" ? "after" : "before"];
  const mayBeBehind = (rule: ListedRule) =>
    isMeant(rule.does) && texts.includes(rule.expression) && others.some((each) => areAlike(each, rule));
  const isMet = named[side].some(mayBeBehind)
    ? hitsWithin(region, named[side], world.solved, regions).map((hit) => hit !== regions.none)
    : [];
  const rules = named[side].filter((rule, index) => isMet[index] === true && mayBeBehind(rule));
  const names = rules.map(({ name }) => quoted(name));
  return names.length === 0 ? "" : ` by ${listText([...new Set(names)])}`;
}

/** Names requests by the expression of a rule that matches just these, else by the narrowest that matches them too. */
function regionWords({ texts, regions }: Named, region: Region): string {
  const around = texts.filter((text) => regions.without(region, regions.matching(text)) === regions.none);
  const isNarrower = (text: string, other: string) =>
    regions.without(regions.matching(text), regions.matching(other)) === regions.none;
  const [first] = around;
  if (first === undefined) return region === regions.all ? EVERY : SOME;
  const narrowest = around.reduce((best, text) =>
    isNarrower(text, best) && !isNarrower(best, text) ? text : best,
  );
  const words = requestsOf(narrowest);
  if (regions.matching(narrowest) === region) return words;
  const exceptions = exceptionsTo(narrowest, region, texts, regions);
  if (exceptions !== null) return `${words} except ${listText(exceptions.map(requestsOf), ", and except ")}`;
  const isOverlap = (text: string) =>
    regions.both(regions.matching(narrowest), regions.matching(text)) === region;
  const [overlap = null] = around.filter(isOverlap).map((text) => overlapWords(words, requestsOf(text)));
  if (overlap !== null) return overlap;
  if (words === EVERY) return SOME;
  return words.startsWith(MATCHING) ? `some of the ${words}` : `some of the requests to ${words}`;
}

/** `requests to /v1/* that match ssl`. Null: neither side is an expression, or both are. */
function overlapWords(...both: readonly [string, string]): string | null {
  const [expression, ...expressions] = both.filter((words) => words.startsWith(MATCHING));
  const place = both.find((words) => !words.startsWith(MATCHING));
  if (expression === undefined || expressions.length > 0) return null;
  return `requests to ${place} that match ${expression.slice(MATCHING.length)}`;
}

const MATCHING = "requests that match ";

/** The few expressions without which `around` is the region. Null: there are none, or too many. */
function exceptionsTo(
  around: string,
  region: Region,
  texts: readonly string[],
  { both, matching, none, without }: Regions,
): readonly string[] | null {
  const isApart = (text: string) =>
    both(region, matching(text)) === none && both(matching(around), matching(text)) !== none;
  const apart = texts.filter(isApart);
  if (apart.length > MOST_TRIED) return null;
  const isWithinOther = (text: string, index: number) =>
    apart.some((other, place) => {
      const isInside = without(matching(text), matching(other)) === none;
      return place !== index && isInside && (place < index || matching(other) !== matching(text));
    });
  const widest = apart.filter((text, index) => !isWithinOther(text, index));
  const rest = widest.reduce((left, text) => without(left, matching(text)), matching(around));
  return rest === region && widest.length <= MOST_EXCEPTIONS ? widest : null;
}

const MOST_EXCEPTIONS = 2;
/** Each one is compared with each other one. */
const MOST_TRIED = 6;
const EVERY = "every request";
const SOME = "some requests";
