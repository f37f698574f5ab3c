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

describe("an audit log entry", () => {
  test("is read in its documented format", () => {
    expect(entryOf(entry())).toEqual({
      id: "1",
      timeMs: Date.parse("2026-11-20T14:02:00Z"),
      actor: { as: "user", name: "alice@example.com", through: "dashboard" },
      method: "PUT",
      path: `/zones/${ZONE}/page_shield/policies/${ID}`,
      request: { value: "b" },
      response: null,
    });
  });

  test("has the same time in any time zone", () => {
    const there = entryOf(entry({ action: { time: "2026-11-20T16:02:00+02:00" } }));
    expect(there?.timeMs).toBe(entryOf(entry())?.timeMs);
  });

  test.each<[string, Json]>([
    ["a string", "text"],
    ["a read", entry({ raw: { method: "GET" } })],
    ["a failed call", entry({ action: { result: "failure" } })],
    ["no time", entry({ action: { time: "soon" } })],
    ["no zone path", entry({ raw: { uri: "/other" } })],
    ["no method", { id: "1" }],
  ])("is ignored if it is or has %s", (_, json) => {
    expect(entryOf(json)).toBeNull();
  });

  test.each([
    ["ci 203.0.113.9 alice", "ci … alice"],
    ["from 2001:db8::7:1, at 12:30:45", "from …, at 12:30:45"],
    ["::ffff:203.0.113.9 and 1.2.3", "… and 1.2.3"],
  ])("has no IP addresses in names: %s", (written, shown) => {
    const token = entryOf(entry({ actor: { context: "api_token", token_name: written } }));
    expect(token?.actor.name).toBe(shown);
    const user = entryOf(entry({ actor: { email: written } }));
    expect(user?.actor.name).toBe(shown);
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
      { type: null, email: null, context: null },
      { as: "somebody", name: null, through: "api" },
    ],
    [
      { type: "user", email: "" },
      { as: "user", name: null, through: "dashboard" },
    ],
  ])("has the actor of %o", (actor, expected) => {
    expect(entryOf(entry({ actor }))?.actor).toEqual(expected);
  });

  test.each(["2026-11-20T16:02:00+02:00", "Fri, 20 Nov 2026 14:02:00 GMT (<b>)"])(
    "has its time in UTC: %s",
    (time) => {
      expect(entryOf(entry({ action: { time } }))?.timeMs).toBe(Date.UTC(2026, 10, 20, 14, 2));
    },
  );

  test("of zoneward is recognised by its user agent", () => {
    expect(entryOf(entry({ raw: { user_agent: "zoneward/0.1.0" } }))?.actor.through).toBe("zoneward");
  });

  test("may have a body in text, and no body if the text is cut", () => {
    expect(entryOf(entry({ resource: { request: '{"value":"b"}' } }))?.request).toEqual({ value: "b" });
    expect(entryOf(entry({ resource: { request: '{"value":"b' } }))?.request).toBeNull();
  });
});

describe("the author of a change to an object", () => {
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

  test("is named if the latest write has the live value", () => {
    expect(found(entry())).toEqual(["named", "alice@example.com"]);
    expect(
      found(entry({ resource: { request: { value: "a" } } }), entry({ action: later, actor: bob })),
    ).toEqual(["named", "bob@example.com"]);
  });

  test("is unclear after a later call without a body, and not found after a later different write", () => {
    const silent = entry({ action: later, actor: bob, resource: { request: null } });
    expect(found(entry(), silent)).toEqual(["candidates", "bob@example.com", "alice@example.com"]);
    const other = entry({ action: later, actor: bob, resource: { request: { value: "c" } } });
    expect(found(entry(), other)).toEqual(["none"]);
  });

  test.each([
    ["another zone", OF_POLICY.replace(ZONE, "e".repeat(32))],
    ["another zone", OF_POLICY.replace(ID, "b".repeat(32))],
    ["another collection", `/client/v4/zones/${ZONE}/logpush/jobs/1`],
    ["the settings", `/client/v4/zones/${ZONE}/page_shield`],
  ])("is not the author of a call for %s", (_, uri) => {
    expect(found(entry({ raw: { uri } }))).toEqual(["none"]);
  });

  test("is unclear if several actors wrote the live value", () => {
    const again = entry({ action: later, actor: bob });
    expect(found(entry(), again)).toEqual(["candidates", "bob@example.com", "alice@example.com"]);
    expect(found(entry(), entry({ action: later }))).toEqual(["named", "alice@example.com"]);
    const cut = entry({ actor: bob, resource: { request: '{"value":"b' } });
    expect(found(cut, entry({ action: later }))).toEqual([
      "candidates",
      "alice@example.com",
      "bob@example.com",
    ]);
    const often = Array.from({ length: 9 }, () => again);
    expect(found(entry(), ...often)).toEqual(["candidates", "bob@example.com", "alice@example.com"]);
  });

  test("is not the actor who sent another field, although the response has the whole object", () => {
    const response = { result: { id: ID, value: "b", enabled: true } };
    const enabled = entry({ action: later, actor: bob, resource: { request: { enabled: true }, response } });
    expect(found(enabled)).toEqual(["candidates", "bob@example.com"]);
    expect(found(entry(), enabled)).toEqual(["candidates", "bob@example.com", "alice@example.com"]);
  });
});

