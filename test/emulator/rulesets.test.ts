import { describe, expect, test } from "vitest";
import { isList, isObject, type Json } from "../../src/model/json.js";
import { answered, call, seed, start, tickingClock, zoneId } from "./call.js";
import {
  accountRulesets,
  core,
  execute,
  executeId,
  fieldsEntryPoint,
  logFields,
  newFields,
  none,
  owaspId,
  refusal,
  resultOf,
  rulesOf,
  scoreRuleId,
  sent,
  skip,
  skipId,
  storedWaf,
  waf,
  wafEntryPoint,
  without,
  withRulesets,
  wrong,
  zoneRulesets,
} from "./rulesets.js";

const later = "2026-01-01T00:00:01.000000Z";

describe("reading rulesets", () => {
  test("a new account has the documented managed rulesets", async () => {
    const { body } = await call(await start({ seed }), "GET", accountRulesets);
    const list = isObject(body) && isList(body.result) ? body.result.filter(isObject) : [];
    expect(list.map(({ id, name }) => [id, name])).toEqual([
      ["efb7b8c949ac4650a09736fc376e9aee", "Cloudflare Managed Ruleset"],
      [owaspId, "Cloudflare OWASP Core Ruleset"],
      ["c2e184081120413c86c3ab7e14069605", "Cloudflare Exposed Credentials Check"],
      ["77454fe2d30c4220b5701f6fdfb893ba", "Cloudflare Managed Free Ruleset"],
      ["e22d83c647c64a3eae91b71b499d988e", "Cloudflare Sensitive Data Detection"],
    ]);
    for (const ruleset of list) expect(ruleset).not.toHaveProperty("rules");
  });

  test("the OWASP ruleset has rules of every paranoia level and ends with the threshold rule", async () => {
    const rules = rulesOf(await call(await start({ seed }), "GET", `${accountRulesets}/${owaspId}`));
    for (const rule of rules) {
      const fields = ["id", "version", "action", "description", "last_updated", "ref", "enabled"];
      expect(Object.keys(rule)).toEqual(expect.arrayContaining(fields));
      expect(rule).not.toHaveProperty("expression");
    }
    const tags = rules.flatMap(({ categories }) => (isList(categories) ? categories : []));
    for (const level of [1, 2, 3, 4]) expect(tags).toContain(`paranoia-level-${level}`);
    expect(tags).toContain("platform-wordpress");
    expect(rules.at(-1)).toMatchObject({ id: scoreRuleId, action: "block", score_threshold: 40 });
  });

  test("a zone's list has its own rulesets, then the managed ones, all without rules", async () => {
    const { body } = await call(await start({ seed: withRulesets }), "GET", zoneRulesets);
    const { rules: _, ...summary } = storedWaf;
    const list = isObject(body) && isList(body.result) ? body.result.filter(isObject) : [];
    expect(list[0]).toEqual(summary);
    expect(list.slice(1).map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "managed"));
    for (const ruleset of list) expect(ruleset).not.toHaveProperty("rules");
  });

  test("a ruleset can be read by id and as the entry point of its phase", async () => {
    const emulator = await start({ seed: withRulesets });
    expect((await call(emulator, "GET", waf)).body).toEqual(answered(storedWaf));
    expect((await call(emulator, "GET", wafEntryPoint)).body).toEqual(answered(storedWaf));
  });

  test("keys are in another order than in the request, at every depth", async () => {
    const [, rule] = rulesOf(await call(await start({ seed: withRulesets }), "GET", waf));
    const parameters = rule?.action_parameters;
    expect(Object.keys(rule ?? {})).not.toEqual(Object.keys(execute));
    expect(Object.keys(isObject(parameters) ? parameters : {})).not.toEqual(
      Object.keys(execute.action_parameters),
    );
  });

  test("the objects of a list have their keys in another order, and the list keeps its own", async () => {
    const categories = ["paranoia-level-4", "paranoia-level-2", "paranoia-level-3"].map((category) => ({
      category,
      enabled: false,
    }));
    const rule = { ...execute, action_parameters: { id: owaspId, overrides: { categories } } };
    const emulator = await start({ seed: withRulesets });
    const [stored] = rulesOf(await call(emulator, "PUT", waf, { rules: [rule] }));
    expect(JSON.stringify(stored)).toContain(
      JSON.stringify(categories.map(({ category, enabled }) => ({ enabled, category }))),
    );
  });

  test.each<[what: string, path: string, status: number, error: Json]>([
    [
      "a managed ruleset in a zone",
      `${zoneRulesets}/${owaspId}`,
      404,
      { message: `could not find ruleset ${owaspId}` },
    ],
    ["an unknown id", `${accountRulesets}/${none}`, 404, { message: `could not find ruleset ${none}` }],
    [
      "a phase without an entry point",
      fieldsEntryPoint,
      404,
      { code: 10003, message: "could not find entrypoint ruleset in the http_log_custom_fields phase" },
    ],
    [
      "an unknown phase",
      `${zoneRulesets}/phases/http_magic/entrypoint`,
      400,
      { message: "'http_magic' is not a valid value for phase" },
    ],
    [
      "an unknown account",
      `/accounts/${none}/rulesets`,
      404,
      {
        code: 7003,
        message: `Could not route to /accounts/${none}/rulesets, is the object identifier right?`,
      },
    ],
  ])("%s is refused", async (_, path, status, error) => {
    const reply = await call(await start({ seed: withRulesets }), "GET", path);
    expect([reply.status, reply.body]).toEqual([status, refusal(error)]);
  });
});

