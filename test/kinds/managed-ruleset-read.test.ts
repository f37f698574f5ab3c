import { describe, expect, test } from "vitest";
import { executedBy } from "../../src/kinds/documented-rulesets.js";
import type { Live } from "../../src/kinds/kind.js";
import type { Managed } from "../../src/kinds/managed-ruleset/named-ruleset.js";
import { type Context, readManagedRulesets } from "../../src/kinds/managed-ruleset/read.js";
import { strengthOf } from "../../src/kinds/managed-ruleset/strength.js";
import type { Item } from "../../src/model/item.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";

const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORE_RULE = "6179ae15870a4bb7b2d480d4843b323c";
const ENTRY = "/zones/zone/rulesets/phases/http_request_firewall_managed/entrypoint";
const CUSTOM = "/zones/zone/rulesets/phases/http_request_firewall_custom/entrypoint";
const ZONE_LIST = "/zones/zone/rulesets";
const LIST = "/accounts/account/rulesets";

const PLAIN = "efb7b8c949ac4650a09736fc376e9aee";

const summary = (id: string, name: string): JsonObject => ({ id, name, kind: "managed" });
const account: Answers = {
  [LIST]: [
    summary(CORE, "Cloudflare OWASP Core Ruleset"),
    summary("other", "Other"),
    summary("spare", "Spare"),
    summary(PLAIN, "Plain"),
  ],
  [`${LIST}/${CORE}`]: { id: CORE, rules: [{ id: SCORE_RULE, score_threshold: 45, action: "block" }] },
  [`${LIST}/spare`]: {
    id: "spare",
    name: "Spare",
    rules: [{ id: "s1", score_threshold: 1 }, { id: "s2", score_threshold: 7, action: "log" }, { id: "s3" }],
  },
  [`${LIST}/${PLAIN}`]: {
    id: PLAIN,
    name: "Plain",
    rules: [
      { id: "1".repeat(32), categories: ["drupal", "paranoia-level-1"] },
      { id: "2".repeat(32), categories: ["wordpress"] },
    ],
  },
};
const executing = (...rules: readonly JsonObject[]): Answers => ({
  [ENTRY]: {
    id: "entry",
    phase: "http_request_firewall_managed",
    rules: rules.map((parameters, index) => ({
      id: `r${index}`,
      action: "execute",
      expression: "true",
      action_parameters: parameters,
    })),
  },
});
const denied = problem("unauthorized", "Denied", "GET it returned HTTP 403.");

describe("without a scoring rule in the file", () => {
  test("the ruleset and its defaults are read from the account", async () => {
    const { live, asked } = await reading({ ...executing({ id: CORE }), ...account }, { action: "block" });
    expect(asked).toEqual([ENTRY, LIST, `${LIST}/${CORE}`]);
    expect(normalsOf(live)).toMatchObject([{ score_threshold: 45, action: "block" }]);
  });

  test("the list is not read if the file has the id", async () => {
    const { live, asked } = await reading(
      { ...executing({ id: CORE }), ...account },
      { ruleset: CORE.toUpperCase(), action: "block" },
    );
    expect(asked).toEqual([ENTRY, `${LIST}/${CORE}`]);
    expect(normalsOf(live).length).toBe(1);
  });

  test("the last rule with a threshold is the scoring rule", async () => {
    const { live } = await reading(
      { ...executing({ id: "spare" }), ...account },
      { ruleset: "Spare", action: "log" },
    );
    expect(normalsOf(live)).toMatchObject([{ score_threshold: 7, action: "log" }]);
    expect(live.ok && managedIn(live)?.scoring?.id).toBe("s2");
  });

  test("the zone's other rulesets are searched before one is created", async () => {
    const hidden = { id: "hidden", kind: "zone", phase: "http_request_firewall_managed" };
    const answers = { ...account, [ZONE_LIST]: [hidden], [`${ZONE_LIST}/hidden`]: hidden };
    const { live } = await reading(answers, {});
    expect(live.ok && live.value.context.ruleset?.id).toBe("hidden");
  });

  test.each<[string, JsonObject]>([
    ["score_rule", {}],
    ["score_rule", { ruleset: CORE, disabled_rules: [] }],
    ["the ruleset's id in ruleset", { ruleset: "Spare", enabled: true }],
    ["the ruleset's id in ruleset and score_rule", { ruleset: "Spare", score_threshold: 40 }],
    ["the ruleset's id in ruleset", { ruleset: "Spare", score_threshold: 40, score_rule: SCORE_RULE }],
  ])("a refused read of the account suggests %s instead, for %j", async (way, declared) => {
    const answers = {
      ...executing({ id: CORE }),
      [LIST]: failed(denied),
      [`${LIST}/${CORE}`]: failed(denied),
    };
    expect(detailsOf((await reading(answers, declared)).live)).toEqual([
      `GET it returned HTTP 403. Or write ${way}; then the token needs no access to the account's rulesets.`,
    ]);
  });

  test("the account is not read if the zone cannot be read", async () => {
    const { live, asked } = await reading({ [ENTRY]: failed(denied), ...account }, {});
    expect(live.ok).toBe(false);
    expect(asked).toEqual([ENTRY]);
  });
});

