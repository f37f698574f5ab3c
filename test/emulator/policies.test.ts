import { describe, expect, test } from "vitest";
import type { Dialect, Seed } from "../../src/emulator/index.js";
import { isObject, type Json } from "../../src/model/json.js";
import { answered, call, newPolicy, policyId, refused, seed, shield, start, stored } from "./call.js";

const list = `${shield}/policies`;
const one = `${list}/${policyId}`;

describe("reading policies", () => {
  test("a policy has its extra fields, and its keys are in another order than in the request", async () => {
    const emulator = await start({ seed });
    const { body } = await call(emulator, "GET", one);
    expect(body).toEqual(answered(stored));
    const keys = isObject(body) && isObject(body.result) ? Object.keys(body.result) : [];
    expect(keys.filter((key) => key in newPolicy)).not.toEqual(Object.keys(newPolicy));
  });

  test("the list in the service dialect is not paged and has the result_info of one page", async () => {
    const policies = Array.from({ length: 25 }, () => newPolicy);
    const emulator = await start({ seed: withPolicies(policies) });
    const { body } = await call(emulator, "GET", list);
    const info = { page: 1, per_page: 25, count: 25, total_count: 25, total_pages: 1 };
    expect(body).toMatchObject({ result: policies, result_info: info });
  });

  test("the list in the interface dialect has no result_info", async () => {
    const emulator = await start({ seed, dialect: "interface" });
    expect((await call(emulator, "GET", list)).body).toEqual(answered([{ ...stored, enabled: "true" }]));
  });

  test("an unknown id is a 404 for every method", async () => {
    const emulator = await start({ seed });
    const replies = [
      await call(emulator, "GET", `${list}/99999999999999999999999999999999`),
      await call(emulator, "PUT", `${list}/not-an-id`, {}),
      await call(emulator, "DELETE", `${list}/__proto__`),
    ];
    for (const reply of replies) {
      expect([reply.status, reply.body]).toEqual([404, refused({ message: "policy not found" })]);
    }
  });

  test("a seeded policy is returned unchanged, except for the dialect's form of enabled", async () => {
    const odd = {
      ...stored,
      action: "perplex",
      value: "script-src  'self';\n;",
      expression: " ",
      enabled: "false" as const,
    };
    const service = await start({ seed: withPolicies([odd]) });
    expect((await call(service, "GET", one)).body).toEqual(answered({ ...odd, enabled: false }));
    const asInterface = await start({ seed: withPolicies([odd]), dialect: "interface" });
    expect((await call(asInterface, "GET", one)).body).toEqual(answered(odd));
  });
});

describe("creating a policy", () => {
  test("gives ids that are unique and the same in every run", async () => {
    const run = async () => {
      const emulator = await start({ seed });
      const ids = [];
      for (let n = 0; n < 3; n += 1) {
        const id = idOf((await call(emulator, "POST", list, newPolicy)).body);
        ids.push(id);
        await call(emulator, "DELETE", `${list}/${String(id)}`);
      }
      return ids;
    };
    const ids = await run();
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(await run()).toEqual(ids);
  });

  test("without required fields is refused with an error for each", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "POST", list, {});
    const errors = ["description", "action", "expression", "enabled", "value"].map((field) => ({
      message: `${field} is required`,
      source: { pointer: `/${field}` },
    }));
    expect([reply.status, reply.body]).toEqual([400, refused(...errors)]);
  });

  test("beyond the limit of policies is refused until one is deleted", async () => {
    const emulator = await start({ seed, policyLimit: 1 });
    expect((await call(emulator, "POST", list, newPolicy)).status).toBe(400);
    await call(emulator, "DELETE", one);
    expect((await call(emulator, "POST", list, newPolicy)).status).toBe(200);
  });
});

describe("updating a policy", () => {
  test("without a change is accepted", async () => {
    const emulator = await start({ seed });
    expect((await call(emulator, "PUT", one, newPolicy)).status).toBe(200);
    expect((await call(emulator, "PUT", one, {})).status).toBe(200);
  });
});

describe("deleting a policy", () => {
  test("answers 204 without a body in the service dialect", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "DELETE", one);
    expect([reply.status, reply.body]).toEqual([204, null]);
    expect((await call(emulator, "GET", one)).status).toBe(404);
  });

  test("answers 200 with the id in the interface dialect", async () => {
    const emulator = await start({ seed, dialect: "interface" });
    const reply = await call(emulator, "DELETE", one);
    expect([reply.status, reply.body]).toEqual([200, answered({ id: policyId })]);
    expect((await call(emulator, "GET", one)).status).toBe(404);
  });
});