describe("creating a ruleset", () => {
  test("stores the rules in the service dialect, with the fields that the service sets", async () => {
    const emulator = await start({ seed, now: tickingClock() });
    const reply = await call(emulator, "POST", zoneRulesets, { ...newFields, rules: [logFields] });
    const [rule] = rulesOf(reply);
    expect(resultOf(reply)).toMatchObject({ ...newFields, version: "1", last_updated: later });
    expect(rule).toEqual({
      ...logFields,
      enabled: true,
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      ref: rule?.id,
      version: "1",
      last_updated: later,
    });
    expect((await call(emulator, "GET", fieldsEntryPoint)).body).toEqual(reply.body);
  });

  test.each<Json>([[logFields], "no list"])(
    "ignores the rules in the interface dialect: %j",
    async (rules) => {
      const emulator = await start({ seed, dialect: "interface" });
      const reply = await call(emulator, "POST", zoneRulesets, { ...newFields, rules });
      expect([reply.status, resultOf(reply).rules]).toEqual([200, undefined]);
    },
  );

  test("without rules omits the field in the answer", async () => {
    const reply = await call(await start({ seed }), "POST", zoneRulesets, { ...newFields, rules: [] });
    expect(resultOf(reply)).toMatchObject(newFields);
    expect(resultOf(reply)).not.toHaveProperty("rules");
  });

  test.each<[what: string, body: { readonly [field: string]: Json }, errors: readonly Json[]]>([
    [
      "without its fields",
      {},
      ["name", "kind", "phase"].map((field) => wrong(`/${field}`, `${field} is required`)),
    ],
    [
      "as a second one for its phase",
      { ...newFields, phase: "http_request_firewall_managed" },
      [
        wrong(
          "/kind",
          "'zone' is not a valid value for kind because exceeded maximum number of zone rulesets for phase http_request_firewall_managed",
          20217,
        ),
      ],
    ],
    [
      "of the kind root",
      { ...newFields, kind: "root" },
      [wrong("/kind", "'root' is not a valid value for kind")],
    ],
    [
      "of an unknown phase",
      { ...newFields, phase: "x" },
      [wrong("/phase", "'x' is not a valid value for phase")],
    ],
    ["with an id", { ...newFields, id: none }, [{ message: "invalid JSON: unknown field id" }]],
    [
      "with an empty name",
      { ...newFields, name: "" },
      [wrong("/name", "must be a string that is not empty")],
    ],
    [
      "with a description of null",
      { ...newFields, description: null },
      [wrong("/description", "must be a string")],
    ],
    ["with rules that are not a list", { ...newFields, rules: {} }, [wrong("/rules", "must be a list")]],
  ])("%s is refused", async (_, body, errors) => {
    const emulator = await start({ seed: withRulesets });
    const before = emulator.state();
    const reply = await call(emulator, "POST", zoneRulesets, body);
    expect([reply.status, reply.body]).toEqual([400, refusal(...errors)]);
    expect(emulator.state()).toEqual(before);
  });
});

