import type { Region, Regions } from "../expression/coverage/regions.js";
import { normalise } from "../expression/spelling/canonical.js";
import { equal } from "../model/json.js";

/** An enabled rule of a list. */
export interface ListedRule {
  readonly name: string;
  /** The filter expression of its requests. */
  readonly expression: string;
  readonly does: ListedAction;
}

export type ListedAction =
  | { readonly as: "block" | "challenge" | "log" }
  | {
      readonly as: "skip";
      /** Whether requests skip the rest of the list. */
      readonly rest: boolean;
      /** The skipped phases and products, in words. */
      readonly past: readonly string[];
    }
  /** An action of unknown reach. Rules with the same `is` do the same. */
  | { readonly as: "other"; readonly is: string };

/** A rule has the same effect under another name. */
export function areAlike(a: ListedRule, b: ListedRule): boolean {
  return normalise(a.expression) === normalise(b.expression) && equal(a.does, b.does);
}

/** The strongest effect of a list on a request, from weak to strong. */
export const RANKS = ["passed", "logged", "challenged", "blocked"] as const;

export type ListRank = (typeof RANKS)[number];

/** The effect of a list on all requests. */
export interface Outcomes {
  readonly ranked: { readonly [rank in ListRank]: Region };
  /** By the skipped phase or product. A blocked request skips nothing. */
  readonly skipped: ReadonlyMap<string, Region>;
  /** What unknown actions skip. */
  readonly skippedUnknown: Region;
}

/** The effects of two lists on clients that solve challenges, or on clients that do not. */
export interface World {
  readonly solved: boolean;
  readonly before: Outcomes;
  readonly after: Outcomes;
}

/** Requests on which two lists have another effect. */
export interface Moved<Effect> {
  readonly world: World;
  readonly effect: Effect;
  readonly region: Region;
}

export interface RankMove {
  readonly from: ListRank;
  readonly to: ListRank;
}

export interface SkipMove {
  /** The phases and products. */
  readonly past: readonly string[];
  readonly is: "skipped" | "no longer skipped";
}

/**
 * Runs a list on all requests.
 *
 * @param past the phases and products that some rule skips
 * @param solved whether clients solve challenges. Whether the rules behind a solved challenge run is not documented
 *   clearly, so both are compared
 */
export function outcomesOf(
  rules: readonly ListedRule[],
  past: readonly string[],
  solved: boolean,
  regions: Regions,
): Outcomes {
  const { all, none, either, without } = regions;
  let [blocked, challenged, logged, skippedUnknown] = [none, none, none, none];
  let skipped = past.map((name) => ({ name, region: none }));
  // From the bottom, each rule is put before those that follow. From the top, each would change all sets as a whole.
  for (const rule of rules.toReversed()) {
    const own = ownOutcome(rule, solved, regions);
    const before = (region: Region, ownRegion: Region) => either(ownRegion, without(region, own.ends));
    blocked = before(blocked, own.blocked);
    challenged = before(challenged, own.challenged);
    logged = before(logged, own.logged);
    skipped = skipped.map(({ name, region }) => ({ name, region: before(region, own.skipped(name)) }));
    skippedUnknown = before(skippedUnknown, own.skippedUnknown);
  }
  const stopped = either(blocked, challenged);
  return {
    ranked: {
      blocked,
      challenged: without(challenged, blocked),
      logged: without(logged, stopped),
      passed: without(all, either(stopped, logged)),
    },
    skipped: new Map(skipped.map(({ name, region }) => [name, without(region, blocked)])),
    skippedUnknown: without(skippedUnknown, blocked),
  };
}

/** For each rule of a list: those of the requests that reach and match the rule. */
export function hitsWithin(
  requests: Region,
  rules: readonly ListedRule[],
  solved: boolean,
  regions: Regions,
): readonly Region[] {
  let reaching = requests;
  return rules.map((rule) => {
    const hit = regions.both(reaching, regions.matching(rule.expression));
    reaching = regions.without(reaching, ownOutcome(rule, solved, regions).ends);
    return hit;
  });
}

/** What a rule does to the requests that reach it. */
interface OwnOutcome {
  readonly blocked: Region;
  readonly challenged: Region;
  readonly logged: Region;
  readonly skipped: (name: string) => Region;
  readonly skippedUnknown: Region;
  /** For these requests the list ends. */
  readonly ends: Region;
}

function ownOutcome({ expression, does }: ListedRule, solved: boolean, regions: Regions): OwnOutcome {
  const { none, both, either } = regions;
  const matching = regions.matching(expression);
  const nothing: OwnOutcome = {
    blocked: none,
    challenged: none,
    logged: none,
    skipped: () => none,
    skippedUnknown: none,
    ends: none,
  };
  switch (does.as) {
    case "block":
      return { ...nothing, blocked: matching, ends: matching };
    case "challenge":
      return { ...nothing, challenged: matching, ends: solved ? none : matching };
    case "log":
      return { ...nothing, logged: matching };
    case "skip":
      return {
        ...nothing,
        skipped: (name) => (does.past.includes(name) ? matching : none),
        ends: does.rest ? matching : none,
      };
    case "other": {
      const may = (what: string) => both(matching, regions.undecided(`${what} ${does.is}`));
      const [blocked, challenged] = [may("blocks"), may("challenges")];
      const stopped = solved ? blocked : either(blocked, challenged);
      return {
        blocked,
        challenged,
        logged: may("logs"),
        skipped: (name) => may(`skips ${name}`),
        skippedUnknown: may("skips more"),
        ends: either(stopped, may("ends")),
      };
    }
  }
}
