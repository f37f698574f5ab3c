import { expect, test } from "vitest";
import { diffFields } from "../../src/kinds/fields.js";
import { wantedNormal } from "../../src/kinds/managed-ruleset/fields.js";
import { managedRuleset } from "../../src/kinds/managed-ruleset/index.js";
import { readManagedRulesets } from "../../src/kinds/managed-ruleset/read.js";
import { withFields } from "../../src/kinds/managed-ruleset/wire.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { fc, fixedSample, runs, untilMet } from "../support/random.js";
import { judging, type ManagedRule, type ModelRuleset, readings } from "./managed-ruleset-model.js";

const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORING = "6179ae15870a4bb7b2d480d4843b323c";
const RULES = ["1", "2", "3", "4", "5", "6"].map((digit) => digit.repeat(32));
const TAGS = ["attack-sqli", "platform-php", "language-php"];
const LEVELS = [1, 2, 3, 4].map((level) => `paranoia-level-${level}`);
const ACTIONS = ["block", "managed_challenge", "js_challenge", "challenge", "log"];

/** Expressions, and their values for the only two properties in which the requests differ, besides the matching rules. */
type Scope = (host: string, isSecure: boolean) => boolean;
const SCOPES: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ["true", () => true],
  ["ssl", (_, isSecure) => isSecure],
  ["not ssl", (_, isSecure) => !isSecure],
  ['http.host eq "a.example"', (host) => host === "a.example"],
  ['http.host in {"a.example" "b.example"}', (host) => host !== "c.example"],
  ['http.host eq "b.example" and ssl', (host, isSecure) => host === "b.example" && isSecure],
]);
const REQUESTS = ["a.example", "b.example", "c.example"].flatMap((host) =>
  [true, false].map((isSecure) => [host, isSecure] as const),
);

const action = fc.constantFrom(...ACTIONS);
const flag = fc.constantFrom<Json>(true, false, "true", "false", "False");
const expression = fc.oneof(
  { arbitrary: fc.constant("true"), weight: 3 },
  { arbitrary: fc.constantFrom(...SCOPES.keys()), weight: 2 },
);

const ruleset: fc.Arbitrary<ModelRuleset> = fc.record({
  rules: fc.tuple(
    ...RULES.map((id) =>
      fc.record({
        id: fc.constant(id),
        categories: fc
          .tuple(fc.subarray(TAGS), fc.constantFrom(...LEVELS))
          .map(([tags, level]) => [...tags, level]),
        action: fc.constantFrom("score", "score", "score", "block", "log", "managed_challenge"),
        enabled: fc.constantFrom(true, true, true, false),
        score: fc.constantFrom(10, 20, 30),
      }),
    ),
  ),
  scoring: fc.record({
    id: fc.constant(SCORING),
    categories: fc.constantFrom<readonly string[]>([], [], ["attack-sqli"]),
    action: fc.constantFrom("block", "block", "log", "managed_challenge"),
    enabled: fc.constant(true),
    score: fc.constant(0),
    threshold: fc.constantFrom(25, 40),
  }),
});

const said = fc.record({ enabled: flag, action }, { requiredKeys: [], noNullPrototype: true });
const entries = (named: "category" | "id", names: readonly string[]) =>
  fc.array(
    fc
      .tuple(fc.constantFrom(...names), said)
      .filter(([, says]) => Object.keys(says).length > 0)
      .map(([name, says]) => ({ [named]: name, ...says })),
    { maxLength: 4 },
  );

const executing = fc.record({
  enabled: fc.constantFrom<Json>(true, true, true, "true", false, "false"),
  expression,
  whole: fc.oneof(
    { arbitrary: fc.constant({}), weight: 4 },
    { arbitrary: fc.record({ action }), weight: 1 },
    { arbitrary: fc.record({ enabled: flag }), weight: 1 },
  ),
  categories: entries("category", [...TAGS, ...LEVELS]),
  rules: entries("id", [...RULES, SCORING]),
  score: fc.option(fc.record({ score_threshold: fc.constantFrom(25, 40, 60), action }), { nil: undefined }),
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: undefined }),
});

const common = {
  enabled: fc.constantFrom(true, true, true, false),
  expression,
  paranoia_level: fc.constantFrom("PL1", "PL2", "PL3", "PL4"),
  score_threshold: fc.constantFrom("low", "medium", "high", 33),
  action,
  disabled_tags: fc.subarray(TAGS),
  payload_logging: fc.constantFrom({ public_key: "k1" }, { ensure: "absent" }),
};
const single = fc
  .record({ enabled: fc.boolean(), action }, { requiredKeys: [], noNullPrototype: true })
  .filter((each) => Object.keys(each).length > 0);
/** Few keys at once, as in real edits. Otherwise nearly all changes would be mixed. */
const declared = fc
  .tuple(
    fc.record({
      ...common,
      disabled_rules: fc.subarray(RULES, { maxLength: 2 }),
      rules: fc.dictionary(fc.constantFrom(...RULES), single, { maxKeys: 2, noNullPrototype: true }),
    }),
    fc.subarray([...Object.keys(common), "disabled_rules", "rules", "rules", "action"], {
      minLength: 1,
      maxLength: 3,
    }),
    fc.boolean(),
  )
  .map(([all, chosen, isGiven]): JsonObject => {
    const keys = chosen.includes("rules") ? chosen.filter((key) => key !== "disabled_rules") : chosen;
    const body = Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
    return (isGiven ? { ...body, score_rule: SCORING } : body) as JsonObject; // plain JSON
  });

interface Case {
  readonly ruleset: ModelRuleset;
  readonly live: JsonObject;
  readonly declared: JsonObject;
}

