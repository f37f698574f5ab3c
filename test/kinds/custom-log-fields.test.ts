import { describe, expect, test } from "vitest";
import { callsOf, type PendingStep } from "../../src/calls/index.js";
import { customLogFields } from "../../src/kinds/custom-log-fields/index.js";
import { diffFields } from "../../src/kinds/fields.js";
import type { Live } from "../../src/kinds/kind.js";
import { readLive } from "../../src/kinds/read.js";
import { type Item, WITHOUT_BASE } from "../../src/model/item.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import type { ReadApi } from "../../src/model/read-api.js";
import type { Effect } from "../../src/model/strength.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";

const ZONE = "353c8d1a7323a8d9ca50e4ef0135e023";
const ENTRY_POINT = `/zones/${ZONE}/rulesets/phases/http_log_custom_fields/entrypoint`;

const rule = (fields: JsonObject): JsonObject => ({
  id: "r1",
  version: "3",
  last_updated: "2026-01-01T00:00:00Z",
  action: "log_custom_field",
  expression: "true",
  enabled: true,
  ...fields,
});

const ruleset = (...rules: readonly JsonObject[]): JsonObject => ({
  id: "s1",
  version: "9",
  phase: "http_log_custom_fields",
  rules,
});

/** Answers to GET by path. Any other path is not found. */
function serving(answers: { readonly [path: string]: Json | Result<Json> }): ReadApi & { asked: string[] } {
  const asked: string[] = [];
  const get = async (path: string): Promise<Result<Json>> => {
    asked.push(path);
    const answer = answers[path];
    if (answer === undefined) return failed(problem("not_found", "Not there", `GET ${path}.`));
    return typeof answer === "object" && answer !== null && "ok" in answer
      ? (answer as Result<Json>) // answers of this file
      : ok(answer as Json); // likewise
  };
  const list = async (path: string) => {
    const answer = await get(path);
    return answer.ok ? ok(answer.value as readonly Json[]) : answer; // a list in this file
  };
  return { get, list, asked };
}

function read(api: ReadApi, declared: JsonObject): Promise<Result<Live>> {
  const zone = { api, zoneId: ZONE, accountId: async () => ok("a1"), locate: () => null };
  return readLive(customLogFields, zone, [{ path: ["custom_log_fields"], body: declared }]);
}

async function liveOf(api: ReadApi, declared: JsonObject): Promise<Live> {
  const answer = await read(api, declared);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.value;
}

/** The calls that change a zone with these answers to the declared state. */
async function callsFor(api: ReadApi, declared: JsonObject): Promise<readonly PendingStep[]> {
  const live = await liveOf(api, declared);
  const before = live.items[0] ?? null;
  const own = customLogFields.toDesired(declared, before);
  const normal = { ...before?.normal, ...own };
  const want: Item = {
    ref: { kind: "custom_log_fields", key: "custom_log_fields", id: before?.ref.id ?? null },
    normal,
    raw: before?.raw ?? null,
    owns: Object.keys(own),
    at: ["custom_log_fields"],
  };
  const fields = diffFields(before?.normal ?? null, normal, customLogFields.fields);
  const triple = { ...WITHOUT_BASE, want, live: before };
  const action = before === null ? "create" : "update";
  const changes = [{ at: 0, action, triple, fields }] as const;
  return callsOf([{ kind: customLogFields, zoneId: ZONE, live, changes, isFull: false }])[0]?.drafts ?? [];
}

describe("reading custom log fields", () => {
  test("a ruleset without an entry point is found in the list and filled", async () => {
    const hidden = `/zones/${ZONE}/rulesets/s1`;
    const api = serving({
      [`/zones/${ZONE}/rulesets`]: [
        { id: "s0", kind: "managed", phase: "http_log_custom_fields" },
        { id: "s1", kind: "zone", phase: "http_log_custom_fields" },
      ],
      [hidden]: { id: "s1", version: "1", phase: "http_log_custom_fields" },
    });
    const calls = await callsFor(api, { cookie_fields: ["a"] });
    expect(calls.map(({ method, path }) => [method, ...path].join(" "))).toEqual([
      `PUT zones ${ZONE} rulesets s1`,
    ]);
    expect(calls[0]?.precondition).toEqual({ read: hidden, fields: { version: "1", rules: null } });
  });

  test("the list is not read if nothing is to be created", async () => {
    const api = serving({});
    expect((await liveOf(api, { ensure: "absent" })).items).toEqual([]);
    expect(api.asked).toEqual([ENTRY_POINT]);
  });

  test("a failed read is an error, not an absent rule", async () => {
    const api = serving({ [ENTRY_POINT]: failed(problem("unauthorized", "No", "No.")) });
    expect(await read(api, { cookie_fields: ["a"] })).toEqual(failed(problem("unauthorized", "No", "No.")));
  });

  test("two rules with one id are an error, because a call could change the wrong one", async () => {
    const twin = rule({ description: "Twin" });
    const { rules: _, ...rest } = ruleset(twin);
    const answer = await read(serving({ [ENTRY_POINT]: { ...rest, rules: [rule({}), twin] } }), {});
    const [detail] = answer.ok ? [] : answer.problems.map((each) => each.detail);
    expect(detail).toMatch(/gave two rules with the id \w+; the second is "Twin"\./);
  });

  test.each<[string, Json]>([
    ["a list that is not a list", { cookie_fields: "a" }],
    ["an unnamed field", { cookie_fields: [{ title: "a" }] }],
    ["invalid parameters", ["cookie_fields"]],
  ])("%s is an error", async (_, action_parameters) => {
    const answer = await read(serving({ [ENTRY_POINT]: ruleset(rule({ action_parameters })) }), {});
    expect(answer.ok ? [] : answer.problems.map(({ code }) => code)).toEqual(["unexpected_answer"]);
  });

  test("null, an empty list and plain text for a field are accepted", async () => {
    const action_parameters = {
      cookie_fields: ["a"],
      request_fields: null,
      response_fields: [],
      raw_response_fields: [{ name: "vary", preserve_duplicates: "true" }],
    };
    const raw = rule({ action_parameters, enabled: "true" });
    const { items } = await liveOf(serving({ [ENTRY_POINT]: ruleset(raw) }), {});
    expect(items[0]?.normal).toEqual({
      enabled: true,
      expression: "true",
      cookie_fields: ["a"],
      raw_response_fields: [{ name: "vary", preserve_duplicates: true }],
    });
  });
});

