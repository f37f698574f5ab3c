import { describe, expect, test } from "vitest";
import { defaultService } from "../../src/config/schema.js";
import type { Kind } from "../../src/kinds/kind.js";
import { policy } from "../../src/kinds/policy/index.js";
import { readLive } from "../../src/kinds/read.js";
import { settings } from "../../src/kinds/settings/index.js";
import { NOWHERE } from "../../src/model/declared-zone.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { ok } from "../../src/model/problem.js";
import type { ReadApi } from "../../src/model/read-api.js";
import { undo } from "../../src/plan/undo/undo.js";

const ID = "b".repeat(32);
const ZONE = { ...NOWHERE, name: "shop.example.com" };

/** The wanted state and the messages of a rollback after an apply sent this to this live state. */
async function undone(kind: Kind, before: JsonObject, sent: JsonObject | null, now: JsonObject | null) {
  const answer: Json = kind === settings ? now : [now ?? []].flat();
  const api: ReadApi = { get: async () => ok(answer), list: async () => ok(answer as Json[]) };
  const locate = () => null;
  const read = await readLive(kind, { api, zoneId: "z", accountId: async () => ok("account"), locate }, []);
  if (!read.ok) throw new Error(read.problems[0]?.detail);
  const id = kind === settings ? null : ID;
  const key = kind === settings ? "settings" : "A";
  const { triples, problems } = undo(
    {
      zone: ZONE,
      kind,
      live: read.value,
      reading: [],
      declared: [],
      service: defaultService,
    },
    [
      {
        change: { kind: kind.name, key, id, action: sent === null ? "delete" : "update", was: null },
        changeIndex: 0,
        before,
        afters: sent === null ? [] : [{ ...before, ...sent }],
        isSure: true,
        madeId: null,
        otherIds: new Set(),
        behind: null,
      },
    ],
  );
  return {
    want: triples.map(({ want }) => want?.normal),
    told: problems.map(({ code, detail }) => `${code}: ${detail}`),
  };
}

const NOT_BROUGHT = "cannot be restored from the journal and the live state";

describe("a setting that the service did not show before", () => {
  test.each([true, false])("is unknown, so it stays %s as the apply set it", async (paths) => {
    const sent = { use_connection_url_path: paths };
    const { want, told } = await undone(settings, { enabled: true }, sent, { enabled: true, ...sent });
    expect(want).toEqual([{ enabled: true, ...sent }]);
    expect(told).toEqual([
      expect.stringMatching(
        `^not_undone: use_connection_url_path of settings in shop.example.com ${NOT_BROUGHT}`,
      ),
    ]);
  });

  test("is not drift if the service shows it since", async () => {
    const now = { enabled: false, use_connection_url_path: false };
    const { want, told } = await undone(
      settings,
      { enabled: false },
      { enabled: true },
      { ...now, enabled: true },
    );
    expect(want).toEqual([now]);
    expect(told).toEqual([]);
  });
});

describe("a live policy with missing fields", () => {
  const before = { id: ID, description: "A", action: "log", expression: "true", value: null };
  const sent = {
    description: "A",
    action: "allow",
    expression: "true",
    enabled: false,
    value: "img-src a.b",
  };

  test("keeps the fields that were unknown before, and the rest is rolled back", async () => {
    const { want, told } = await undone(policy, before, sent, { ...before, ...sent });
    expect(want).toEqual([{ ...sent, action: "log" }]);
    expect(told).toEqual([
      expect.stringMatching(`^not_undone: enabled, value of policy "A" in shop.example.com ${NOT_BROUGHT}`),
    ]);
  });

  test("is not created again", async () => {
    const { want, told } = await undone(policy, before, null, null);
    expect(want).toEqual([]);
    expect(told).toEqual([
      expect.stringMatching(`^not_undone: .*enabled.* of policy "A" .* It is not created again\\.$`),
    ]);
  });
});
