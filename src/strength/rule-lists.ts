import { diffArrays } from "diff";
import { areApart } from "../expression/coverage/coverage.js";
import { type Regions, withRegions } from "../expression/coverage/regions.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { quoted } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import { equal } from "../model/json.js";
import type { Shift, Witness } from "../model/strength.js";
import { chargedOnce, isSpent } from "../model/work-budget.js";
import {
  areAlike,
  type ListedAction,
  type ListedRule,
  type Moved,
  outcomesOf,
  RANKS,
  type RankMove,
  type SkipMove,
  type World,
} from "./list-outcomes.js";
import { type Named, rankWords, skipWords } from "./list-words.js";
import { listText } from "./move.js";
import { asRequest, customHostWords, servedRequest, withinOwnHosts, type ZoneName } from "./scopes.js";

/** The effect of another list of rules on the zone's requests. */
export interface ComparedLists {
  /** How far the list stops requests, and what they skip by it. */
  readonly shifts: readonly Shift[];
  /** The requests that the list newly challenges or blocks, or that skip less by it. */
  readonly blocking: readonly Shift[];
}

const SAME: ComparedLists = { shifts: [], blocking: [] };

/**
 * Compares two lists of rules. Rules run from the top; blocking, challenging and skipping the rest of the list end it for a
 * request. A rule that moves past others is thus a change with an effect.
 */
export function compareLists(
  before: readonly ListedRule[],
  after: readonly ListedRule[],
  zone: ZoneName = null,
): ComparedLists {
  const pair = pairOf(before, after);
  if (pair.changed.length === 0) return SAME;
  // The question is as long as the list.
  if (isSpent()) return tooLarge();
  const answer = () => {
    const changedTexts = textsIn(pair.changed);
    const texts = [...new Set([...changedTexts, ...textsIn([...pair.before, ...pair.after])])];
    const exact = texts.length > MOST_READ ? TOO_MANY : compareWithin(pair, texts, zone);
    // Rules that stay count as undecided: a new rule that blocks is a gain whatever they do.
    const rough =
      exact.value === null && changedTexts.length < texts.length
        ? compareWithin(pair, changedTexts, zone)
        : TOO_MANY;
    return { value: exact.value ?? rough.value ?? tooLarge(), work: exact.work + rough.work };
  };
  const rest = JSON.stringify([pair.after, pair.changed]);
  const question = [`rules ${zone ?? ""}`, JSON.stringify(pair.before), rest] as const;
  return chargedOnce(question, answer, tooLarge());
}

/** More expressions are mostly too many for one diagram, and finding that out takes long. */
const MOST_READ = 200;

const TOO_MANY = { value: null, work: 0 };

function tooLarge(): ComparedLists {
  const why = `${STOP.undecided}; the list of rules is too complex to compare`;
  const shift: Shift = { dimension: STOP.name, way: "unknown", why, witness: null };
  return { shifts: [shift], blocking: [shift] };
}

/** The rules of two lists that count for the difference between them. */
interface Pair {
  readonly before: readonly ListedRule[];
  readonly after: readonly ListedRule[];
  /** The rules that only one list has, or that moved. */
  readonly changed: readonly ListedRule[];
}

/** Leaves out rules whose requests no changed rule matches: these requests meet the same rules in both lists. */
function pairOf(before: readonly ListedRule[], after: readonly ListedRule[]): Pair {
  const runs = diffArrays([...before], [...after], { comparator: areAlike });
  const changed = runs.flatMap(({ added, removed, value }) => (added || removed ? value : []));
  const counts = (rule: ListedRule) => changed.some((each) => !areApart(rule.expression, each.expression));
  return { before: before.filter(counts), after: after.filter(counts), changed };
}

function textsIn(rules: readonly ListedRule[]): readonly string[] {
  return [...new Set(rules.map(({ expression }) => expression))];
}

