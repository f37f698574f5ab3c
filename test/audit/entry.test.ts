import { describe, expect, test } from "vitest";
import { attribute } from "../../src/audit/attribute.js";
import { entryOf } from "../../src/audit/entry.js";
import type { Target } from "../../src/audit/touched.js";
import type { Json } from "../../src/model/json.js";

const ID = "a".repeat(32);
const ZONE = "f".repeat(32);
const OF_POLICY = `/client/v4/zones/${ZONE}/page_shield/policies/${ID}`;

function entry(more: { readonly [part: string]: { readonly [field: string]: Json } } = {}) {
  return {
    id: "1",
    action: { type: "update", result: "success", time: "2026-11-20T14:02:00Z", ...more.action },
    actor: {
      email: "alice@example.com",
      type: "user",
      context: "dash",
      ip_address: "192.0.2.1",
      ...more.actor,
    },
    raw: { method: "PUT", uri: OF_POLICY, ...more.raw },
    resource: { request: { value: "b" }, ...more.resource },
  };
}

describe("an entry", () => {
  test("is read as the documentation has it", () => {
    expect(entryOf(entry())).toEqual({
      id: "1",
      time: "2026-11-20T14:02:00Z",
      timeMs: Date.parse("2026-11-20T14:02:00Z"),
      actor: { as: "user", name: "alice@example.com", through: "dashboard" },
      method: "PUT",
      path: `/zones/${ZONE}/page_shield/policies/${ID}`,
      request: { value: "b" },
      response: null,
    });
  });

  test.each<[string, Json]>([
    ["no object", "text"],
    ["of a read", entry({ raw: { method: "GET" } })],
    ["of what failed", entry({ action: { result: "failure" } })],
    ["without a time", entry({ action: { time: "soon" } })],
    ["without a path", entry({ raw: { uri: "/other" } })],
    ["without parts", { id: "1" }],
  ])("is none: %s", (_, json) => {
    expect(entryOf(json)).toBeNull();
  });

  test.each([
    [
      { context: "api_token", token_name: "ci" },
      { as: "token", name: "ci", through: "api" },
    ],
    [
      { context: "api_token", email: "" },
      { as: "token", name: null, through: "api" },
    ],
    [
      { type: "system", email: "" },
      { as: "service", name: null, through: "dashboard" },
    ],
    [
      { type: "user", email: "" },
      { as: "user", name: null, through: "dashboard" },
    ],
  ])("says who: %o", (actor, expected) => {
    expect(entryOf(entry({ actor }))?.actor).toEqual(expected);
  });

  test("of this program is known by its user agent", () => {
    expect(entryOf(entry({ raw: { user_agent: "zoneward/0.1.0" } }))?.actor.through).toBe("zoneward");
  });

  test("has a body that may be a text, and may be cut", () => {
    expect(entryOf(entry({ resource: { request: '{"value":"b"}' } }))?.request).toEqual({ value: "b" });
    expect(entryOf(entry({ resource: { request: '{"value":"b' } }))?.request).toBeNull();
  });
});

describe("who changed an object", () => {
  const target: Target = {
    zoneId: ZONE,
    id: ID,
    key: "A",
    paths: [`/zones/${ZONE}/page_shield/policies/${ID}`],
    fields: [{ path: "value", live: "b" }],
    moved: "changed",
  };
  const found = (...all: Json[]) => {
    const { found: how, entries } = attribute(
      target,
      all.flatMap((each) => entryOf(each) ?? []),
    );
    return [how, ...entries.map(({ actor }) => actor.name)];
  };
  const later = { time: "2026-11-21T00:00:00Z" };
  const bob = { email: "bob@example.com" };

  test("is named where the newest wrote what is live", () => {
    expect(found(entry())).toEqual(["named", "alice@example.com"]);
    expect(
      found(entry({ resource: { request: { value: "a" } } }), entry({ action: later, actor: bob })),
    ).toEqual(["named", "bob@example.com"]);
  });

  test("is open where a later call says nothing, or wrote something else", () => {
    const silent = entry({ action: later, actor: bob, resource: { request: null } });
    expect(found(entry(), silent)).toEqual(["candidates", "bob@example.com", "alice@example.com"]);
    const other = entry({ action: later, actor: bob, resource: { request: { value: "c" } } });
    expect(found(entry(), other)).toEqual(["none"]);
  });

  test.each([
    ["another zone", OF_POLICY.replace(ZONE, "e".repeat(32))],
    ["another object", OF_POLICY.replace(ID, "b".repeat(32))],
    ["another collection", `/client/v4/zones/${ZONE}/logpush/jobs/1`],
    ["the settings", `/client/v4/zones/${ZONE}/page_shield`],
  ])("is nobody who called %s", (_, uri) => {
    expect(found(entry({ raw: { uri } }))).toEqual(["none"]);
  });

  test("may have written a whole list of rules", () => {
    const rules = `/zones/${ZONE}/rulesets/${"c".repeat(32)}/rules/${ID}`;
    const written = entryOf(
      entry({
        raw: { uri: `/client/v4/zones/${ZONE}/rulesets/phases/http_request_firewall_managed/entrypoint` },
        resource: {
          request: {
            rules: [
              { id: "other", value: "z" },
              { id: ID, value: "b" },
            ],
          },
        },
      }),
    );
    expect(attribute({ ...target, paths: [rules] }, written === null ? [] : [written]).found).toBe("named");
  });
});
