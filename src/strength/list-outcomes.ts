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
  /** Challenges of all kinds are equally strong. */
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
  /** By rule: the requests that reach and match the rule. */
  readonly hits: readonly Region[];
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
 * Runs a list from its top.
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
  const { all, none, both, either, without } = regions;
  let reaching = all;
  let [blocked, challenged, logged, skippedUnknown] = [none, none, none, none];
  const skipped = new Map(past.map((each) => [each, none]));
  const hits: Region[] = [];

  const skip = (name: string, hit: Region) => skipped.set(name, either(skipped.get(name) ?? none, hit));
  const stop = (hit: Region) => {
    reaching = without(reaching, hit);
  };
  const challenge = (hit: Region) => {
    challenged = either(challenged, hit);
    if (!solved) stop(hit);
  };
  const block = (hit: Region) => {
    blocked = either(blocked, hit);
    stop(hit);
  };

  for (const { expression, does } of rules) {
    const hit = both(reaching, regions.matching(expression));
    hits.push(hit);
    switch (does.as) {
      case "block":
        block(hit);
        break;
      case "challenge":
        challenge(hit);
        break;
      case "log":
        logged = either(logged, hit);
        break;
      case "skip":
        for (const each of does.past) skip(each, hit);
        if (does.rest) stop(hit);
        break;
      case "other": {
        const may = (what: string) => both(hit, regions.undecided(`${what} ${does.is}`));
        for (const each of past) skip(each, may(`skips ${each}`));
        skippedUnknown = either(skippedUnknown, may("skips more"));
        logged = either(logged, may("logs"));
        block(may("blocks"));
        challenge(may("challenges"));
        stop(may("ends"));
      }
    }
  }

  const stopped = either(blocked, challenged);
  return {
    ranked: {
      blocked,
      challenged: without(challenged, blocked),
      logged: without(logged, stopped),
      passed: without(all, either(stopped, logged)),
    },
    skipped: new Map([...skipped].map(([name, region]) => [name, without(region, blocked)])),
    skippedUnknown: without(skippedUnknown, blocked),
    hits,
  };
}