function compareWithin(pair: Pair, texts: readonly string[], zone: ZoneName) {
  const dependOnHost = zone !== null && texts.some((each) => /host|full_uri/.test(each));
  const ownHosts = dependOnHost ? withinOwnHosts("true", zone) : [];
  return withRegions([...texts, ...ownHosts], (regions): ComparedLists => {
    const rules = [...pair.before, ...pair.after];
    // The order of undecided sets is that of the rules, which keeps the diagram small.
    for (const { expression } of rules) regions.matching(expression);
    const past = [...new Set(rules.flatMap(({ does }) => (does.as === "skip" ? does.past : [])))];
    const mayChallenge = rules.some(({ does }) => does.as === "challenge" || does.as === "other");
    const worlds = (mayChallenge ? [false, true] : [false]).map((solved) => ({
      solved,
      before: outcomesOf(pair.before, past, solved, regions),
      after: outcomesOf(pair.after, past, solved, regions),
    }));
    const comparison: Comparison = { ...pair, zone, ownHosts, texts, regions };
    const stops = rankMoves(regions, worlds);
    const skips = skipMoves(regions, worlds, past);
    const isStop = ({ effect: { to } }: Moved<RankMove>) => to === "challenged" || to === "blocked";
    const maySkipMore = ({ before, after }: World) =>
      regions.without(after.skippedUnknown, before.skippedUnknown) !== regions.none;
    const stop = (way: Sides<Moved<RankMove>>) => shiftOf(comparison, STOP, way);
    const skip = (way: Sides<Moved<SkipMove>>) => shiftOf(comparison, SKIP, way);
    return {
      shifts: present([stop(stops), worlds.some(maySkipMore) ? hiddenShift(comparison) : skip(skips)]),
      blocking: present([
        stop({ losses: [], gains: stops.gains.filter(isStop) }),
        skip({ losses: [], gains: skips.gains }),
      ]),
    };
  });
}

function present(all: readonly (Shift | null)[]): readonly Shift[] {
  return all.filter((each) => each !== null);
}

interface Comparison extends Pair, Named {
  readonly zone: ZoneName;
  /** Expressions for the zone's own hosts. Empty: hosts do not matter. */
  readonly ownHosts: readonly string[];
}

interface Sides<Move> {
  readonly losses: readonly Move[];
  readonly gains: readonly Move[];
}

/** The worst comes first. */
function rankMoves(regions: Regions, worlds: readonly World[]): Sides<Moved<RankMove>> {
  const moves = (isMeant: (from: number, to: number) => boolean) =>
    worlds.flatMap((world) =>
      RANKS.toReversed().flatMap((from) =>
        RANKS.flatMap((to) => {
          if (!isMeant(RANKS.indexOf(from), RANKS.indexOf(to))) return [];
          const region = regions.both(world.before.ranked[from], world.after.ranked[to]);
          return region === regions.none ? [] : [{ world, effect: { from, to }, region }];
        }),
      ),
    );
  return { losses: moves((from, to) => from > to), gains: moves((from, to) => from < to) };
}

/** Phases and products that the same requests skip are one move. */
function skipMoves(
  { without, none }: Regions,
  worlds: readonly World[],
  past: readonly string[],
): Sides<Moved<SkipMove>> {
  const moves = (is: SkipMove["is"]) =>
    worlds.flatMap((world) => {
      const [more, less] = is === "skipped" ? [world.after, world.before] : [world.before, world.after];
      const regionOf = (name: string) =>
        without(more.skipped.get(name) ?? none, less.skipped.get(name) ?? none);
      return [...groupBy(past, regionOf)].flatMap(([region, names]) =>
        region === none ? [] : [{ world, effect: { past: names, is }, region }],
      );
    });
  return { losses: moves("skipped"), gains: moves("no longer skipped") };
}

/** A dimension of a list. */
interface Dimension<Move> {
  readonly name: string;
  readonly words: (named: Named, moves: readonly Move[]) => string;
  readonly undecided: string;
  /** Whether a gain is doubtful if an expression of such a rule is unreadable. */
  readonly protects: (does: ListedAction) => boolean;
}

const STOP: Dimension<Moved<RankMove>> = {
  name: "stopped",
  words: rankWords,
  undecided: "unknown whether fewer requests are stopped",
  protects: ({ as }) => as !== "skip",
};

