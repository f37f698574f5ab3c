import { describe, expect, test } from "vitest";
import type { Dialect } from "../../src/emulator/index.js";
import type { Json } from "../../src/model/json.js";
import { call, seed, start } from "./call.js";
import {
  coreId,
  fieldsEntryPoint,
  logFields,
  newFields,
  none,
  owaspId,
  refusal,
  resultOf,
  rulesOf,
  wafEntryPoint,
  wrong,
  zoneRulesets,
} from "./rulesets.js";

const deploy = { action: "execute", action_parameters: { id: owaspId }, expression: "true" };

function deployed(parameters: { readonly [field: string]: Json }) {
  return { ...deploy, action_parameters: { id: owaspId, ...parameters } };
}

describe("a rule of a managed phase", () => {
  const inParameters = "/rules/0/action_parameters";
  const inOverrides = `${inParameters}/overrides`;
  const noList = "must be a list that is not empty";
  const rows: readonly [what: string, rule: Json, ...errors: Json[]][] = [
    [
      "with the action block",
      { ...deploy, action: "block", action_parameters: {} },
      wrong(
        "/rules/0/action",
        "the action 'block' is not valid in rulesets of the kind 'zone' and the phase 'http_request_firewall_managed'",
        20016,
      ),
    ],
    [
      "that skips nothing",
      { action: "skip", expression: "true", action_parameters: {} },
      wrong(inParameters, "at least one of ruleset, rulesets, rules, phase, phases, products is required"),
    ],
    [
      "that skips all rules and also a ruleset",
      { action: "skip", expression: "true", action_parameters: { ruleset: "current", rulesets: [owaspId] } },
      wrong(`${inParameters}/rulesets`, "cannot be given with ruleset"),
    ],
    [
      "that skips rulesets by name",
      { action: "skip", expression: "true", action_parameters: { rulesets: ["OWASP"] } },
      wrong(`${inParameters}/rulesets`, "must be a list of the ids of rulesets"),
    ],
    [
      "that skips an empty list of rules",
      { action: "skip", expression: "true", action_parameters: { rules: { [owaspId]: [] } } },
      wrong(`${inParameters}/rules`, "must have lists of the ids of rules by the ids of their rulesets"),
    ],
    [
      "with an action in capitals",
      { ...deploy, action: "SKIP" },
      wrong("/rules/0/action", "must be the name of an action"),
    ],
    [
      "with an expression that is too long",
      { ...deploy, expression: "x".repeat(4097) },
      wrong("/rules/0/expression", "expression size 4097 exceeded maximum 4096", 20127),
    ],
    [
      "with an expression that is not text",
      { ...deploy, expression: true },
      wrong("/rules/0/expression", "must be a string"),
    ],
    [
      "with enabled as text",
      { ...deploy, enabled: "true" },
      wrong("/rules/0/enabled", "must be true or false"),
    ],
    [
      "with an empty ref",
      { ...deploy, ref: "" },
      wrong("/rules/0/ref", "must be a string that is not empty"),
    ],
    [
      "with a description of null",
      { ...deploy, description: null },
      wrong("/rules/0/description", "must be a string"),
    ],
    [
      "with logging as a boolean",
      { ...deploy, logging: true },
      wrong("/rules/0/logging", "must be an object with enabled"),
    ],
    [
      "without parameters",
      { action: "execute", expression: "true" },
      wrong(inParameters, "the action 'execute' has action parameters"),
    ],
    [
      "with parameters in a list",
      { ...deploy, action_parameters: [] },
      wrong(inParameters, "must be an object"),
    ],
    [
      "that executes nothing",
      { ...deploy, action_parameters: {} },
      wrong(`${inParameters}/id`, "the id of a ruleset is required"),
    ],
    [
      "that executes an unknown ruleset",
      deployed({ id: none }),
      wrong(
        `${inParameters}/id`,
        `there is no ruleset ${none} to execute in the phase http_request_firewall_managed`,
      ),
    ],
    [
      "that executes a ruleset of another phase",
      deployed({ id: "e22d83c647c64a3eae91b71b499d988e" }),
      wrong(
        `${inParameters}/id`,
        "there is no ruleset e22d83c647c64a3eae91b71b499d988e to execute in the phase http_request_firewall_managed",
      ),
    ],
    [
      "with empty overrides",
      deployed({ overrides: {} }),
      wrong(inOverrides, "must be an object that is not empty"),
    ],
    [
      "with an empty list of categories",
      deployed({ overrides: { categories: [] } }),
      wrong(`${inOverrides}/categories`, noList),
    ],
    [
      "with rules that are not a list",
      deployed({ overrides: { rules: {} } }),
      wrong(`${inOverrides}/rules`, noList),
    ],
    [
      "with a category without an override",
      deployed({ overrides: { categories: [{ category: "paranoia-level-4" }] } }),
      wrong(`${inOverrides}/categories/0`, "must have at least 2 properties"),
    ],
    [
      "with an override without a rule id",
      deployed({ overrides: { rules: [{ enabled: false, action: "log" }] } }),
      wrong(`${inOverrides}/rules/0`, "must be an object with id"),
    ],
    [
      "with the same override twice",
      deployed({
        overrides: {
          rules: [
            { id: none, action: "log" },
            { id: none, action: "log" },
          ],
        },
      }),
      wrong(`${inOverrides}/rules/1`, "stands in the list already"),
    ],
    [
      "with overrides of the wrong types",
      deployed({
        overrides: { rules: [{ id: "x", score_threshold: 4.5, enabled: 1 }], sensitivity_level: "high" },
      }),
      wrong(`${inOverrides}/sensitivity_level`, "must be one of default, medium, low, eoff"),
      wrong(`${inOverrides}/rules/0/id`, "must be the id of a rule"),
      wrong(`${inOverrides}/rules/0/enabled`, "must be true or false"),
      wrong(`${inOverrides}/rules/0/score_threshold`, "must be a whole number"),
    ],
    [
      "with payload logging without a key",
      deployed({ matched_data: {} }),
      wrong(`${inParameters}/matched_data`, "must be an object with a public_key"),
    ],
  ];
  test.each(rows)("%s is refused", async (_, rule, ...errors) => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "PUT", wafEntryPoint, { rules: [rule] });
    expect([reply.status, reply.body]).toEqual([400, refusal(...errors)]);
    expect((await call(emulator, "GET", wafEntryPoint)).status).toBe(404);
  });

  test("is accepted exactly at the limits and with every possible field", async () => {
    const overrides = {
      action: "log",
      enabled: true,
      sensitivity_level: "default",
      categories: [{ category: "paranoia-level-4", enabled: false }],
      rules: [{ id: none, score_threshold: 60, action: "managed_challenge" }],
    };
    const rule = {
      ...deployed({ overrides, matched_data: { public_key: "a2V5" } }),
      expression: "x".repeat(4096),
    };
    const reply = await call(await start({ seed }), "PUT", wafEntryPoint, {
      rules: [rule, { ...deploy, action_parameters: { id: coreId } }],
    });
    expect(rulesOf(reply)[0]).toMatchObject(rule);
  });
});