describe("reads of the account for a live rule:", () => {
  const live = { ...executing({ id: PLAIN }, { id: CORE }), ...account };
  test.each<[string, JsonObject, readonly string[]]>([
    ["nothing for its state", { enabled: false }, []],
    ["nothing for its expression", { expression: "true" }, []],
    ["nothing for the live level", { paranoia_level: "PL4" }, []],
    ["nothing for the live tags", { disabled_tags: [] }, []],
    ["nothing for payload logging", { payload_logging: { ensure: "absent" } }, []],
    ["the ruleset for the threshold", { score_threshold: "low" }, [`${LIST}/${CORE}`]],
    ["the ruleset for the action", { action: "log" }, [`${LIST}/${CORE}`]],
    ["the ruleset for a list of rules", { disabled_rules: [] }, [`${LIST}/${CORE}`]],
    ["the ruleset for single rules", { rules: {} }, [`${LIST}/${CORE}`]],
  ])("%s, and the list for a name", async (_, declared, expected) => {
    const byId = await reading(live, { ...declared, ruleset: CORE });
    expect(byId.asked).toEqual([ENTRY, ...expected]);
    const byName = await reading(live, declared);
    expect(byName.asked).toEqual([ENTRY, LIST, ...expected]);
    expect(normalsOf(byName.live)).toEqual(normalsOf(byId.live));
    expect(normalsOf(byId.live)).toHaveLength(1);
  });

  test.each<[string, JsonObject]>([
    ["another level", { paranoia_level: "PL2" }],
    ["other tags", { disabled_tags: ["drupal"] }],
  ])("the ruleset for %s, to count the rules, unless the file has the ids", async (_, declared) => {
    expect((await reading(live, declared)).asked).toEqual([ENTRY, LIST, `${LIST}/${CORE}`]);
    expect((await reading(live, { ...declared, ruleset: CORE })).asked).toEqual([ENTRY]);
    expect((await reading(live, { ...declared, score_rule: SCORE_RULE })).asked).not.toContain(
      `${LIST}/${CORE}`,
    );
  });

  test("without a read, the score is unknown and nothing counts as changed", async () => {
    const { live: known } = await reading(live, { ruleset: CORE, enabled: false });
    const [normal] = known.ok ? declaredIn(known.value).map((item) => item.normal) : [];
    expect(normal).not.toHaveProperty("score_threshold");
    expect(normal).not.toHaveProperty("action");
    const changed = { ...normal, paranoia_level: "PL1" };
    expect(
      shifts(strengthOf(itemOf(normal ?? {}), null), strengthOf(itemOf(changed), null)).map(
        ({ dimension }) => dimension,
      ),
    ).toEqual(["paranoia_level"]);
    expect(
      effectOf(
        shifts(
          strengthOf(itemOf(normal ?? {}), null),
          strengthOf(itemOf({ ...normal, enabled: false }), null),
        ),
      ),
    ).toBe("weakens");
  });
});

