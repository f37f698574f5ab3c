import type { Declared, Service } from "../../model/declared-zone.js";
import { didYouMean } from "../../model/did-you-mean.js";
import { asText, isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { type Problem, warning } from "../../model/problem.js";
import { expressionCheck } from "../expression.js";
import { error, type Finding, repeatsIn, type ZoneReader } from "../kind.js";
import { knownScoringId, knownSort, type Managed, type Sort } from "./named-ruleset.js";
import { NOT_OVERRIDDEN } from "./normal.js";
import { isLevelTag } from "./overrides.js";

const checkExpression = expressionCheck("http_request_firewall_managed");

/** Problems of a declared managed ruleset that can be found offline and that the schema does not find. */
export function checkManagedRuleset(declared: JsonObject, service: Service): readonly Finding[] {
  const scoringId = knownScoringId(declared);
  const sort = knownSort(declared);
  return [
    ...checkExpression(declared, service),
    ...(sort === null ? [] : checkSort(declared, sort)),
    ...checkTags(declared.disabled_tags),
    ...checkSingleTags(declared),
    ...duplicatesIn("disabled_rules", textsIn(declared.disabled_rules), lower),
    ...checkRules(declared),
    ...(scoringId === null ? [] : checkScoringRule(declared, scoringId)),
    ...checkPayloadLogging(declared.payload_logging),
  ];
}

/** Problems of keys that the other sort of ruleset has. */
export function checkSort(declared: JsonObject, sort: Sort): readonly Finding[] {
  const foreignKeys = KEYS[sort];
  const misplacedKeys = Object.keys(foreignKeys).filter((key) => declared[key] !== undefined);
  const findings = misplacedKeys.map((key) =>
    error([key], "other_sort", `Key ${key} does not fit this ruleset`, foreignKeys[key] ?? ""),
  );
  if (sort === "unscored" || declared.action !== NOT_OVERRIDDEN) return findings;
  const detail =
    "action is what happens above the score threshold of this ruleset. Set another action, or remove the key to keep the live one.";
  return [...findings, error(["action"], "other_sort", "Action default does not fit this ruleset", detail)];
}

/** By sort: the keys that the sort does not have, each with what to do instead. */
const KEYS: { readonly [sort in Sort]: { readonly [key: string]: string } } = {
  unscored: {
    paranoia_level:
      "The rules of this ruleset have no paranoia levels. Remove paranoia_level; use tags and rules to switch rules off or on.",
    score_threshold:
      "This ruleset has no score, and each of its rules acts by itself. Remove score_threshold; use action, tags and rules.",
  },
  scored: {
    tags: "This ruleset has a score, so one action holds for all its rules. Remove tags; list tags to switch off in disabled_tags.",
  },
};

/** Problems of entries that name the scoring rule among other rules. The scoring rule has keys of its own. */
export function checkScoringRule(
  { disabled_rules: ids, rules }: JsonObject,
  scoringId: string,
): readonly Finding[] {
  const isScoringRule = (id: Json) => asText(id).toLowerCase() === scoringId;
  const listPaths = textsIn(ids).flatMap((id, index) =>
    isScoringRule(id) ? [["disabled_rules", index]] : [],
  );
  const keyPaths = keysOf(rules).flatMap((id) => (isScoringRule(id) ? [["rules", id]] : []));
  return [...listPaths, ...keyPaths].map((path) =>
    error(
      path,
      "scoring_rule_listed",
      "Scoring rule among other rules",
      `${scoringId} is the rule that acts on the score. Remove it here, and set action and score_threshold instead (or enabled: false to switch the ruleset off).`,
    ),
  );
}

function checkTags(tags: Json | undefined): readonly Finding[] {
  const levels = textsIn(tags).flatMap((tag, index) =>
    isLevelTag(tag.toLowerCase())
      ? [
          error(
            ["disabled_tags", index],
            "level_among_tags",
            "Paranoia level among the tags",
            `${tag} belongs to a paranoia level. Remove the tag, and set paranoia_level instead.`,
          ),
        ]
      : [],
  );
  return [...levels, ...duplicatesIn("disabled_tags", textsIn(tags))];
}

/** Problems of overrides of single tags, which replace `disabled_tags`. */
function checkSingleTags(declared: JsonObject): readonly Finding[] {
  return [
    ...bothForms(declared, "tag"),
    ...emptyOverrides("tags", declared.tags, (tag) => `tag ${JSON.stringify(tag)}`),
  ];
}

function checkRules(declared: JsonObject): readonly Finding[] {
  const ids = keysOf(declared.rules);
  return [
    ...bothForms(declared, "rule"),
    ...ids.flatMap((id) => (/^[0-9a-f]{32}$/i.test(id) ? [] : [notAnId(id)])),
    ...emptyOverrides("rules", declared.rules, (id) => `rule ${id}`),
    ...repeatsIn(ids.map(lower)).map((index) => duplicate("rules", ids[index] ?? "", ids[index])),
  ];
}

function bothForms(declared: JsonObject, noun: "tag" | "rule"): readonly Finding[] {
  const [map, list] = [`${noun}s`, `disabled_${noun}s`];
  if (declared[map] === undefined || declared[list] === undefined) return [];
  const detail = `${list} lists all ${map} that are off, and ${map} sets single ${map}. Keep one of the two; in ${map}, enabled: false switches a ${noun} off.`;
  return [error([list], "conflicting_keys", `${list} beside ${map}`, detail)];
}

function emptyOverrides(
  key: string,
  overrides: Json | undefined,
  nameOf: (name: string) => string,
): readonly Finding[] {
  const detail = "The entry sets nothing. Give it enabled or action, or remove it.";
  return Object.entries(isObject(overrides) ? overrides : {}).flatMap(([name, override]) =>
    isObject(override) && Object.keys(override).length === 0
      ? [error([key, name], "empty_override", `Empty override of ${nameOf(name)}`, detail)]
      : [],
  );
}

function notAnId(id: string): Finding {
  const detail = "The id of a rule has 32 hexadecimal digits. Copy it from the dashboard.";
  return error(["rules", id], "bad_id", `Invalid rule id ${JSON.stringify(id)}`, detail);
}

function lower(id: string): string {
  return id.toLowerCase();
}

function duplicatesIn(field: string, names: readonly string[], canonical = (name: string) => name) {
  return repeatsIn(names.map(canonical)).map((index) => duplicate(field, index, names[index]));
}

function duplicate(field: string, step: string | number, name: string | undefined): Finding {
  const detail = "It is named here already. Remove one of the two.";
  return error([field, step], "duplicate_item", `Duplicate item ${JSON.stringify(name)}`, detail);
}

function checkPayloadLogging(logging: Json | undefined): readonly Finding[] {
  if (!isObject(logging) || logging.ensure === "absent" || logging.public_key !== undefined) return [];
  const detail =
    'payload_logging needs "public_key". Add it, or write ensure: absent to switch payload logging off.';
  return [error(["payload_logging"], "missing_key", 'Missing key "public_key"', detail)];
}

function keysOf(value: Json | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

/**
 * Warnings about declared tags and rules that the ruleset does not have, if its rules were read. They are no errors,
 * because overrides also apply to the rules of later versions (the service's documentation).
 */
export function unknownNames(
  zone: ZoneReader,
  { path, body }: Declared,
  { content }: Managed,
): readonly Problem[] {
  if (content === null) return [];
  const tags = new Set(content.tags.keys());
  const ids = new Set(content.rules.keys());
  const unknown = (list: string, map: string, isUnknown: (name: string) => boolean) =>
    [
      ...textsIn(body[list]).map((name, index) => ({ name, at: zone.locate([...path, list, index]) })),
      ...keysOf(body[map]).map((name) => ({ name, at: zone.locate([...path, map, name], "key") })),
    ].filter(({ name }) => isUnknown(name));
  return [
    ...unknown("disabled_tags", "tags", (tag) => isMissing(tag, tags)).map(({ name, at }) =>
      unknownTag(name, tags, at),
    ),
    ...unknown("disabled_rules", "rules", (id) => isMissing(id.toLowerCase(), ids)).map(({ name, at }) =>
      unknownRule(name, at),
    ),
  ];
}

/** An empty list of known names proves nothing. */
function isMissing(name: string, known: ReadonlySet<string>): boolean {
  return known.size > 0 && !known.has(name);
}

function unknownTag(tag: string, known: ReadonlySet<string>, at: Problem["at"]): Problem {
  const tags = [...known].filter((each) => !isLevelTag(each));
  const way = didYouMean(tag, tags, "Correct or remove it.", (near) => JSON.stringify(near));
  const detail = `No rule of the managed ruleset has this tag, so it has no effect. ${way}`;
  const summary = `Unknown tag ${JSON.stringify(tag)}`;
  return warning("unknown_tag", summary, detail, at);
}

function unknownRule(id: string, at: Problem["at"]): Problem {
  const detail =
    "The managed ruleset has no rule with this id, so the entry has no effect. Correct or remove it.";
  const summary = `Unknown rule ${id}`;
  return warning("unknown_rule", summary, detail, at);
}