describe("the author of a change to a rule in a list", () => {
  const LIST = `/zones/${ZONE}/rulesets/${"c".repeat(32)}`;
  const RULE = { id: ID, description: "A", value: "b" };
  const OTHER = { id: "d".repeat(32), description: "B", value: "z" };
  const target: Target = {
    zoneId: ZONE,
    id: ID,
    key: "A",
    paths: [`${LIST}/rules/${ID}`],
    fields: [{ path: "value", live: "b" }],
    moved: "changed",
  };
  const came: Target = { ...target, moved: "came" };
  const gone: Target = { ...target, id: null, fields: [], moved: "gone" };
  const call = (who: string, method: string, path: string, request: Json, response: Json = null) => ({
    ...entry({ actor: { email: who }, raw: { method, uri: `/client/v4${path}` } }),
    resource: { request, response },
  });
  const ENTRYPOINT = `/zones/${ZONE}/rulesets/phases/http_request_firewall_managed/entrypoint`;
  const listed = { result: { id: "c".repeat(32), rules: [OTHER, RULE] } };
  const made = call("mallory", "POST", `${LIST}/rules`, { description: "A", value: "b" }, listed);
  const changed = call("mallory", "PATCH", `${LIST}/rules/${ID}`, { value: "b" }, listed);
  const deleted = call("mallory", "DELETE", `${LIST}/rules/${ID}`, null, { result: { rules: [OTHER] } });

  // Log entries are in order, the oldest first.
  test.each<[what: string, about: Target, log: Json[], expected: string[]]>([
    ["changed the rule", target, [changed], ["named", "mallory"]],
    ["created the rule", came, [made], ["named", "mallory"]],
    ["created the rule, without known fields", { ...came, fields: [] }, [made], ["candidates", "mallory"]],
    ["deleted the rule", gone, [deleted], ["candidates", "mallory"]],
    [
      "wrote the whole list",
      target,
      [call("bob", "PUT", ENTRYPOINT, { rules: [OTHER, RULE] })],
      ["candidates", "bob"],
    ],
    [
      "changed the rule before another actor wrote the whole list",
      target,
      [changed, call("bob", "PUT", ENTRYPOINT, { rules: [OTHER, RULE] }, listed)],
      ["candidates", "bob", "mallory"],
    ],
    [
      "created the rule before another actor wrote the whole list",
      { ...came, fields: [] },
      [made, call("bob", "PUT", ENTRYPOINT, { rules: [OTHER, RULE] }, listed)],
      ["candidates", "bob", "mallory"],
    ],
    [
      "created the rule before another actor created a second rule, whose response has both",
      came,
      [made, call("bob", "POST", `${LIST}/rules`, { description: "B", value: "z" }, listed)],
      ["named", "mallory"],
    ],
    [
      "is missing from the log while another actor created a second rule",
      { ...came, fields: [] },
      [call("bob", "POST", `${LIST}/rules`, { description: "B", value: "z" }, listed)],
      ["none"],
    ],
    [
      "deleted the rule before another actor deleted a second rule",
      gone,
      [deleted, call("bob", "DELETE", `${LIST}/rules/${OTHER.id}`, null, { result: { rules: [] } })],
      ["candidates", "bob", "mallory"],
    ],
    [
      "is missing from the log while others kept the rule in the list",
      gone,
      [
        call("bob", "DELETE", `${LIST}/rules/${OTHER.id}`, null, { result: { rules: [RULE] } }),
        call("bob", "PUT", ENTRYPOINT, { rules: [RULE] }),
      ],
      ["none"],
    ],
  ])("is found as far as the log shows: the actor %s", (_, about, log, expected) => {
    const entries = log.flatMap((each, at) => {
      const read = entryOf(each);
      return read === null ? [] : [{ ...read, timeMs: read.timeMs + at }];
    });
    const { found, entries: by } = attribute(about, entries);
    expect([found, ...by.map(({ actor }) => actor.name)]).toEqual(expected);
  });

  test("is found for a deleted object despite a later deletion of another object", () => {
    const OF_OTHER = `/zones/${ZONE}/page_shield/policies/${OTHER.id}`;
    const path = `/zones/${ZONE}/page_shield/policies/${ID}`;
    const about: Target = { ...gone, paths: [path.replace(ID, "{id}")] };
    const log = [
      call("mallory", "DELETE", path, null, { result: { id: ID, description: "A" } }),
      call("mallory", "DELETE", OF_OTHER, null, { result: { id: OTHER.id, description: "B" } }),
    ];
    const { found, entries } = attribute(
      about,
      log.flatMap((each) => entryOf(each) ?? []).map((each, at) => ({ ...each, timeMs: each.timeMs + at })),
    );
    expect([found, entries.length]).toEqual(["named", 1]);
  });

  test("is limited to five candidates in a log of any length", () => {
    const path = `/zones/${ZONE}/page_shield/policies/${ID}`;
    const about: Target = { ...gone, paths: [path.replace(ID, "{id}")] };
    const one = entryOf(call("mallory", "DELETE", path, null, { result: { id: ID, description: "A" } }));
    if (one === null) throw new Error("a delete must be an entry");
    const log = Array.from({ length: 100_000 }, (_, at) => ({
      ...one,
      timeMs: one.timeMs + at,
      actor: { ...one.actor, name: at % 2 === 0 ? null : `mallory${at}` },
    }));
    expect(attribute(about, log)).toMatchObject({ found: "candidates", entries: { length: 5 } });
  });
});