describe("writing custom log fields", () => {
  const declared = { request_fields: ["x-b", { name: "x-c" }, "x-a"] };

  test("kept fields keep their positions and options, and new ones come last", async () => {
    const request_fields = [{ note: 1, name: "x-c" }, { name: "x-old" }, { name: "x-b" }];
    const live = rule({
      action_parameters: { request_fields, cookie_fields: [{ name: "z" }, "y"], odd: null },
    });
    const [call] = await callsFor(serving({ [ENTRY_POINT]: ruleset(live) }), declared);
    const { version: _v, last_updated: _l, ...kept } = live;
    const parameters = {
      request_fields: [{ note: 1, name: "x-c" }, { name: "x-b" }, { name: "x-a" }],
      cookie_fields: [{ name: "z" }, "y"],
      odd: null,
    };
    expect(call?.body).toEqual({ rules: [{ ...kept, action_parameters: parameters }] });
  });

  test("a duplicate live field is sent once when its list changes", async () => {
    const request_fields = [{ name: "x-a" }, { name: "x-a", preserve_duplicates: true }, { name: "x-b" }];
    const live = rule({ action_parameters: { request_fields } });
    const [call] = await callsFor(serving({ [ENTRY_POINT]: ruleset(live) }), declared);
    expect(JSON.stringify(call?.body)).toContain(
      '"request_fields":[{"name":"x-a"},{"name":"x-b"},{"name":"x-c"}]',
    );
  });

  test("enabled keeps the form of the live rule", async () => {
    const live = rule({ enabled: "false", action_parameters: { request_fields: [{ name: "x-b" }] } });
    const [call] = await callsFor(serving({ [ENTRY_POINT]: ruleset(live) }), { request_fields: ["x-b"] });
    expect(JSON.stringify(call?.body)).toContain('"enabled":"true"');
  });
});

describe("the effect of a change of custom log fields", () => {
  const logging = (fields: JsonObject): JsonObject => ({ enabled: true, expression: "true", ...fields });

  test.each<[string, JsonObject, JsonObject, Effect]>([
    ["logging more strengthens", { cookie_fields: ["a"] }, { cookie_fields: ["b", "a"] }, "strengthens"],
    [
      "logging less weakens",
      { cookie_fields: ["a"], request_fields: ["b"] },
      { cookie_fields: ["a"] },
      "weakens",
    ],
    ["logging other cookies is mixed", { cookie_fields: ["a"] }, { cookie_fields: ["A"] }, "mixed"],
    ["another order is neutral", { cookie_fields: ["a", "b"] }, { cookie_fields: ["b", "a"] }, "neutral"],
    [
      "logging duplicates strengthens",
      { response_fields: ["vary"] },
      { response_fields: [{ name: "vary", preserve_duplicates: true }] },
      "strengthens",
    ],
    [
      "logging every request strengthens",
      { expression: 'http.host eq "a"', cookie_fields: ["a"] },
      { cookie_fields: ["a"] },
      "strengthens",
    ],
    ["switching off weakens", { cookie_fields: ["a"] }, { enabled: false, cookie_fields: ["a"] }, "weakens"],
    [
      "changing a disabled rule is neutral",
      { enabled: false, cookie_fields: ["a"] },
      { enabled: false },
      "neutral",
    ],
  ])("%s", (_, before, after, effect) => {
    const [old, now] = [before, after].map((each) => customLogFields.dimensions(itemOf(logging(each)), null));
    expect(effectOf(shifts(old ?? {}, now ?? {}))).toBe(effect);
  });
});
