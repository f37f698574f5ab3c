import { describe, expect, test } from "vitest";
import { diffFields } from "../../src/kinds/fields.js";
import { wantedNormal } from "../../src/kinds/managed-ruleset/fields.js";
import { managedRuleset } from "../../src/kinds/managed-ruleset/index.js";
import { liveNormal } from "../../src/kinds/managed-ruleset/normal.js";
import { type Overrides, readLevel, writeLevel } from "../../src/kinds/managed-ruleset/overrides.js";
import { strengthOf } from "../../src/kinds/managed-ruleset/strength.js";
import { withFields } from "../../src/kinds/managed-ruleset/wire.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";
import { fc, runs, untilMet } from "../support/random.js";

const levels = ["PL1", "PL2", "PL3", "PL4"];
const tag = (level: number) => `paranoia-level-${level}`;
const off = (...numbers: readonly number[]): Overrides =>
  numbers.map((level) => ({ category: tag(level), enabled: false }));
const scoring = { id: "5c0", own: { score_threshold: 40, action: "block" } };
const scored = { sort: "scored", scoring } as const;

describe("a paranoia level", () => {
  test.each<[string, Overrides, Json, string]>([
    ["is PL4 if no tag is overridden", [], null, "PL4"],
    ["ends below the disabled tags", off(3, 4), null, "PL2"],
    ["does not depend on the order of the tags", off(4, 2, 3), null, "PL1"],
    [
      "is not changed by tags that are already enabled",
      [{ category: tag(1), enabled: true }, ...off(4)],
      null,
      "PL3",
    ],
    ["is not changed by other tags", [{ category: "platform-php", enabled: false }], null, "PL4"],
    ["is not changed by other overrides of its tags", [{ category: tag(4), action: "log" }], null, "PL4"],
    ["is custom if a level above is on", off(3), null, "custom: 3 off, 4 on"],
    ["is custom if a level below is off", off(1, 4), null, "custom: 1 off, 2 on, 3 on, 4 off"],
    ["is custom if all levels are off", off(1, 2, 3, 4), null, "custom: 1 off, 2 off, 3 off, 4 off"],
    ["uses the last of two entries", [...off(4), { category: tag(4), enabled: true }], null, "PL4"],
    [
      "is custom if the whole ruleset is off",
      [{ category: tag(1), enabled: true }],
      false,
      "custom: all off, 1 on",
    ],
    ["is custom if nothing is on", off(3, 4), false, "custom: all off"],
    ["is read normally if the whole ruleset is on", off(4), true, "PL3"],
    ["can be read from text", [{ category: tag(4), enabled: "false" }], "true", "PL3"],
    [
      "is custom if the whole ruleset is off as text",
      [{ category: tag(1), enabled: "true" }],
      "false",
      "custom: all off, 1 on",
    ],
  ])("%s", (_, categories, whole, expected) => {
    expect(readLevel(categories, whole ?? undefined)).toBe(expected);
  });

  test("can be set from every live combination with the fewest changes", () => {
    for (const combination of combinations(4)) {
      const live = [{ category: "attack-sqli", enabled: false }, ...combination];
      for (const level of levels) {
        const written = writeLevel(live, level);
        expect(readLevel(written, undefined)).toBe(level);
        expect(writeLevel(written, level)).toEqual(written);
        if (readLevel(live, undefined) === level) expect(written).toEqual(live);
        expect(saidBesideSwitches(written)).toEqual(saidBesideSwitches(live));
        expect(written.every((each) => Object.keys(each).length > 1)).toBe(true);
        const highest = Number(level.slice(2));
        for (const each of live.filter(({ enabled }) => enabled === true))
          if (Number(String(each.category).slice(-1)) <= highest) expect(written).toContainEqual(each);
        expect(readLevel(writeLevel(asTexts(live), level), undefined)).toBe(level);
        if (readLevel(live, undefined) === level)
          expect(writeLevel(asTexts(live), level)).toEqual(asTexts(live));
      }
    }
  });
});

/** For each level: no entry, or one of these entries. */
function combinations(count: number): readonly Overrides[] {
  if (count === 0) return [[]];
  const states: readonly JsonObject[] = [
    { enabled: true },
    { enabled: false },
    { action: "log" },
    { action: "log", enabled: true },
    { action: "log", enabled: false },
  ];
  return combinations(count - 1).flatMap((rest) => [
    rest,
    ...states.map((state) => [...rest, { category: tag(count), ...state }]),
  ]);
}