const cases: fc.Arbitrary<Case> = fc
  .tuple(ruleset, executing, declared)
  .map(([of, live, file]) => ({ ruleset: of, live: liveRule(live as JsonObject), declared: file })); // plain JSON

function liveRule({
  enabled,
  expression: where,
  whole,
  categories,
  rules,
  score,
  key,
}: JsonObject): JsonObject {
  const scored = isObject(score) ? [{ id: SCORING, ...score }] : [];
  const overrides: JsonObject = {
    ...(isObject(whole) ? whole : {}),
    categories: categories ?? [],
    rules: [...(isList(rules) ? rules : []), ...scored],
  };
  const logged = key === undefined || key === null ? {} : { matched_data: { public_key: key } };
  return {
    id: "r1",
    action: "execute",
    enabled: enabled ?? true,
    expression: where ?? "true",
    action_parameters: { id: CORE, overrides, ...logged },
  };
}

/** The rule that the program would write for a case, and its label. Null: it writes nothing. */
async function changed({ ruleset: of, live, declared: body }: Case) {
  const found = await readManagedRulesets(zoneWith(of, live), [{ path: ["managed_ruleset"], body }]);
  const [item] = found.ok ? found.value.items : [];
  if (!found.ok || item === undefined) return null;
  const { context } = found.value;
  const before = item.normal as JsonObject; // it has no sensitive parts
  const after = { ...before, ...wantedNormal(body) };
  const fields = diffFields(before, after, managedRuleset.fields);
  if (fields.length === 0) return null;
  const written = fields.map(({ path, after: value }) => [path, value as Json] as const);
  const dimensionsOf = (normal: JsonObject) => managedRuleset.dimensions({ ...item, normal }, context);
  const told = shifts(dimensionsOf(before), dimensionsOf(after));
  // Logged payloads cannot be ranked: their readers are unknown.
  const ranked = told.filter(({ dimension }) => dimension !== "payload_logging");
  return {
    effect: effectOf(told),
    isUndecided: effectOf(ranked) === "unknown",
    why: told.map(({ why }) => why),
    written: withFields(live, written, SCORING),
    isRead: (context.managed.get(CORE)?.content ?? null) !== null,
  };
}

function zoneWith(of: ModelRuleset, live: JsonObject): Parameters<typeof readManagedRulesets>[0] {
  const scoring = { ...of.scoring, score_threshold: of.scoring.threshold };
  const answers: { readonly [path: string]: Json } = {
    "/zones/z/rulesets/phases/http_request_firewall_managed/entrypoint": { id: "e", rules: [live] },
    "/accounts/a/rulesets": [{ id: CORE, name: "Cloudflare OWASP Core Ruleset", kind: "managed" }],
    [`/accounts/a/rulesets/${CORE}`]: { id: CORE, rules: [...of.rules, scoring].map(asGiven) },
  };
  const get = async (path: string): Promise<Result<Json>> => {
    const answer = answers[path];
    return answer === undefined ? failed(problem("not_found", "Not there", path)) : ok(answer);
  };
  return {
    api: { get, list: async (path) => ok(answers[path] as readonly Json[]) }, // every list here is a list of rulesets
    zoneId: "z",
    accountId: async () => ok("a"),
    locate: () => null,
  };
}

/** The rule as the service shows it, without its score. */
function asGiven({ id, categories, action, enabled, ...rest }: ManagedRule): JsonObject {
  const threshold = "score_threshold" in rest ? { score_threshold: rest.score_threshold as number } : {};
  return { id, categories: [...categories], action, enabled, ...threshold };
}

/** A request that met a stricter action before, or that a rule no longer inspects. */
function lostBy({ ruleset: of, live }: Case, written: JsonObject): string | null {
  for (const reading of readings) {
    const [before, after] = [judging(live, of, reading), judging(written, of, reading)];
    for (const [host, isSecure] of REQUESTS) {
      const isIn = (rule: JsonObject) => SCOPES.get(String(rule.expression))?.(host, isSecure) === true;
      if (!isIn(live)) continue;
      for (const matched of subsets(of.rules)) {
        const [was, is] = [before(matched), isIn(written) ? after(matched) : null];
        const unseen = [...was.evaluated].filter((id) => is?.evaluated.has(id) !== true);
        if (was.outcome > (is?.outcome ?? 0) || unseen.length > 0)
          return JSON.stringify({
            reading,
            host,
            isSecure,
            matched,
            was: was.outcome,
            is: is?.outcome,
            unseen,
          });
      }
    }
  }
  return null;
}

function subsets<T>(of: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 2 ** of.length }, (_, chosen) =>
    of.filter((_each, bit) => (chosen >> bit) % 2 === 1),
  );
}

test("a change that weakens some request is never labelled strengthens or neutral", async () => {
  const least = { changed: runs(1000), losing: runs(500), strengthens: runs(200) };
  await untilMet(
    least,
    (met) =>
      fc.asyncProperty(cases, async (each) => {
        const change = await changed(each);
        if (change === null) return;
        const { effect, why } = change;
        met("changed");
        met(effect);
        const lost = lostBy(each, change.written);
        if (lost === null) return;
        met("losing");
        if (effect === "strengthens" || effect === "neutral")
          expect.fail(
            JSON.stringify({ effect, why, lost: JSON.parse(lost), written: change.written }, null, 1),
          );
      }),
    runs(2500),
  );
});

test("with the ruleset known, few changes are undecided", async () => {
  const changes = await Promise.all(fixedSample(cases, runs(2500)).map(changed));
  const read = changes.filter((each) => each?.isRead);
  // The rest is an action for the whole ruleset that may or may not reach the rule.
  expect(read.filter((each) => each?.isUndecided).length).toBeLessThanOrEqual(read.length / 20);
});