test("a tag with several words is quoted in a reason", () => {
  const off = (tag: string) =>
    strengthOf(itemOf({ enabled: true, expression: "true", disabled_tags: [tag] }), null);
  const why = (tag: string) => shifts(off("drupal"), off(tag)).map((each) => each.why);
  expect(why("wordpress")).toEqual(["tag drupal switched on; tag wordpress switched off"]);
  expect(why("php switched off, tag wordpress")).toEqual([
    'tag drupal switched on; tag "php switched off, tag wordpress" switched off',
  ]);
});

describe("a ruleset without a scoring rule", () => {
  const plain = { ruleset: PLAIN };
  const live = { ...executing({ id: PLAIN }), ...account };

  test("has all fields except the score", async () => {
    for (const declared of [{ disabled_rules: ["1".repeat(32)] }, { rules: {} }, { disabled_tags: [] }]) {
      const { live: found } = await reading(live, { ...plain, ...declared });
      expect(normalsOf(found)).toMatchObject([{ enabled: true, expression: "true" }]);
    }
  });

  test("has an action for all of its rules and no paranoia level", async () => {
    const { live: tuned } = await reading(live, { ...plain, action: "log" });
    expect(normalsOf(tuned)).toEqual([
      { enabled: true, expression: "true", action: "default", disabled_tags: [], disabled_rules: [] },
    ]);
    const { live: deployed } = await reading({ ...executing(), ...account }, { ...plain, enabled: true });
    expect(normalsOf(deployed)).toEqual([]);
  });

  test("without visible rules may be of either sort and is not deployed", async () => {
    const bare = { ...account, [`${LIST}/spare`]: { id: "spare", name: "Spare" } };
    for (const [declared, what] of [
      [
        { action: "log" },
        "to configure. Correct ruleset, or replace the keys about a score with action, tags and rules.",
      ],
      [
        { enabled: true },
        "to deploy it with. Correct ruleset, or deploy it in the dashboard and change its rule here.",
      ],
    ] as const) {
      const { live: found } = await reading({ ...executing(), ...bare }, { ruleset: "Spare", ...declared });
      expect(detailsOf(found)).toEqual([
        `"Spare" (spare) has no rule with a score threshold, so there is no scoring rule ${what}`,
      ]);
    }
  });
});

describe("an unknown name in a ruleset", () => {
  const live = { ...executing({ id: PLAIN }, { id: "spare" }), ...account };
  const known = { disabled_rules: ["2".repeat(32)] };
  const unknown = "a".repeat(32);
  test.each<[string, JsonObject, readonly string[]]>([
    ["is not reported if all names exist", { ...known, disabled_tags: ["drupal", "wordpress"] }, []],
    [
      "is a tag with a suggestion",
      { ...known, disabled_tags: ["Drupal"] },
      ['unknown_tag: No rule of the managed ruleset has this tag, … Did you mean "drupal"?'],
    ],
    [
      "is a tag without a suggestion if only the tag of a level is close",
      { ...known, disabled_tags: ["paranoia_level-1"] },
      ["unknown_tag: No rule of the managed ruleset has this tag, … Correct or remove it."],
    ],
    [
      "is a rule in disabled_rules",
      { disabled_rules: ["1".repeat(32), unknown.toUpperCase()] },
      ["unknown_rule: The managed ruleset has no rule with this id, … Correct or remove it."],
    ],
    [
      "is a rule in rules",
      { rules: { [unknown]: { enabled: false }, ["2".repeat(32)]: { enabled: false } } },
      ["unknown_rule: The managed ruleset has no rule with this id, … Correct or remove it."],
    ],
    ["is not checked if the rules are not read", { disabled_tags: ["joomla"] }, []],
    ["is not checked in a ruleset without tags", { ruleset: "Spare", rules: {}, disabled_tags: ["a"] }, []],
  ])("%s", async (_, declared, expected) => {
    const { live: found } = await reading(live, { ruleset: PLAIN, ...declared });
    const warnings = found.ok ? found.value.warnings : found.problems;
    expect(warnings?.every(({ severity }) => severity === "warning")).toBe(true);
    const shortened = warnings?.map(({ code, detail }) =>
      `${code}: ${detail}`.replace(/: .* (?=the (tag|id))/, ": … ").replace(/, so .*?\./, ", …"),
    );
    expect(shortened).toEqual(expected);
  });
});