describe("replacing the rules of a ruleset", () => {
  test("keeps id, version and time of unchanged rules and increments the version of others", async () => {
    const emulator = await start({ seed: withRulesets, now: tickingClock() });
    const rules = [sent(core), { ...sent(skip), description: "Moved and changed" }];
    const reply = await call(emulator, "PUT", waf, { rules });
    expect(reply.body).toEqual(
      answered({
        ...storedWaf,
        version: "10",
        last_updated: later,
        rules: [core, { ...skip, description: "Moved and changed", version: "4", last_updated: later }],
      }),
    );
  });

  test.each<[what: string, rule: Json, id: unknown]>([
    ["by id, even with another ref", { ...sent(skip), ref: "new" }, skipId],
    ["by ref without an id", without(sent(skip), "id"), skipId],
    ["by a ref that equals its id", without(sent(execute), "id"), executeId],
  ])("finds a live rule %s", async (_, rule, id) => {
    const reply = await call(await start({ seed: withRulesets }), "PUT", waf, { rules: [rule] });
    expect(rulesOf(reply).map((each) => each.id)).toEqual([id]);
  });

  test("creates a new rule without id and ref, or with an unknown ref", async () => {
    const emulator = await start({ seed: withRulesets });
    const anonymous = without(sent(skip), "id", "ref");
    const reply = await call(emulator, "PUT", waf, { rules: [anonymous, { ...anonymous, ref: "other" }] });
    const [first, second] = rulesOf(reply);
    expect(first).toMatchObject({ version: "1", ref: first?.id });
    expect(second).toMatchObject({ version: "1", ref: "other" });
    expect(new Set([first?.id, second?.id, skipId]).size).toBe(3);
  });

  test("accepts an odd rule of the seed while it is unchanged", async () => {
    const odd = { ...core, action: "block", expression: "" };
    const shop = { ...withRulesets.zones["shop.example"], rulesets: [{ ...storedWaf, rules: [odd] }] };
    const emulator = await start({ seed: { ...seed, zones: { "shop.example": shop } } });
    expect((await call(emulator, "PUT", waf, { rules: [sent(odd)] })).status).toBe(200);
    const changed = { ...sent(odd), description: "changed" };
    expect((await call(emulator, "PUT", waf, { rules: [changed] })).status).toBe(400);
  });

  test("with none leaves an empty ruleset, which can be filled again", async () => {
    const emulator = await start({ seed: withRulesets });
    expect(resultOf(await call(emulator, "PUT", waf, { rules: [] }))).not.toHaveProperty("rules");
    expect((await call(emulator, "GET", wafEntryPoint)).status).toBe(200);
    expect(rulesOf(await call(emulator, "PUT", waf, { rules: [without(sent(core), "id")] }))).toHaveLength(1);
  });

  test("is optional if a description is sent", async () => {
    const emulator = await start({ seed: withRulesets, now: tickingClock() });
    const reply = await call(emulator, "PUT", waf, { description: "New" });
    const after = { ...storedWaf, description: "New", version: "10", last_updated: later };
    expect(reply.body).toEqual(answered(after));
  });

  test("accepts unchanged values of immutable fields", async () => {
    const { name, kind, phase, rules } = storedWaf;
    const body = { name, kind, phase, rules: rules.map(sent) };
    expect((await call(await start({ seed: withRulesets }), "PUT", waf, body)).status).toBe(200);
  });

  test.each<[what: string, body: { readonly [field: string]: Json }, error: Json]>([
    [
      "another name",
      { name: "Mine" },
      wrong("/name", "the name field cannot be modified: got Mine, want default"),
    ],
    [
      "another kind",
      { kind: "root" },
      wrong("/kind", "the kind field cannot be modified: got root, want zone"),
    ],
    ["an unknown field", { version: "1" }, { message: "invalid JSON: unknown field version" }],
    ["a rule that is text", { rules: ["x"] }, wrong("/rules/0", "must be an object")],
    [
      "an unknown rule id",
      { rules: [{ ...sent(core), id: none }] },
      wrong("/rules/0/id", "the ruleset has no rule of this id"),
    ],
    [
      "the same rule twice",
      { rules: [sent(skip), { ...sent(skip), ref: "other" }] },
      wrong("/rules/1/id", "a rule before is the same one"),
    ],
    [
      "the same ref twice",
      { rules: [without(sent(core), "id"), { ...sent(skip), ref: core.ref }] },
      wrong("/rules/1/ref", "another rule of the ruleset has this ref"),
    ],
    [
      "two deployments of one managed ruleset",
      { rules: [sent(execute), { ...sent(core), action_parameters: { id: owaspId } }] },
      wrong("/rules/1/action_parameters/id", "more than one rule executes the same managed ruleset", 20014),
    ],
  ])("is refused for %s", async (_, body, error) => {
    const emulator = await start({ seed: withRulesets });
    const reply = await call(emulator, "PUT", waf, body);
    expect([reply.status, reply.body]).toEqual([400, refusal(error)]);
    expect((await call(emulator, "GET", waf)).body).toEqual(answered(storedWaf));
  });
});

