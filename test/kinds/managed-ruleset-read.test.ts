import { describe, expect, test } from "vitest";
import type { Live } from "../../src/kinds/kind.js";
import { type Around, read } from "../../src/kinds/managed-ruleset/read.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";

const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORE_RULE = "6179ae15870a4bb7b2d480d4843b323c";
const ENTRY = "/zones/zone/rulesets/phases/http_request_firewall_managed/entrypoint";
const ZONE_LIST = "/zones/zone/rulesets";
const LIST = "/accounts/account/rulesets";

const summary = (id: string, name: string): JsonObject => ({ id, name, kind: "managed" });
const account: Answers = {
  [LIST]: [
    summary(CORE, "Cloudflare OWASP Core Ruleset"),
    summary("other", "Other"),
    summary("spare", "Spare"),
  ],
  [`${LIST}/${CORE}`]: { id: CORE, rules: [{ id: SCORE_RULE, score_threshold: 45, action: "block" }] },
  [`${LIST}/spare`]: {
    id: "spare",
    name: "Spare",
    rules: [{ id: "s1", score_threshold: 1 }, { id: "s2", score_threshold: 7, action: "log" }, { id: "s3" }],
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
const denied = problem("unauthorized", "Denied", "GET it was answered with HTTP 403.");

describe("without a scoring rule in the file", () => {
  test("the ruleset, and what it does by itself, come from the account", async () => {
    const { live, asked } = await reading({ ...executing({ id: CORE }), ...account }, {});
    expect(asked).toEqual([ENTRY, LIST, `${LIST}/${CORE}`]);
    expect(normalsOf(live)).toMatchObject([{ score_threshold: 45, action: "block" }]);
  });

  test("the list is not read where the file has the id", async () => {
    const { live, asked } = await reading(
      { ...executing({ id: CORE }), ...account },
      { ruleset: CORE.toUpperCase() },
    );
    expect(asked).toEqual([ENTRY, `${LIST}/${CORE}`]);
    expect(normalsOf(live).length).toBe(1);
  });

  test("the last rule that has a threshold is the scoring rule", async () => {
    const { live } = await reading({ ...executing({ id: "spare" }), ...account }, { ruleset: "Spare" });
    expect(normalsOf(live)).toMatchObject([{ score_threshold: 7, action: "log" }]);
    expect(live.ok && live.value.around.managed?.scoring?.id).toBe("s2");
  });

  test("the zone's other rulesets are looked through before one is made", async () => {
    const hidden = { id: "hidden", kind: "zone", phase: "http_request_firewall_managed" };
    const answers = { ...account, [ZONE_LIST]: [hidden], [`${ZONE_LIST}/hidden`]: hidden };
    const { live } = await reading(answers, {});
    expect(live.ok && live.value.around.ruleset?.id).toBe("hidden");
  });

  test("a refused read of the account says how to do without it", async () => {
    const { live } = await reading({ ...executing({ id: CORE }), [LIST]: failed(denied) }, {});
    expect(detailsOf(live)).toEqual([
      "GET it was answered with HTTP 403. Or give score_rule: then the account's rulesets need not be read.",
    ]);
  });

  test("what fails in the zone and what fails in the account come out together", async () => {
    const { live } = await reading({ [ENTRY]: failed(denied), [LIST]: failed(denied) }, {});
    expect(detailsOf(live).length).toBe(2);
  });
});

describe("with the scoring rule in the file, the account is", () => {
  const other = { id: "other" };
  const mentioning = { id: "other", overrides: { rules: [{ id: SCORE_RULE, action: "log" }] } };
  const score = { score_rule: SCORE_RULE };
  test.each<[string, Answers, JsonObject, readonly string[], string | null]>([
    [
      "not read where the zone executes the documented ruleset",
      executing(other, { id: CORE }),
      score,
      [],
      CORE,
    ],
    ["not read where a rule overrides the scoring rule", executing(other, mentioning), score, [], "other"],
    ["not read where the zone executes nothing", executing(), score, [], CORE],
    [
      "not read where the ruleset is given by its id",
      executing(other),
      { ...score, ruleset: CORE },
      [],
      CORE,
    ],
    ["listed where any of the rules could be the one", executing(other), score, [LIST], CORE],
    ["listed for another name", executing(), { ...score, ruleset: "Spare" }, [LIST], "spare"],
    [
      "listed for another name that is executed",
      executing(other),
      { ...score, ruleset: "Other" },
      [LIST],
      "other",
    ],
  ])("%s", async (_, zone, declared, expected, id) => {
    const { live, asked } = await reading({ ...zone, ...account }, declared);
    expect(asked.filter((path) => path.startsWith("/accounts/"))).toEqual(expected);
    expect(live.ok && live.value.around.managed?.id).toBe(id);
    expect(live.ok && live.value.around.managed?.scoring).toEqual({ id: SCORE_RULE, own: {} });
  });

  test("not missed for the documented name, and missed for any other", async () => {
    const answers = { ...executing(other), [LIST]: failed(denied) };
    const { live } = await reading(answers, score);
    expect(live.ok && live.value.around.managed?.id).toBe(CORE);
    expect(detailsOf((await reading(answers, { ...score, ruleset: "Spare" })).live)).toEqual([
      "GET it was answered with HTTP 403. Or give the ruleset's id in ruleset: then the account's rulesets need not be read.",
    ]);
  });
});

describe("what is to be absent", () => {
  const absent = { ensure: "absent", ruleset: "Spare" };

  test("needs no more than a look at the zone where nothing is executed", async () => {
    const { live, asked } = await reading(account, absent);
    expect(asked).toEqual([ENTRY]);
    expect(normalsOf(live)).toEqual([]);
  });

  test("is found by its name, and its scoring rule is not asked for", async () => {
    const { live, asked } = await reading(
      { ...executing({ id: "other" }, { id: "spare" }), ...account },
      absent,
    );
    expect(asked).toEqual([ENTRY, LIST]);
    expect(live.ok && live.value.items.map(({ ref }) => ref.id)).toEqual(["r1"]);
  });
});

test("overrides of an unknown shape fail the zone, and are never taken for none", async () => {
  for (const overrides of [[], { rules: {} }, { categories: ["a"] }]) {
    const { live } = await reading({ ...executing({ id: CORE, overrides }), ...account }, {});
    expect(detailsOf(live)).toEqual([
      "The overrides of the live rule r0 are not lists of tags and rules. Nothing is planned for this zone.",
    ]);
  }
});

test("an account's ruleset of an unknown shape fails the zone", async () => {
  for (const odd of [null, { rules: 1 }, []]) {
    const { live } = await reading({ ...executing({ id: CORE }), ...account, [`${LIST}/${CORE}`]: odd }, {});
    expect(live.ok).toBe(false);
  }
});

test("a scoring rule that is switched off does nothing, and is not among the disabled rules", async () => {
  const off = { id: CORE, overrides: { rules: [{ id: SCORE_RULE, enabled: false }] } };
  const { live } = await reading({ ...executing(off), ...account }, {});
  expect(normalsOf(live)).toMatchObject([{ action: "none", disabled_rules: [] }]);
});

type Answers = { readonly [path: string]: Json | Result<never> };

async function reading(answers: Answers, declared: JsonObject) {
  const asked: string[] = [];
  const answer = async (path: string): Promise<Result<Json>> => {
    asked.push(path);
    const given =
      answers[path] ?? (path === ZONE_LIST ? [] : failed(problem("not_found", "Not there", `GET ${path}`)));
    return isFailure(given) ? given : ok(given);
  };
  const live = await read(
    {
      api: {
        get: answer,
        list: async (path) => {
          const list = await answer(path);
          return list.ok ? ok(list.value as readonly Json[]) : list; // the tests give lists here
        },
      },
      zoneId: "zone",
      accountId: async () => ok("account"),
      locate: () => null,
    },
    [{ path: ["managed_ruleset"], body: declared }],
  );
  return { live, asked };
}

function isFailure(given: Json | Result<never>): given is Result<never> & { readonly ok: false } {
  return typeof given === "object" && given !== null && "ok" in given;
}

function normalsOf(live: Result<Live<Around>>): readonly unknown[] {
  return live.ok ? live.value.items.map(({ normal }) => normal) : [live.problems];
}

function detailsOf(live: Result<Live<Around>>): readonly string[] {
  return live.ok ? [] : live.problems.map(({ detail }) => detail);
}