test("enabled as text has the same effect on levels as a boolean", async () => {
  for (const enabled of [false, "false", "False"]) {
    const answers = { ...executing({ id: CORE, overrides: { enabled } }), ...account };
    const { live } = await reading(answers, { ruleset: CORE, paranoia_level: "PL1" });
    expect(live.ok ? [] : live.problems.map(({ code }) => code)).toEqual(["level_overruled"]);
    const { live: other } = await reading(answers, { ruleset: CORE, enabled: true });
    expect(normalsOf(other)).toMatchObject([{ paranoia_level: "custom: all off" }]);
  }
});

describe("with the scoring rule in the file, the account is", () => {
  const other = { id: "other" };
  const mentioning = { id: "other", overrides: { rules: [{ id: SCORE_RULE, action: "log" }] } };
  const score = { score_rule: SCORE_RULE };
  test.each<[string, Answers, JsonObject, readonly string[], string | null]>([
    ["not read if the zone executes the documented ruleset", executing(other, { id: CORE }), score, [], CORE],
    ["not read if a rule overrides the scoring rule", executing(other, mentioning), score, [], "other"],
    ["not read if the zone executes nothing", executing(), score, [], CORE],
    ["not read if the ruleset is given by its id", executing(other), { ...score, ruleset: CORE }, [], CORE],
    ["listed if any of the rules could be the declared one", executing(other), score, [LIST], CORE],
    ["listed for another name", executing(), { ...score, ruleset: "Spare" }, [LIST], "spare"],
    [
      "listed for another name that the zone executes",
      executing(other),
      { ...score, ruleset: "Other" },
      [LIST],
      "other",
    ],
    [
      "listed for another name even if a rule overrides the scoring rule",
      executing(mentioning, { id: "spare" }),
      { ...score, ruleset: "Spare" },
      [LIST],
      "spare",
    ],
  ])("%s", async (_, zone, declared, expected, id) => {
    const { live, asked } = await reading({ ...zone, ...account }, declared);
    expect(asked.filter((path) => path.startsWith("/accounts/"))).toEqual(expected);
    expect(live.ok && managedIn(live)?.id).toBe(id);
    expect(live.ok && managedIn(live)?.scoring).toEqual({ id: SCORE_RULE, own: {} });
  });

  test("not needed for the documented name, but for any other", async () => {
    const answers = { ...executing(other), [LIST]: failed(denied) };
    const { live } = await reading(answers, score);
    expect(live.ok && managedIn(live)?.id).toBe(CORE);
    expect(detailsOf((await reading(answers, { ...score, ruleset: "Spare" })).live)).toEqual([
      "GET it returned HTTP 403. Or write the ruleset's id in ruleset; then the token needs no access to the account's rulesets.",
    ]);
  });
});

describe("without permission to look up a name, with a scoring rule in the file,", () => {
  const overrides = { rules: [{ id: SCORE_RULE, action: "log" }] };
  const idFor = async (parameters: readonly JsonObject[], declared: JsonObject) => {
    const answers = { ...executing(...parameters), [LIST]: failed(denied) };
    const { live } = await reading(answers, { score_rule: SCORE_RULE, ruleset: "My own", ...declared });
    return live.ok ? managedIn(live)?.id : live.problems.map(({ code }) => code);
  };

  test.each<[string, JsonObject]>([
    ["changed", { enabled: false }],
    ["absent", { ensure: "absent" }],
  ])(
    "the declared ruleset (%s) is the one whose rule overrides the scoring rule, never the core ruleset",
    async (_, declared) => {
      expect(
        await idFor(
          [
            { id: CORE, overrides },
            { id: "mine", overrides },
          ],
          declared,
        ),
      ).toBe("mine");
      expect(await idFor([{ id: CORE, overrides }, { id: "mine" }], declared)).toEqual(["unauthorized"]);
    },
  );

  test("an unknown name is an error after the lookup", async () => {
    const answers = { ...executing({ id: CORE, overrides }), ...account };
    const { live } = await reading(answers, { ruleset: "My own", score_rule: SCORE_RULE, ensure: "absent" });
    expect(live.ok ? [] : live.problems.map(({ code }) => code)).toEqual(["ruleset_not_found"]);
  });
});

