import { expect, test } from "vitest";
import { callsOf } from "../../src/calls/index.js";
import { readLive } from "../../src/kinds/read.js";
import { settings } from "../../src/kinds/settings/index.js";
import { type Item, WITHOUT_BASE } from "../../src/model/item.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { ok } from "../../src/model/problem.js";
import type { ReadApi } from "../../src/model/read-api.js";

/** The body that is sent after this answer of the service. */
async function sent(answer: Json, wanted: JsonObject, changed: readonly string[]) {
  const api: ReadApi = { get: async () => ok(answer), list: async () => ok([]) };
  const locate = () => null;
  const read = await readLive(
    settings,
    { api, zoneId: "zone", accountId: async () => ok("account"), locate },
    [],
  );
  const [live] = read.ok ? read.value.items : [];
  if (!read.ok || live === undefined) throw new Error("settings are always there");
  const want: Item = { ...live, normal: { ...live.normal, ...wanted }, owns: Object.keys(wanted) };
  const fields = changed.map((path) => ({ path, before: null, after: wanted[path] ?? null }));
  const change = { at: 0, action: "update", triple: { ...WITHOUT_BASE, want, live }, fields } as const;
  const own = { kind: settings, zoneId: "zone", live: read.value, changes: [change], isFull: false };
  return callsOf([own])[0]?.drafts[0]?.body;
}

const PATHS = { use_connection_url_path: true };

test("unchanged settings are not sent", async () => {
  expect(await sent({ enabled: false }, { enabled: false, ...PATHS }, Object.keys(PATHS))).toEqual(PATHS);
});

test("undeclared settings are not sent if none was ever set", async () => {
  expect(await sent(null, PATHS, Object.keys(PATHS))).toEqual(PATHS);
});

test("all declared settings are sent if none was ever set", async () => {
  expect(await sent(null, { enabled: false, ...PATHS }, Object.keys(PATHS))).toEqual({
    enabled: false,
    ...PATHS,
  });
});