describe("enabled in a request", () => {
  test.each<[Dialect, Json, number]>([
    ["service", false, 200],
    ["service", "false", 400],
    ["interface", false, 200],
    ["interface", "false", 200],
    ["interface", "False", 400],
    ["interface", null, 400],
  ])("in the %s dialect, %j is answered with %i", async (dialect, enabled, status) => {
    const emulator = await start({ seed, dialect });
    expect((await call(emulator, "PUT", one, { enabled })).status).toBe(status);
    const after = dialect === "interface" ? String(status !== 200) : status !== 200;
    expect((await call(emulator, "GET", one)).body).toMatchObject({ result: { enabled: after } });
  });
});

describe("a refused body", () => {
  const unknown = { message: "unknown directive", source: { pointer: "/value" } };
  const rows: readonly [what: string, body: { readonly [field: string]: Json }, error: Json][] = [
    ["an unknown field", { colour: "red" }, { message: "unknown field", source: { pointer: "/colour" } }],
    ["an id", { id: policyId }, { message: "unknown field", source: { pointer: "/id" } }],
    ["a description of null", { description: null }, wrong("description", "must be a string")],
    ["a value of two lines", { value: "script-src\n'self'" }, unknown],
    ["a value with a tab", { value: "script-src\t'self'" }, unknown],
    ["a value with doubled spaces", { value: "script-src  'self'" }, unknown],
    ["an unsupported directive", { value: "script-src 'self'; report-uri /x" }, unknown],
    ["a misspelt directive", { value: "script-source 'self'" }, unknown],
    ["an empty value", { value: " " }, wrong("value", "value cannot be blank")],
    ["a value that is not text", { value: 1 }, wrong("value", "must be a string")],
    [
      "a value of 6001 characters",
      { value: "script-src ".padEnd(6001, "x") },
      wrong("value", "value is longer than 6000 characters"),
    ],
    [
      "a blank expression",
      { expression: "" },
      { code: 20125, ...wrong("expression", "expression cannot be blank") },
    ],
    [
      "an expression of 4097 characters",
      { expression: "x".repeat(4097) },
      { code: 20127, ...wrong("expression", "expression size 4097 exceeds the maximum of 4096") },
    ],
    [
      "an unknown action",
      { action: "block" },
      wrong("action", "must be one of allow, log, add_reporting_directives"),
    ],
  ];
  test.each(rows)("with %s changes nothing, in POST and in PUT", async (_, fields, error) => {
    const emulator = await start({ seed });
    for (const [method, path] of [
      ["POST", list],
      ["PUT", one],
    ] as const) {
      const reply = await call(emulator, method, path, { ...newPolicy, ...fields });
      expect([reply.status, reply.body]).toEqual([400, refused(error)]);
    }
    expect(emulator.state().zones["shop.example"]?.policies).toEqual([stored]);
  });

  test("gets all of its errors at once", async () => {
    const emulator = await start({ seed });
    const { body } = await call(emulator, "PUT", one, { action: "block", value: "", colour: "red" });
    expect(body).toMatchObject({ errors: [{}, {}, {}] });
  });

  test("includes one with the newest action, in the interface dialect only", async () => {
    const body = { action: "add_reporting_directives" };
    expect((await call(await start({ seed, dialect: "interface" }), "PUT", one, body)).status).toBe(400);
    expect((await call(await start({ seed }), "PUT", one, body)).status).toBe(200);
  });

  test("does not include one exactly at the limits", async () => {
    const emulator = await start({ seed });
    const body = { value: "script-src ".padEnd(6000, "x"), expression: "x".repeat(4096) };
    expect((await call(emulator, "PUT", one, body)).status).toBe(200);
  });

  test("does not include one with directives without sources and a final semicolon", async () => {
    const emulator = await start({ seed });
    const body = { value: "upgrade-insecure-requests; script-src 'none';" };
    expect((await call(emulator, "PUT", one, body)).status).toBe(200);
  });
});

function wrong(field: string, message: string) {
  return { message, source: { pointer: `/${field}` } };
}

function withPolicies(policies: NonNullable<Seed["zones"][string]["policies"]>): Seed {
  return { zones: { "shop.example": { ...seed.zones["shop.example"], policies } } };
}

function idOf(body: Json | null): Json | undefined {
  return isObject(body) && isObject(body.result) ? body.result.id : undefined;
}
