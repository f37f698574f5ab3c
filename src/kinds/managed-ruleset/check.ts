import type { Path } from "../../model/item.js";
import { asText, isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import type { Problem } from "../../model/problem.js";
import { suggest } from "../../model/suggest.js";
import type { Declared, Service } from "../../model/wanted.js";
import { expressionCheck } from "../expression.js";
import { error, type Finding, type ZoneReader } from "../kind.js";
import { knownScoringId, type Managed } from "./managed.js";
import { isLevelTag } from "./overrides.js";

const checkExpression = expressionCheck("http_request_firewall_managed");

/** What can be said offline about a declared managed ruleset, beyond its shape. */
export function checkManagedRuleset(declared: JsonObject, service: Service): readonly Finding[] {
  if (declared.ensure === "absent") return [];
  const scoringId = knownScoringId(declared);
  return [
    ...checkExpression(declared, service),
    ...checkTags(declared.disabled_tags),
    ...duplicates("disabled_rules", declared.disabled_rules, (id) => id.toLowerCase()),
    ...checkRules(declared),
    ...(scoringId === null ? [] : checkScoringRule(declared, scoringId)),
    ...checkPayloadLogging(declared.payload_logging),
  ];
}

/** Where the scoring rule stands among the others: what it does is declared with keys of its own. */
export function checkScoringRule(
  { disabled_rules: ids, rules }: JsonObject,
  scoringId: string,
): readonly Finding[] {
  const isIt = (id: Json) => asText(id).toLowerCase() === scoringId;
  const listed = textsIn(ids).flatMap((id, index) => (isIt(id) ? [["disabled_rules", index]] : []));
  const keyed = keysOf(rules).flatMap((id) => (isIt(id) ? [["rules", id]] : []));
  return [...listed, ...keyed].map((path) =>
    error(
      path,
      "scoring_rule_listed",
      "The scoring rule among other rules",
      `${scoringId} is the ruleset's scoring rule: it acts on what the others add up. Say what it does with action and score_threshold, and remove it here; enabled: false switches the whole ruleset off.`,
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
            "A paranoia level among the tags",
            `${tag} belongs to a paranoia level. Set the level with paranoia_level, and remove the tag here.`,
          ),
        ]
      : [],
  );
  return [...levels, ...duplicates("disabled_tags", tags, (tag) => tag)];
}

function checkRules({ rules, disabled_rules: ids }: JsonObject): readonly Finding[] {
  const conflict = error(
    ["disabled_rules"],
    "conflicting_keys",
    "Two keys that exclude each other",
    "disabled_rules is the whole list of rules that are off, and rules says so of single ones. Keep one of the two: in rules, a rule is off with enabled: false.",
  );
  return [
    ...(rules !== undefined && ids !== undefined ? [conflict] : []),
    ...keysOf(rules).flatMap((id) => (/^[0-9a-f]{32}$/i.test(id) ? [] : [notAnId(id)])),
    ...keysOf(rules).flatMap((id) => (isObject(rules) && isEmpty(rules[id]) ? [saysNothing(id)] : [])),
    ...duplicateKeys(rules),
  ];
}

function isEmpty(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function notAnId(id: string): Finding {
  const detail = `${JSON.stringify(id)} is not the id of a rule, which has 32 hexadecimal digits. Copy it from the dashboard.`;
  return error(["rules", id], "bad_id", "Not an id", detail);
}

function saysNothing(id: string): Finding {
  const detail = `The entry of the rule ${id} says nothing. Give it enabled or action, or remove it.`;
  return error(["rules", id], "empty_override", "An override that says nothing", detail);
}

function duplicateKeys(rules: Json | undefined): readonly Finding[] {
  return repeated(keysOf(rules).map((id) => [id, id.toLowerCase()])).map((id) =>
    givenTwice(["rules", id], id),
  );
}

function duplicates(
  field: string,
  list: Json | undefined,
  canonical: (item: string) => string,
): readonly Finding[] {
  const items = textsIn(list);
  return repeated(items.map((item, index) => [index, canonical(item)])).map((index) =>
    givenTwice([field, index], items[index] ?? ""),
  );
}

/** The places whose item stands at an earlier one too. */
function repeated<Place>(items: readonly (readonly [place: Place, item: string])[]): readonly Place[] {
  const seen = new Set<string>();
  return items.flatMap(([place, item]) => {
    if (seen.has(item)) return [place];
    seen.add(item);
    return [];
  });
}

function givenTwice(path: Finding["path"], item: string): Finding {
  const detail = `${JSON.stringify(item)} stands here already. Remove one of the two.`;
  return error(path, "duplicate_item", "An item given twice", detail);
}

function checkPayloadLogging(logging: Json | undefined): readonly Finding[] {
  if (!isObject(logging) || logging.ensure === "absent" || logging.public_key !== undefined) return [];
  const detail =
    'payload_logging needs "public_key". Add it, or write ensure: absent to switch the logging off.';
  return [error(["payload_logging"], "missing_key", "A key is missing", detail)];
}

function keysOf(value: Json | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

/**
 * Tags and rules that the file names and the ruleset does not have, where its rules were read. They are no errors:
 * overrides hold for the rules of later versions too, says the documentation.
 */
export function unknownNames(
  zone: ZoneReader,
  { path, body }: Declared,
  { content }: Managed,
): readonly Problem[] {
  if (content === null) return [];
  const ids = new Set(content.rules.keys());
  const tags = new Set(content.tags.keys());
  return [
    ...namedIn(body.disabled_tags, "disabled_tags")
      .filter(({ name }) => isUnknown(name, tags))
      .map(({ name, inside }) => unknownTag(name, tags, zone.locate([...path, ...inside]))),
    ...namedIn(body.disabled_rules, "disabled_rules")
      .filter(({ name }) => isUnknown(name.toLowerCase(), ids))
      .map(({ name, inside }) => unknownRule(name, zone.locate([...path, ...inside]))),
    ...Object.keys(isObject(body.rules) ? body.rules : {})
      .filter((id) => isUnknown(id.toLowerCase(), ids))
      .map((id) => unknownRule(id, zone.locate([...path, "rules", id], "key"))),
  ];
}

function namedIn(
  list: Json | undefined,
  field: string,
): readonly { readonly name: string; readonly inside: Path }[] {
  return textsIn(list).map((name, index) => ({ name, inside: [field, index] }));
}

/** A ruleset that was given without any says nothing of what it has. */
function isUnknown(name: string, known: ReadonlySet<string>): boolean {
  return known.size > 0 && !known.has(name);
}

function unknownTag(tag: string, known: ReadonlySet<string>, at: Problem["at"]): Problem {
  const close = suggest(
    tag,
    [...known].filter((each) => !isLevelTag(each)),
  );
  const way = close === null ? "Correct or remove it." : `Did you mean ${JSON.stringify(close)}?`;
  const detail = `No rule of the managed ruleset has the tag ${JSON.stringify(tag)}, so it switches nothing off. ${way}`;
  const summary = "A tag that the ruleset does not have";
  return { code: "unknown_tag", severity: "warning", summary, detail, at };
}

function unknownRule(id: string, at: Problem["at"]): Problem {
  const detail = `The managed ruleset has no rule with the id ${id}, so what is said of it has no effect. Correct or remove it.`;
  const summary = "A rule that the ruleset does not have";
  return { code: "unknown_rule", severity: "warning", summary, detail, at };
}