/** Skipping less is a gain whatever the expression means. */
const SKIP: Dimension<Moved<SkipMove>> = {
  name: "skipped",
  words: skipWords,
  undecided: "unknown whether fewer requests skip other protection",
  protects: () => false,
};

/** Where requests surely lose nothing, a change is a gain even if no request is known to gain; and the reverse. */
function shiftOf<Move extends Moved<unknown>>(
  comparison: Comparison,
  { name, words, undecided, protects }: Dimension<Move>,
  { losses, gains }: Sides<Move>,
): Shift | null {
  const { zone } = comparison;
  const shift = (way: Shift["way"], why: string, witness: Witness | null = null): Shift => ({
    dimension: name,
    way,
    why,
    witness,
  });
  const moves = [...losses, ...gains];
  if (moves.length === 0) return null;
  const { regions, before, after, changed } = comparison;
  const isSure = moves.some(({ region }) => regions.surely(region) !== regions.none);
  const mayBeOther = losses.length > 0 ? [...before, ...after] : changed;
  const isOpen = !isSure && mayBeOther.some(({ does }) => does.as === "other");
  const open = [undecided, ...unknownRules(comparison)].join("; ");
  if (isOpen) return shift("unknown", open);
  if (losses.length === 0) {
    const why = words(comparison, gains);
    return isDoubtful(comparison, protects) ? shift("unknown", `${why}; ${UNREAD}`) : shift("stronger", why);
  }
  if (zone !== null && isOutside(comparison, moves)) return shift("unknown", customHostWords(zone));
  const witness = witnessOf(comparison, losses);
  if (gains.length === 0) return shift("weaker", words(comparison, losses), witness);
  const [lossShown, gainShown] = [losses, gains].map((each) => hasExample(comparison, each));
  if (lossShown && gainShown) return shift("mixed", words(comparison, moves), witness);
  return shift("unknown", lossShown ? `${words(comparison, losses)}; ${open}` : open, witness);
}

const UNREAD = "the expression has parts unknown to this version";

/** A gain of an unreadable expression is no proven gain. */
function isDoubtful({ before, after }: Comparison, protects: (does: ListedAction) => boolean): boolean {
  const [old, next] = [before, after].map((rules) =>
    textsIn(rules.filter(({ does }) => protects(does)))
      .filter((each) => !parsedExpression(each).ok)
      .sort(),
  );
  return !equal(old, next);
}

/** Whether the lists differ only on hosts that the zone may not have. */
function isOutside(
  { zone, ownHosts: [, own], regions, before, after }: Comparison,
  moves: readonly Moved<unknown>[],
) {
  const isNamed = textsIn([...before, ...after]).some((each) => zone !== null && each.includes(zone));
  if (!isNamed || own === undefined) return false;
  return moves.every(({ region }) => regions.both(region, regions.matching(own)) === regions.none);
}

function hasExample({ regions }: Comparison, moves: readonly Moved<unknown>[]): boolean {
  return moves.some(({ region }) => regions.example(region) !== null);
}

/** A request of the zone's own hosts, where there is one. */
function witnessOf(
  { zone, ownHosts, regions, before, after }: Comparison,
  moves: readonly Moved<unknown>[],
): Witness | null {
  const wheres = textsIn([...before, ...after]);
  for (const { region } of moves)
    for (const within of [...ownHosts.map((each) => regions.both(region, regions.matching(each))), region]) {
      const example = regions.example(within);
      const shown = example === null ? null : asRequest(example);
      const request = shown && servedRequest(shown, zone, wheres, (each) => regions.has(region, each));
      if (request !== null) return { as: "request", request };
    }
  return null;
}

function hiddenShift(comparison: Comparison): Shift {
  const why = [SKIP.undecided, ...unknownRules(comparison)].join("; ");
  return { dimension: SKIP.name, way: "unknown", why, witness: null };
}

function unknownRules({ before, after }: Comparison): readonly string[] {
  const names = [...before, ...after].flatMap(({ name, does }) =>
    does.as === "other" ? [quoted(name)] : [],
  );
  return names.length === 0 ? [] : [`the effect of ${listText([...new Set(names)])} is unknown`];
}