describe("a rule of custom log fields", () => {
  const inParameters = "/rules/0/action_parameters";
  const fields = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => ({ name: `x-${from + n}` }));
  const withFields = (parameters: { readonly [list: string]: Json }) => ({
    ...logFields,
    action_parameters: parameters,
  });
  const rows: readonly [what: string, rule: Json, ...errors: Json[]][] = [
    [
      "with another action",
      { action: "execute", action_parameters: { id: none }, expression: "true" },
      wrong(
        "/rules/0/action",
        "the action 'execute' is not valid in rulesets of the kind 'zone' and the phase 'http_log_custom_fields'",
        20016,
      ),
      wrong(
        `${inParameters}/id`,
        `there is no ruleset ${none} to execute in the phase http_log_custom_fields`,
      ),
    ],
    [
      "for only some requests",
      { ...logFields, expression: "ssl" },
      wrong("/rules/0/expression", "the expression must be true"),
    ],
    [
      "without a list",
      withFields({}),
      wrong(
        inParameters,
        "at least one of request_fields, response_fields, raw_response_fields, transformed_request_fields, cookie_fields is required",
      ),
    ],
    [
      "with an empty list",
      withFields({ request_fields: [{ name: "a" }], cookie_fields: [] }),
      wrong(`${inParameters}/cookie_fields`, "must be a list that is not empty"),
    ],
    [
      "with names that are not objects",
      withFields({ request_fields: ["a"] }),
      wrong(`${inParameters}/request_fields/0`, "must be an object with a name"),
    ],
    [
      "with a header in capitals",
      withFields({ response_fields: [{ name: "server" }, { name: "Set-Cookie" }] }),
      wrong(`${inParameters}/response_fields/1/name`, "the name of a header must be in lower case"),
    ],
    [
      "with more than a hundred names in one list",
      withFields({ request_fields: fields(101), cookie_fields: fields(100) }),
      wrong(`${inParameters}/request_fields`, "has more than 100 fields"),
    ],
    [
      "with a header in both its original and its transformed form",
      withFields({ response_fields: [{ name: "server" }], raw_response_fields: [{ name: "server" }] }),
      wrong(`${inParameters}/raw_response_fields`, "server is in response_fields too"),
    ],
  ];
  test.each(rows)("%s is refused", async (_, rule, ...errors) => {
    const reply = await call(await start({ seed }), "PUT", fieldsEntryPoint, { rules: [rule] });
    expect([reply.status, reply.body]).toEqual([400, refusal(...errors)]);
  });

  test.each<[dialect: Dialect, what: string, parameters: { readonly [list: string]: Json }, status: number]>([
    [
      "service",
      "a hundred names in every list",
      { request_fields: fields(100), cookie_fields: fields(100) },
      200,
    ],
    ["service", "cookies with capitals", { cookie_fields: [{ name: "sessionId" }] }, 200],
    [
      "service",
      "a newer list",
      { raw_response_fields: [{ name: "server", preserve_duplicates: true }] },
      200,
    ],
    ["interface", "forty names in all lists", { request_fields: fields(20), cookie_fields: fields(20) }, 200],
    [
      "interface",
      "forty-one names in all lists",
      { request_fields: fields(20), cookie_fields: fields(21) },
      400,
    ],
    ["interface", "only a newer list", { raw_response_fields: [{ name: "server" }] }, 400],
  ])("in the %s dialect, with %s, is answered as documented", async (dialect, _, parameters, status) => {
    const emulator = await start({ seed, dialect });
    const created = await call(emulator, "POST", zoneRulesets, newFields);
    const { id } = resultOf(created);
    const body = { rules: [withFields(parameters)] };
    const reply = await call(emulator, "PUT", `${zoneRulesets}/${String(id)}`, body);
    expect(reply.status).toBe(status);
    if (status === 200) expect(rulesOf(reply)[0]).toMatchObject(withFields(parameters));
  });
});

describe("a rule of another phase", () => {
  test("may have any action", async () => {
    const path = `${zoneRulesets}/phases/http_request_firewall_custom/entrypoint`;
    const rule = { action: "managed_challenge", expression: "ssl" };
    expect(rulesOf(await call(await start({ seed }), "PUT", path, { rules: [rule] }))).toMatchObject([rule]);
  });
});