describe("updating an entry point", () => {
  test("creates a missing ruleset with the name default", async () => {
    const emulator = await start({ seed, now: tickingClock() });
    const reply = await call(emulator, "PUT", fieldsEntryPoint, { rules: [logFields] });
    expect(resultOf(reply)).toMatchObject({
      ...newFields,
      name: "default",
      version: "1",
      rules: [logFields],
    });
    expect((await call(emulator, "GET", fieldsEntryPoint)).body).toEqual(reply.body);
  });

  test("refuses a kind, a phase and another name", async () => {
    const body = { name: "Mine", kind: "zone", phase: storedWaf.phase, rules: [] };
    const reply = await call(await start({ seed: withRulesets }), "PUT", wafEntryPoint, body);
    expect([reply.status, reply.body]).toEqual([
      400,
      refusal(
        { message: "invalid JSON: unknown field kind" },
        { message: "invalid JSON: unknown field phase" },
        wrong("/name", "the name field cannot be modified: got Mine, want default"),
      ),
    ]);
  });
});

describe("deleting a ruleset", () => {
  test("answers 204 without a body and frees the phase", async () => {
    const emulator = await start({ seed: withRulesets });
    const reply = await call(emulator, "DELETE", waf);
    expect([reply.status, reply.body]).toEqual([204, null]);
    expect((await call(emulator, "GET", wafEntryPoint)).status).toBe(404);
    const { name, kind, phase } = storedWaf;
    const again = await call(emulator, "POST", zoneRulesets, { name, kind, phase });
    expect([again.status, resultOf(again).id === storedWaf.id]).toEqual([200, false]);
  });
});

describe("the interface dialect", () => {
  const rule = `/zones/${zoneId}/rulesets/${storedWaf.id}/rules/${skipId}`;
  test.each<[method: string, path: string, status: number]>([
    ["GET", accountRulesets, 200],
    ["GET", `${accountRulesets}/${owaspId}`, 200],
    ["GET", zoneRulesets, 200],
    ["GET", wafEntryPoint, 200],
    ["POST", zoneRulesets, 200],
    ["PUT", waf, 200],
    ["PATCH", rule, 200],
    ["GET", waf, 405],
    ["DELETE", waf, 405],
    ["PUT", wafEntryPoint, 405],
    ["DELETE", rule, 405],
    ["POST", `${waf}/rules`, 404],
    ["POST", accountRulesets, 405],
    ["PUT", `${accountRulesets}/${owaspId}`, 405],
    ["DELETE", `${accountRulesets}/${owaspId}`, 405],
    ["GET", `${accountRulesets}/phases/ddos_l7/entrypoint`, 404],
  ])("answers %s %s with %i", async (method, path, status) => {
    const emulator = await start({ seed: withRulesets, dialect: "interface" });
    const bodies = new Map<string, Json>([
      ["POST", newFields],
      ["PUT", { rules: [] }],
      ["PATCH", sent(skip)],
    ]);
    expect((await call(emulator, method, path, bodies.get(method))).status).toBe(status);
  });
});
