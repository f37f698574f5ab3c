import { describe, expect, test } from "vitest";
import type { Json } from "../../src/model/json.js";
import { answered, call, start, tickingClock } from "./call.js";
import {
  core,
  coreId,
  coreRuleId,
  execute,
  executeId,
  none,
  owaspId,
  refusal,
  resultOf,
  rulesOf,
  sent,
  skip,
  skipId,
  storedWaf,
  waf,
  without,
  withRulesets,
  wrong,
} from "./rulesets.js";

const list = `${waf}/rules`;
const one = `${list}/${executeId}`;
const later = "2026-01-01T00:00:01.000000Z";

/** A new rule that fits into the seed's ruleset. */
const other = {
  action: "skip",
  action_parameters: { ruleset: "current" },
  expression: 'http.host eq "new.example"',
};

describe("adding a rule", () => {
  test("puts the rule last, fills in defaults, and answers with the whole ruleset", async () => {
    const emulator = await start({ seed: withRulesets, now: tickingClock() });
    const reply = await call(emulator, "POST", list, other);
    const added = rulesOf(reply).at(-1);
    expect(resultOf(reply)).toEqual({
      ...storedWaf,
      version: "10",
      last_updated: later,
      rules: [skip, execute, core, added],
    });
    expect(added).toEqual({
      ...other,
      description: "",
      enabled: true,
      logging: { enabled: true },
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      ref: added?.id,
      version: "1",
      last_updated: later,
    });
    expect((await call(emulator, "GET", waf)).body).toEqual(reply.body);
  });

  test("keeps its ref, its logging and unknown fields", async () => {
    const rule = { ...other, ref: "mine", logging: { enabled: false }, shade: { of: "grey" } };
    const reply = await call(await start({ seed: withRulesets }), "POST", list, rule);
    expect(rulesOf(reply).at(-1)).toMatchObject(rule);
  });

  test("may skip the rest of the ruleset together with a phase, unlike the document says", async () => {
    const action_parameters = { ruleset: "current", phases: ["http_request_firewall_managed"] };
    const rule = { ...other, action_parameters };
    const reply = await call(await start({ seed: withRulesets }), "POST", list, rule);
    expect(rulesOf(reply).at(-1)).toMatchObject(rule);
  });

  test("gives ids that are unique, across runs too", async () => {
    const ids = [];
    for (let run = 0; run < 2; run += 1) {
      const emulator = await start({ seed: withRulesets });
      for (let n = 0; n < 2; n += 1) {
        const id = rulesOf(await call(emulator, "POST", list, other)).at(-1)?.id;
        await call(emulator, "DELETE", `${list}/${String(id)}`);
        ids.push(id);
      }
    }
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
    expect(new Set(ids).size).toBe(2);
  });

  test.each<[what: string, body: { readonly [field: string]: Json }, error: Json]>([
    ["with an id", { ...other, id: none }, wrong("/id", "a new rule is given its id by the service")],
    [
      "with a ref that is taken",
      { ...other, ref: "status" },
      wrong("/ref", "another rule of the ruleset has this ref"),
    ],
    [
      "that deploys a managed ruleset a second time",
      { action: "execute", action_parameters: { id: coreId }, expression: "false" },
      wrong("/action_parameters/id", "more than one rule executes the same managed ruleset", 20014),
    ],
  ])("%s is refused", async (_, body, error) => {
    const reply = await call(await start({ seed: withRulesets }), "POST", list, body);
    expect([reply.status, reply.body]).toEqual([400, refusal(error)]);
  });
});

describe("updating a rule", () => {
  test("replaces the whole definition, so missing fields are lost or set to defaults", async () => {
    const emulator = await start({ seed: withRulesets, now: tickingClock() });
    const body = { action: "execute", action_parameters: { id: owaspId }, expression: "ssl" };
    const reply = await call(emulator, "PATCH", one, body);
    const after = {
      ...body,
      action_parameters: { id: owaspId, version: "latest" },
      description: "",
      enabled: true,
      id: executeId,
      ref: executeId,
      version: "8",
      last_updated: later,
    };
    const rules = [skip, after, core];
    expect(reply.body).toEqual(answered({ ...storedWaf, version: "10", last_updated: later, rules }));
  });

  test("drops a ref that is not sent and keeps the id", async () => {
    const emulator = await start({ seed: withRulesets });
    const reply = await call(emulator, "PATCH", `${list}/${skipId}`, without(sent(skip), "ref"));
    expect(rulesOf(reply)[0]).toMatchObject({ id: skipId, ref: skipId, version: "4" });
  });

  test("without a change keeps the version", async () => {
    const reply = await call(await start({ seed: withRulesets }), "PATCH", one, sent(execute));
    expect(rulesOf(reply)[1]).toEqual(execute);
    expect(resultOf(reply).version).toBe("10");
  });

  test.each<[what: string, version: string]>([
    ["always answered as latest", "latest"],
    ["fixed, so another one is ignored", "1.2.3"],
  ])("has the version of the executed ruleset %s", async (_, version) => {
    const body = { ...sent(core), action_parameters: { id: coreId, version }, description: "v" };
    const reply = await call(await start({ seed: withRulesets }), "PATCH", `${list}/${coreRuleId}`, body);
    expect(rulesOf(reply)[2]).toMatchObject({ action_parameters: { id: coreId, version: "latest" } });
  });

  test.each<[what: string, body: { readonly [field: string]: Json }, errors: readonly Json[]]>([
    [
      "without an action",
      { action_parameters: { id: owaspId }, expression: "true" },
      [wrong("/action", "action is required for action parameters")],
    ],
    [
      "with only enabled",
      { enabled: false },
      [wrong("/action", "action is required"), wrong("/expression", blank(""), 20125)],
    ],
    [
      "with a blank expression",
      { ...sent(execute), expression: " " },
      [wrong("/expression", blank(" "), 20125)],
    ],
    [
      "with another id",
      { ...sent(execute), id: none, description: "x" },
      [wrong("/id", `the id field cannot be modified: want ${executeId}`)],
    ],
    [
      "with the managed ruleset of another rule",
      { ...sent(execute), action_parameters: { id: coreId } },
      [wrong("/action_parameters/id", "more than one rule executes the same managed ruleset", 20014)],
    ],
    [
      "with another rule's ref",
      { ...sent(execute), ref: "status" },
      [wrong("/ref", "another rule of the ruleset has this ref")],
    ],
  ])("%s is refused", async (_, body, errors) => {
    const emulator = await start({ seed: withRulesets });
    const reply = await call(emulator, "PATCH", one, body);
    expect([reply.status, reply.body]).toEqual([400, refusal(...errors)]);
    expect((await call(emulator, "GET", waf)).body).toEqual(answered(storedWaf));
  });
});

