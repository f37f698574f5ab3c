import { uniform } from "../../expression/spelling/render.js";
import { word } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import { asText, isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Destination, Dimensions, Does, Members, Strength } from "../../model/strength.js";
import { LOG_RANK } from "../../strength/action-ranks.js";
import { placesOf, unknownIfOn } from "../fields.js";
import { rankOf } from "./fields.js";
import type { Content, Managed } from "./named-ruleset.js";
import { NO_ACTION } from "./normal.js";
import { actionWithoutOverride, levelsOn, tagOf } from "./overrides.js";
import { ADDS_SCORE, stopsBesideScore, unscoredBlocking, unscoredProtection } from "./unscored.js";

/**
 * How strongly the ruleset protects, and who can read the logged payloads.
 *
 * @param managed with the ruleset's own rules, the strength includes numbers of rules and the actions of rules without
 * an override
 */
export function strengthOf(item: Item, managed: Managed | null): Dimensions {
  const payload_logging = readersOf(item.normal.payload_logging as Json); // not sensitive
  return {
    ...protectionOf(item, managed),
    payload_logging: placesOf("payloads", { payload_logging }, item),
  };
}

/** Payloads are encrypted with the public key. The owner of the private key can read them. */
function readersOf(logging: Json | undefined): readonly Destination[] {
  if (logging === undefined || logging === null) return [];
  const key = asText((isObject(logging) ? logging.public_key : logging) ?? "");
  return [{ id: key, is: `the public key ${word(key)}` }];
}

/** If the ruleset does not run, its other fields have no effect. */
function protectionOf({ normal, raw }: Item, managed: Managed | null): Dimensions {
  if (normal.enabled === false) return { managed_ruleset: { as: "rank", value: 0 } };
  if (normal.enabled !== true) return { managed_ruleset: unknownIfOn(normal) };
  if (managed?.sort === "unscored") return unscoredProtection(normal, managed, raw);
  const content = managed?.content ?? null;
  const {
    paranoia_level: level,
    score_threshold: threshold,
    action,
    expression,
  } = normal as { readonly [field: string]: Json }; // no field is sensitive
  return {
    managed_ruleset: { as: "rank", value: 1, is: "the managed ruleset" },
    paranoia_level: {
      as: "set",
      stronger: "more",
      of: levelsOn(asText(level)).map((each) => memberOf(tagOf(each))),
      words: { come: "switched on", go: "switched off" },
      ...countedIn(content),
      isDetail: true,
    },
    // A disabled scoring rule makes the threshold irrelevant.
    ...(action === NO_ACTION ? {} : { score_threshold: thresholdStrength(threshold) }),
    action: actionStrength(action),
    expression: { as: "scope", of: uniform(asText(expression ?? "")) },
    disabled_tags: {
      ...disabledSet(textsIn(normal.disabled_tags as Json).map(memberOf)),
      ...countedIn(content),
    }, // not sensitive
    ...ruleStrengths(normal, actionsWithoutOverride(action, content, raw)),
  };
}

/** The dimensions that stop visitors. A score that is only logged stops none, unless single rules act by themselves. */
export function blockingOf(item: Item, managed: Managed | null): Dimensions {
  const { normal, raw } = item;
  if (normal.enabled === true && managed?.sort === "unscored") return unscoredBlocking(normal, managed, raw);
  const dimensions = protectionOf(item, managed);
  if (normal.action !== "log" && normal.action !== NO_ACTION) return dimensions;
  const { action: _action, score_threshold: _threshold, ...beside } = dimensions;
  const stops = managed?.scoring
    ? stopsBesideScore(normal, managed, raw)
    : hasStoppingAction(dimensions.rule_actions);
  return stops ? beside : {};
}

function hasStoppingAction(single: Strength | undefined): boolean {
  const isStopping = (does: Does) => does !== "off" && (does.as === "opaque" || does.value > LOG_RANK);
  return single?.as === "ranks" && Object.values(single.of).some(isStopping);
}

function memberOf(tag: string): string {
  return `tag ${word(tag)}`;
}

function countedIn(content: Content | null): Pick<Members, "rules"> {
  if (content === null) return {};
  return { rules: new Map([...content.tags].map(([tag, count]) => [memberOf(tag), count])) };
}

/** A higher threshold is weaker: more rules must match before the action runs. */
function thresholdStrength(threshold: Json | undefined): Strength {
  if (typeof threshold !== "number") return { as: "opaque", is: "the ruleset's own score threshold" };
  const means = {
    stronger: "fewer rules must match before the action runs",
    weaker: "more rules must match before the action runs",
  };
  return {
    as: "rank",
    value: -threshold,
    called: "score threshold",
    is: String(threshold),
    means,
    isDetail: true,
  };
}

function actionStrength(action: Json | undefined): Strength {
  const rank = rankOf(action);
  return rank !== null
    ? { ...rank, isDetail: true }
    : { as: "opaque", is: asText(action ?? "the ruleset's own action") };
}

function disabledSet(of: readonly string[]): Members {
  return { as: "set", stronger: "fewer", of, words: { come: "switched off", go: "switched on" } };
}

/** The strengths of single rules: disabled rules, surely enabled rules, and rules with another action. */
function ruleStrengths(
  { rules, disabled_rules: ids }: SealedObject,
  otherActions: ReadonlyMap<string, Does>,
): Dimensions {
  if (!isObject(rules)) return { disabled_rules: disabledSet(textsIn(ids as Json).map(ruleName)) }; // not sensitive
  const entries = Object.entries(rules).flatMap(([id, override]) =>
    isObject(override) ? [{ rule: ruleName(id), override }] : [],
  );
  const rulesWith = (enabled: boolean) =>
    entries.filter(({ override }) => override.enabled === enabled).map(({ rule }) => rule);
  const actions = entries.flatMap(({ rule, override: { enabled, action } }): (readonly [string, Does])[] => {
    if (enabled === false) return [[rule, "off"]];
    return action === undefined ? [] : [[rule, doesOf(action as Json)]]; // not sensitive
  });
  return {
    disabled_rules: disabledSet(rulesWith(false)),
    enabled_rules: {
      as: "set",
      stronger: "more",
      of: rulesWith(true),
      words: { come: "surely on", go: "no longer surely on" },
    },
    rule_actions: { as: "ranks", of: Object.fromEntries(actions), others: otherActions },
  };
}

/**
 * The actions of rules without an override of their own. A rule that adds to the score has no effect alone; together
 * with others it triggers the action of the scoring rule.
 */
function actionsWithoutOverride(
  scoreAction: Json | undefined,
  content: Content | null,
  live: JsonObject | null,
): ReadonlyMap<string, Does> {
  const strongest = rankOf(scoreAction);
  const actions = [...(content?.rules ?? [])].flatMap(([id, managedRule]): (readonly [string, Does])[] => {
    const action = actionWithoutOverride(live ?? {}, managedRule);
    if (action === undefined) return [];
    if (action !== ADDS_SCORE) return [[ruleName(id), doesOf(action)]];
    return strongest === null
      ? []
      : [[ruleName(id), { ...strongest, is: "score (adds to the score)", least: 0 }]];
  });
  return new Map(actions);
}

function doesOf(action: Json): Does {
  return rankOf(action) ?? { as: "opaque", is: `action ${asText(action)}` };
}

function ruleName(id: string): string {
  return `rule ${id}`;
}
