import { describe, expect, test } from "vitest";
import { difference } from "../../src/plan/compare-plans.js";
import { digestOf, type ZonePart, zoneDigest } from "../../src/plan/digest.js";

const call = { method: "PUT", path: "/zones/1/page_shield", body: { enabled: true } } as const;
const seen = { kind: "settings", key: "settings", id: null, state: { enabled: false } };
const change = (after: boolean) => ({
  action: "update",
  kind: "settings",
  key: "settings",
  was: null,
  replaces: false,
  fields: [{ path: "enabled", before: !after, after }],
});
const other = { path: "level", before: 60, after: 40 };
const part = (of: Partial<ZonePart> = {}): ZonePart => {
  const bare = {
    zone: "a.example",
    zoneId: "1",
    digest: null,
    calls: [call],
    seen: [seen],
    written: null,
    notPlanned: [],
    takenOver: [],
    changes: [change(true)],
    ...of,
  };
  return { ...bare, digest: zoneDigest(bare) };
};

describe("two plans of a zone", () => {
  test("with the same content do not differ, in any order of keys", () => {
    const body = JSON.parse('{"b":1,"a":2}');
    const other = JSON.parse('{"a":2,"b":1}');
    expect(
      difference(part({ calls: [{ ...call, body }] }), part({ calls: [{ ...call, body: other }] })),
    ).toBeNull();
  });

  test.each<[string, Partial<ZonePart>, string, string]>([
    [
      "name the field that changed live",
      { seen: [{ ...seen, state: { enabled: true } }] },
      "stale_live",
      "(enabled: false → true)",
    ],
    ["name a deleted object", { seen: [{ ...seen, state: null }] }, "stale_live", "was deleted"],
    [
      "name an object that needs no change any more",
      { seen: [] },
      "stale_plan",
      "these no longer need a change: settings",
    ],
    [
      "name the new call",
      { calls: [{ ...call, path: "/zones/1/x" }] },
      "stale_files",
      "no longer PUT /zones/1/page_shield; now PUT /zones/1/x",
    ],
    [
      "name the newly declared value, not the call",
      { calls: [{ ...call, body: { enabled: false } }], changes: [change(false)] },
      "stale_files",
      "settings, enabled: true → false. Plan again",
    ],
    [
      "show the live value of a field that the files no longer declare",
      { calls: [{ ...call, body: {} }], changes: [{ ...change(true), fields: [other] }] },
      "stale_files",
      "settings, enabled: true → false (live); settings, level: 60 → 40. Plan again",
    ],
    [
      "name the added, removed and changed rules of a list",
      { seen: [{ ...seen, state: { rules: [{ id: "a", on: true }, { id: "b" }] } }] },
      "stale_live",
      'rules: + "b"',
    ],
    [
      "name other changes in the zone",
      {
        calls: [{ ...call, method: "POST", path: "/zones/1/x" }, call],
        changes: [change(true), { ...change(true), action: "create", kind: "policy", key: "One" }],
      },
      "stale_plan",
      'needs changes that the plan does not have: create policy "One". The files or the live state changed.',
    ],
    [
      "detect another order of calls",
      { calls: [call, { ...call, method: "POST" as const }].reverse() },
      "stale_files",
      "now POST",
    ],
  ])("%s", (_, now, code, text) => {
    const found = difference(part(), part(now));
    expect(found?.code).toBe(code);
    expect(found?.detail).toContain(text);
  });

  test("have digests that depend only on values, not on the order of keys", () => {
    expect(digestOf({ a: 1, b: [1, 2] })).toBe(digestOf({ b: [1, 2], a: 1 }));
    expect(digestOf({ a: [1, 2] })).not.toBe(digestOf({ a: [2, 1] }));
    expect(digestOf({ a: "1" })).not.toBe(digestOf({ a: 1 }));
  });
});