describe("the position of a rule", () => {
  const [a, b, c] = [skipId, executeId, coreRuleId];

  test.each<[position: Json, order: readonly string[]]>([
    [{ before: "" }, [b, a, c]],
    [{ before: a }, [b, a, c]],
    [{ before: c }, [a, b, c]],
    [{ after: "" }, [a, c, b]],
    [{ after: c }, [a, c, b]],
    [{ after: a }, [a, b, c]],
    [{ index: 1 }, [b, a, c]],
    [{ index: 2 }, [a, b, c]],
    [{ index: 3 }, [a, c, b]],
  ])("%j moves the rule without changing it", async (position, order) => {
    const emulator = await start({ seed: withRulesets });
    const reply = await call(emulator, "PATCH", one, { position });
    expect(rulesOf(reply).map(({ id }) => id)).toEqual(order);
    expect(rulesOf(reply).find(({ id }) => id === executeId)).toEqual(execute);
    expect(resultOf(reply).version).toBe("10");
  });

  test.each<[position: Json, index: number]>([
    [{ before: "" }, 0],
    [{ before: b }, 1],
    [{ after: b }, 2],
    [{ after: "" }, 3],
    [{ index: 1 }, 0],
    [{ index: 4 }, 3],
  ])("%j places a new rule and is not stored", async (position, index) => {
    const reply = await call(await start({ seed: withRulesets }), "POST", list, { ...other, position });
    expect(rulesOf(reply)[index]).toMatchObject(other);
    expect(rulesOf(reply)[index]).not.toHaveProperty("position");
  });

  test("may be sent with a new definition", async () => {
    const body = { ...sent(execute), description: "First", position: { before: "" } };
    const reply = await call(await start({ seed: withRulesets }), "PATCH", one, body);
    expect(rulesOf(reply)[0]).toMatchObject({ id: executeId, description: "First", version: "8" });
  });

  const oneForm = wrong("/position", "takes exactly one of before, after and index");
  test.each<[position: Json, error: Json]>([
    [{}, oneForm],
    ["first", oneForm],
    [{ at: 1 }, oneForm],
    [{ before: "", index: 1 }, oneForm],
    [{ before: none }, wrong("/position/before", "there is no other rule of this id")],
    [{ before: executeId }, wrong("/position/before", "there is no other rule of this id")],
    [{ after: none }, wrong("/position/after", "there is no other rule of this id")],
    [{ index: 0 }, wrong("/position/index", "must be a whole number from 1 to 3")],
    [{ index: 4 }, wrong("/position/index", "must be a whole number from 1 to 3")],
    [{ index: 1.5 }, wrong("/position/index", "must be a whole number from 1 to 3")],
  ])("%j is refused", async (position, error) => {
    const reply = await call(await start({ seed: withRulesets }), "PATCH", one, { position });
    expect([reply.status, reply.body]).toEqual([400, refusal(error)]);
  });
});

describe("deleting a rule", () => {
  test("keeps the ruleset even if the rule was its last", async () => {
    const emulator = await start({ seed: withRulesets });
    for (const id of [skipId, executeId, coreRuleId]) await call(emulator, "DELETE", `${list}/${id}`);
    expect((await call(emulator, "GET", waf)).body).toEqual(
      answered({ ...without(storedWaf, "rules"), version: "12", last_updated: expect.any(String) }),
    );
  });
});

describe("an unknown rule", () => {
  test.each(["PATCH", "DELETE"])("is a 404 for %s", async (method) => {
    const body = method === "PATCH" ? sent(skip) : undefined;
    const reply = await call(await start({ seed: withRulesets }), method, `${list}/${none}`, body);
    expect([reply.status, reply.body]).toEqual([404, refusal({ message: `could not find rule ${none}` })]);
  });
});

function blank(expression: string): string {
  return `'${expression}' is not a valid value for expression because the expression cannot be blank`;
}