function asTexts(list: Overrides): Overrides {
  return list.map(({ enabled, ...rest }) =>
    enabled === undefined ? rest : { ...rest, enabled: String(enabled) },
  );
}

function saidBesideSwitches(list: Overrides): Overrides {
  return list
    .map(({ enabled: _, ...rest }) => rest)
    .filter((each) => Object.keys(each).length > 1 || each.category === "attack-sqli");
}

describe("a live rule that changes", () => {
  const id = fc.constantFrom("aaa", "bbb", "ccc", scoring.id);
  const name = fc.constantFrom("platform-php", "attack-sqli", ...[1, 2, 3, 4].map(tag));
  const action = fc.constantFrom("log", "block", "js_challenge");
  const said = fc
    .record(
      {
        enabled: fc.constantFrom<Json>(true, false, "true", "false", "False"),
        action,
        sensitivity_level: fc.constantFrom("low", "medium"),
        score_threshold: fc.integer({ min: 1, max: 99 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .filter((each) => Object.keys(each).length > 0);
  const entries = (named: "category" | "id", names: fc.Arbitrary<string>) =>
    fc.uniqueArray(
      fc.tuple(names, said).map(([each, says]) => ({ [named]: each, ...says })),
      { selector: (each) => JSON.stringify(each), minLength: 1, maxLength: 5 },
    );
  const overrides = fc.record(
    {
      action,
      sensitivity_level: fc.constant("low"),
      enabled: fc.constantFrom<Json>(true, "true"),
      categories: entries("category", name),
      rules: entries("id", id),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const rule = fc.record({
    action: fc.constant("execute"),
    ref: fc.constant("owasp"),
    enabled: fc.constantFrom<Json>(true, false, "true", "false"),
    expression: fc.constantFrom("true", 'http.host  eq "a"'),
    newer: fc.jsonValue() as fc.Arbitrary<Json>,
    action_parameters: fc.record(
      {
        id: fc.constant("core"),
        newer: fc.constant(1),
        overrides,
        matched_data: fc.record({ public_key: id, newer: id }, { noNullPrototype: true }),
      },
      { requiredKeys: ["id"], noNullPrototype: true },
    ),
  }) as fc.Arbitrary<JsonObject>;
  const single = fc.record({ enabled: fc.boolean(), action }, { requiredKeys: [], noNullPrototype: true });
  const common = {
    enabled: fc.boolean(),
    expression: fc.constantFrom("true", 'http.host eq "a"'),
    paranoia_level: fc.constantFrom(...levels),
    score_threshold: fc.constantFrom("low", "medium", 33),
    action,
    disabled_tags: fc.uniqueArray(fc.constantFrom("platform-php", "attack-sqli")),
    payload_logging: fc.constantFrom({ public_key: "aaa" }, { ensure: "absent" }),
  };
  const ownIds = fc.constantFrom("aaa", "bbb", "ccc");
  const declared = fc.oneof(
    fc.record(
      { ...common, disabled_rules: fc.uniqueArray(ownIds) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.record(
      {
        ...common,
        rules: fc.dictionary(
          ownIds,
          single.filter((each) => Object.keys(each).length > 0),
          { noNullPrototype: true },
        ),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  ) as fc.Arbitrary<JsonObject>;

  test("has the declared fields afterwards, and all others as before", async () => {
    await untilMet(
      { changes: runs(2000) },
      (met) =>
        fc.property(rule, declared, (live, file) => {
          const before = liveNormal(live, scored, file);
          const wanted = { ...before, ...wantedNormal(file) };
          const edited = withFields(live, differences(before, wanted), scoring.id);
          met("changes", differences(before, wanted).length);
          expect(differences(liveNormal(edited, scored, file), wanted)).toEqual([]);
          expect(withFields(edited, [], scoring.id)).toEqual(edited);
        }),
      runs(2000),
    );
  });

  test("keeps the form of enabled in each entry", () => {
    const tags = (...entries: Overrides) => entries;
    const live: JsonObject = {
      action_parameters: {
        overrides: {
          categories: tags(
            { category: tag(3), enabled: "false" },
            { category: tag(4), enabled: "True", action: "log" },
            { category: "drupal", enabled: "False" },
            { category: "rce", enabled: "true", action: "log" },
          ),
          rules: tags(
            { id: "aaa", enabled: "False", action: "log" },
            { id: "bbb", enabled: "true" },
            { id: "ccc", enabled: true },
          ),
        },
      },
    };
    const written = (...fields: readonly (readonly [string, Json])[]) => {
      const parameters = withFields(live, fields, null).action_parameters;
      return isObject(parameters) ? parameters.overrides : null;
    };
    expect(
      written(
        ["paranoia_level", "PL2"],
        ["disabled_tags", ["drupal", "rce", "new"]],
        [
          "rules",
          { aaa: { enabled: false, action: "block" }, bbb: { enabled: false }, ccc: { enabled: false } },
        ],
      ),
    ).toEqual({
      categories: tags(
        { category: tag(3), enabled: "false" },
        { category: tag(4), enabled: "false", action: "log" },
        { category: "drupal", enabled: "False" },
        { category: "rce", enabled: "false", action: "log" },
        { category: "new", enabled: false },
      ),
      rules: tags(
        { id: "aaa", enabled: "False", action: "block" },
        { id: "bbb", enabled: "false" },
        { id: "ccc", enabled: false },
      ),
    });
    expect(written(["paranoia_level", "PL4"], ["disabled_tags", []])).toMatchObject({
      categories: tags(
        { category: tag(4), enabled: "True", action: "log" },
        { category: "rce", enabled: "true", action: "log" },
      ),
    });
  });

  test("keeps everything that no field covers", () => {
    fc.assert(
      fc.property(rule, declared, (live, file) => {
        const before = liveNormal(live, scored, file);
        const edited = withFields(
          live,
          differences(before, { ...before, ...wantedNormal(file) }),
          scoring.id,
        );
        expect(unspoken(edited, file)).toEqual(unspoken(live, file));
      }),
      { numRuns: runs(1000) },
    );
  });

  test("has no empty overrides, and no empty or duplicate entries", () => {
    fc.assert(
      fc.property(rule, declared, (live, file) => {
        const wanted = Object.entries(wantedNormal(file));
        const parameters = withFields(live, wanted, scoring.id).action_parameters;
        const { overrides: written } = isObject(parameters) ? parameters : {};
        if (!isObject(written)) return;
        for (const list of [written.categories, written.rules]) {
          if (!isList(list)) continue;
          expect(list.length).toBeGreaterThan(0);
          expect(new Set(list.map((each) => JSON.stringify(each))).size).toBe(list.length);
          expect(list.every((each) => isObject(each) && Object.keys(each).length > 1)).toBe(true);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});

function differences(before: JsonObject, after: JsonObject): readonly (readonly [string, Json])[] {
  return diffFields(before, after, managedRuleset.fields).map(({ path, after: value }) => [
    path,
    value as Json,
  ]);
}

/** The rest of a rule, without the parts that the declared fields cover. */
function unspoken(rule: JsonObject, file: JsonObject): unknown {
  const { enabled, expression, action_parameters: parameters, ...rest } = rule;
  const { overrides = {}, matched_data: data, ...others } = isObject(parameters) ? parameters : {};
  const { categories, rules, ...general } = isObject(overrides) ? overrides : {};
  return {
    ...rest,
    ...(file.enabled === undefined ? { enabled } : {}),
    ...(file.expression === undefined ? { expression } : {}),
    ...others,
    ...general,
    ...(file.payload_logging === undefined ? { data } : {}),
    said: new Set([...entriesOf(categories), ...entriesOf(rules)].flatMap((each) => unspokenIn(each, file))),
  };
}

function unspokenIn({ id, category, enabled: _, ...said }: JsonObject, file: JsonObject): readonly string[] {
  const single = isObject(file.rules) ? file.rules[String(id)] : {};
  const spoken = Object.keys(id === scoring.id ? file : isObject(single) ? single : {});
  const kept = Object.entries(said).filter(([field]) => !spoken.includes(field));
  return kept.map(([field, value]) => `${String(id ?? category)} ${field} ${String(value)}`);
}

function entriesOf(list: Json | undefined): readonly JsonObject[] {
  return isList(list) ? list.filter(isObject) : [];
}

describe("a change of the managed ruleset", () => {
  const full = {
    enabled: true,
    expression: "true",
    paranoia_level: "PL2",
    score_threshold: 40,
    action: "managed_challenge",
    disabled_tags: ["platform-php"],
    disabled_rules: ["aaa"],
  };
  const { disabled_rules: _, ...some } = full;
  const single = (rules: JsonObject) => ({ ...some, rules });
  const level = (paranoia_level: string) => ({ ...full, paranoia_level });

  test.each<[string, JsonObject | null, JsonObject | null, ReturnType<typeof effectOf>]>([
    ["that deploys it strengthens", null, full, "strengthens"],
    ["that deploys it switched off is neutral", null, { ...full, enabled: false }, "neutral"],
    ["that removes it weakens", full, null, "weakens"],
    ["that switches it on strengthens", { ...full, enabled: false }, full, "strengthens"],
    [
      "of a disabled ruleset is neutral",
      { ...full, enabled: false },
      { ...full, enabled: false, action: "log", paranoia_level: "PL1" },
      "neutral",
    ],
    ["to a higher level strengthens", full, { ...full, paranoia_level: "PL3" }, "strengthens"],
    ["to a lower level weakens", full, { ...full, paranoia_level: "PL1" }, "weakens"],
    ["from PL3 to PL2 weakens", { ...full, paranoia_level: "PL3" }, full, "weakens"],
    ["from a custom level to a level below weakens", level("custom: 3 off, 4 on"), level("PL1"), "weakens"],
    [
      "from a custom level to all of them strengthens",
      level("custom: 3 off, 4 on"),
      level("PL4"),
      "strengthens",
    ],
    [
      "from a custom level with one more and one less is mixed",
      level("custom: 3 off, 4 on"),
      level("PL3"),
      "mixed",
    ],
    [
      "from no level at all strengthens",
      level("custom: 1 off, 2 off, 3 off, 4 off"),
      level("PL1"),
      "strengthens",
    ],
    ["from all off except one to the others is mixed", level("custom: all off, 4 on"), level("PL2"), "mixed"],
    [
      "from all off except the first to PL1 is neutral",
      level("custom: all off, 1 on"),
      level("PL1"),
      "neutral",
    ],
    ["to a higher threshold weakens", full, { ...full, score_threshold: 60 }, "weakens"],
    ["to a lower threshold strengthens", full, { ...full, score_threshold: 25 }, "strengthens"],
    ["from the ruleset's own threshold is undecided", { ...full, score_threshold: null }, full, "unknown"],
    ["to block strengthens", full, { ...full, action: "block" }, "strengthens"],
    ["to another challenge is neutral", full, { ...full, action: "js_challenge" }, "neutral"],
    ["to log weakens", full, { ...full, action: "log" }, "weakens"],
    [
      "from no action at all to log strengthens",
      { ...full, action: "none" },
      { ...full, action: "log" },
      "strengthens",
    ],
    ["to an unknown action is undecided", full, { ...full, action: "simulate" }, "unknown"],
    ["to fewer requests weakens", full, { ...full, expression: "ssl" }, "weakens"],
    ["to an invalid expression is undecided", full, { ...full, expression: "no expression" }, "unknown"],
    ["to another spelling of the expression is neutral", full, { ...full, expression: " true " }, "neutral"],
    ["with one fewer disabled tag strengthens", full, { ...full, disabled_tags: [] }, "strengthens"],
    ["with one more disabled rule weakens", full, { ...full, disabled_rules: ["aaa", "bbb"] }, "weakens"],
    ["that disables a single rule weakens", single({}), single({ aaa: { enabled: false } }), "weakens"],
    ["that enables a single rule strengthens", single({}), single({ aaa: { enabled: true } }), "strengthens"],
    [
      "to another action of a single rule is undecided",
      single({}),
      single({ aaa: { action: "log" } }),
      "unknown",
    ],
    [
      "of payload logging has an unknown effect",
      full,
      { ...full, payload_logging: { public_key: "k" } },
      "unknown",
    ],
  ])("%s", (_, before, after, expected) => {
    const dimensions = (normal: JsonObject | null) =>
      normal === null ? {} : strengthOf(itemOf(normal), null);
    expect(effectOf(shifts(dimensions(before), dimensions(after)))).toBe(expected);
  });

  describe("with the ruleset's own rules known", () => {
    const rules = new Map([
      ["aaa", { tags: ["platform-php"], action: "managed_challenge" }],
      ["bbb", { tags: ["paranoia-level-1"], action: "score" }],
      ["ccc", { tags: [], action: "rewrite" }],
    ]);
    const content = { rules, tags: new Map() };
    const managed = { id: "core", name: null, sort: "scored", scoring: null, content } as const;
    const told = (action: string, after: JsonObject, overrides: JsonObject = {}) => {
      const live = { id: "r", action: "execute", action_parameters: { id: "core", overrides } };
      const [old, now] = [{}, after].map((each) =>
        strengthOf({ ...itemOf({ ...single(each), action }), raw: live }, managed),
      );
      return shifts(old ?? {}, now ?? {}).map(({ way, why }) => `${way} ${why}`);
    };

    test.each<[string, string, JsonObject, JsonObject, readonly string[]]>([
      [
        "a stricter action than the rule's own strengthens",
        "block",
        { aaa: { action: "block" } },
        {},
        ["stronger rule aaa: action managed_challenge → block"],
      ],
      ["an action as strict as a rule's own is neutral", "block", { aaa: { action: "challenge" } }, {}, []],
      [
        "a laxer action weakens",
        "block",
        { aaa: { action: "log" } },
        {},
        ["weaker rule aaa: action managed_challenge → log (reports only)"],
      ],
      [
        "the action of a rule's last tag outweighs its own action",
        "block",
        { aaa: { action: "challenge" } },
        {
          categories: [
            { category: "platform-php", action: "log" },
            { category: "platform-php", action: "block" },
          ],
        },
        ["weaker rule aaa: action block → challenge"],
      ],
      [
        "with an action for the whole ruleset, the rule's own action is unknown",
        "block",
        { aaa: { action: "challenge" } },
        { action: "log" },
        ["unknown rule aaa: its own action → challenge"],
      ],
      [
        "a rule that adds to the score acts at most as the scoring rule",
        "managed_challenge",
        { bbb: { action: "js_challenge" } },
        {},
        ["stronger rule bbb: action score (adds to the score) → js_challenge"],
      ],
      [
        "a laxer action for a rule that adds to the score is mixed",
        "block",
        { bbb: { action: "log" } },
        {},
        ["mixed rule bbb: action score (adds to the score) → log (reports only)"],
      ],
      [
        "an own action that cannot be ranked is undecided",
        "block",
        { ccc: { action: "log" } },
        {},
        ["unknown rule ccc: action rewrite → log (reports only)"],
      ],
    ])("%s", (_name, action, after, overrides, expected) => {
      expect(told(action, after, overrides)).toEqual(expected);
    });
  });

  test("of a ruleset with an unknown enabled state has an unknown effect", () => {
    const odd = { ...full, enabled: "perhaps" };
    expect(
      effectOf(shifts(strengthOf(itemOf(odd), null), strengthOf(itemOf({ ...odd, action: "log" }), null))),
    ).toBe("unknown");
    expect(effectOf(shifts(strengthOf(itemOf(odd), null), strengthOf(itemOf(full), null)))).toBe("unknown");
    expect(
      effectOf(shifts(strengthOf(itemOf(odd), null), strengthOf(itemOf({ ...odd, enabled: false }), null))),
    ).toBe("unknown");
  });

  test("is described in plain words", () => {
    const after = { ...full, score_threshold: 60, action: "log", paranoia_level: "PL1" };
    expect(
      shifts(strengthOf(itemOf(full), null), strengthOf(itemOf(after), null)).map(({ why }) => why),
    ).toEqual([
      "tag paranoia-level-2 switched off",
      "score threshold 40 → 60: more rules must match before the action runs",
      "action managed_challenge → log (reports only)",
    ]);
  });

  test.each<[string, Json, string | null]>([
    ["score_threshold", 10, "10 (stricter than high)"],
    ["score_threshold", 25, "25 (high: most strict)"],
    ["score_threshold", 30, "30 (between high and medium)"],
    ["score_threshold", 40, "40 (medium)"],
    ["score_threshold", 50, "50 (between medium and low)"],
    ["score_threshold", 60, "60 (low: least strict)"],
    ["score_threshold", 99, "99 (less strict than low)"],
    ["action", "log", "log (reports only)"],
    ["action", "none", "none (the scoring rule is switched off)"],
    ["action", "block", null],
    ["paranoia_level", "PL1", "PL1 (fewest rules)"],
    ["paranoia_level", "PL3", null],
    ["disabled_tags", [], "(none)"],
    ["disabled_rules", ["aaa", "bbb"], "aaa, bbb"],
    [
      "rules",
      { aaa: { enabled: false, action: "log" }, bbb: { action: "block" } },
      "aaa enabled: false, action: log; bbb action: block",
    ],
    ["payload_logging", { public_key: "k" }, "with the public key k"],
    ["enabled", true, null],
  ])("shows %s %j as %s", (field, value, expected) => {
    expect(managedRuleset.fields[field]?.show?.(value) ?? null).toBe(expected);
  });
});
