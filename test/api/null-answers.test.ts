import { expect, test } from "vitest";
import { pageOf } from "../../src/api/pages.js";
import { readLive } from "../../src/kinds/read.js";
import { settings } from "../../src/kinds/settings/index.js";
import { ok } from "../../src/model/problem.js";

test("reads null as an empty list, and refuses any other value that is not a list", () => {
  expect(pageOf("/zones", { result: null, info: null })).toEqual({
    ok: true,
    value: { items: [], info: null },
  });
  expect(pageOf("/zones", { result: {}, info: null })).toMatchObject({
    ok: false,
    problems: [{ code: "not_a_list" }],
  });
});

test("reads null settings as never set, so the service is off", async () => {
  const api = { get: async () => ok(null), list: async () => ok([]) };
  const zone = { api, zoneId: "1".repeat(32), accountId: async () => ok(""), locate: () => null };
  const read = await readLive(settings, zone, []);
  expect(read).toMatchObject({ ok: true, value: { items: [{ normal: { enabled: false } }] } });
});