describe("a ruleset with ensure: absent", () => {
  const absent = { ensure: "absent", ruleset: "Spare" };

  test("needs only a read of the zone if nothing is executed", async () => {
    const { live, asked } = await reading(account, absent);
    expect(asked).toEqual([ENTRY]);
    expect(normalsOf(live)).toEqual([]);
  });

  test("is found by its name without reading its scoring rule", async () => {
    const { live, asked } = await reading(
      { ...executing({ id: "other" }, { id: "spare" }), ...account },
      absent,
    );
    expect(asked).toEqual([ENTRY, LIST]);
    expect(live.ok && declaredIn(live.value).map(({ ref }) => ref.id)).toEqual(["r1"]);
  });
});

test("overrides of an unknown shape fail the zone and do not count as none", async () => {
  for (const overrides of [[], { rules: {} }, { categories: ["a"] }]) {
    const { live } = await reading({ ...executing({ id: CORE, overrides }), ...account }, {});
    expect(detailsOf(live)).toEqual([
      "The overrides of the live rule r0 are not lists of tags and rules. Nothing that depends on it is planned.",
    ]);
  }
});

test("an account's ruleset of an unknown shape fails the zone", async () => {
  for (const odd of [null, { rules: 1 }, []]) {
    const { live } = await reading(
      { ...executing({ id: CORE }), ...account, [`${LIST}/${CORE}`]: odd },
      { action: "log" },
    );
    expect(live.ok).toBe(false);
  }
});

test("a disabled scoring rule does nothing and is not listed in disabled_rules", async () => {
  const off = { id: CORE, overrides: { rules: [{ id: SCORE_RULE, enabled: false }] } };
  for (const declared of [{ action: "block" }, { disabled_rules: [] }]) {
    const { live } = await reading({ ...executing(off), ...account }, declared);
    expect(normalsOf(live)).toMatchObject([{ action: "none", disabled_rules: [] }]);
  }
});

type Answers = { readonly [path: string]: Json | Result<never> };

async function reading(answers: Answers, declared: JsonObject) {
  const asked = new Set<string>();
  const answer = async (path: string): Promise<Result<Json>> => {
    asked.add(path);
    const given =
      answers[path] ?? (path === ZONE_LIST ? [] : failed(problem("not_found", "Not there", `GET ${path}`)));
    return isFailure(given) ? given : ok(given);
  };
  const live = await readManagedRulesets(
    {
      api: {
        get: answer,
        list: async (path) => {
          const list = await answer(path);
          return list.ok ? ok(list.value as readonly Json[]) : list; // the tests give lists
        },
      },
      zoneId: "zone",
      accountId: async () => ok("account"),
      locate: () => null,
    },
    [{ path: ["managed_ruleset"], body: declared }],
  );
  // Identical requests that match a run are sent once. The lists that are read before others come last here.
  const all = [...asked];
  const last = all.indexOf(CUSTOM);
  return { live, asked: last < 0 ? all : all.slice(0, last) };
}

function isFailure(given: Json | Result<never>): given is Result<never> & { readonly ok: false } {
  return typeof given === "object" && given !== null && "ok" in given;
}

function normalsOf(live: Result<Live<Context>>): readonly unknown[] {
  return live.ok ? declaredIn(live.value).map(({ normal }) => normal) : [live.problems];
}

/** Live rules that execute the declared ruleset. */
function declaredIn({ items, context }: Live<Context>): readonly Item[] {
  return items.filter(({ raw }) => context.managed.has(executedBy(raw ?? {}) ?? ""));
}

function detailsOf(live: Result<Live<Context>>): readonly string[] {
  return live.ok ? [] : live.problems.map(({ detail }) => detail);
}

/** The only declared ruleset. */
function managedIn(live: Awaited<ReturnType<typeof readManagedRulesets>>): Managed | undefined {
  return live.ok ? [...live.value.context.managed.values()][0] : undefined;
}
