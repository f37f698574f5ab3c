import { describe, expect, test } from "vitest";
import { customLogFields } from "../../src/kinds/custom-log-fields/index.js";
import { isSame } from "../../src/kinds/fields.js";
import type { Kind } from "../../src/kinds/kind.js";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import { managedRuleset } from "../../src/kinds/managed-ruleset/index.js";
import { policy } from "../../src/kinds/policy/index.js";
import { settings } from "../../src/kinds/settings/index.js";
import type { Item } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";
import { fc, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";

const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const scoring = {
  id: "6179ae15870a4bb7b2d480d4843b323c",
  own: { score_threshold: 40, action: "block" },
};
const managed = { id: CORE, name: null, sort: "scored", scoring, content: null };
const around = {
  ruleset: null,
  managed: new Map([[CORE, managed]]),
  ids: new Map([["managed_ruleset", CORE]]),
};

type Live = typeof liveZone extends fc.Arbitrary<infer T> ? T : never;
type Zone = typeof zone extends fc.Arbitrary<infer T> ? T : never;

/** Each kind with its live objects in a zone, and a declaration of one of them. */
const all: readonly (readonly [
  kind: Kind,
  live: (zone: Live) => readonly object[],
  declared: (zone: Zone) => readonly object[],
])[] = [
  [settings, (live) => [live.settings], (zone) => [zone.settings ?? {}]],
  [policy, (live) => live.policies, (zone) => zone.policies ?? []],
  [
    managedRuleset as Kind,
    (live) => rulesOf(live, CORE),
    (zone) => ("managed_ruleset" in zone ? [zone.managed_ruleset] : []),
  ],
  [
    customLogFields as Kind,
    (live) => rulesOf(live, "log_custom_field"),
    (zone) => [zone.custom_log_fields ?? {}],
  ],
  [logpushJob, (live) => live.logpush_jobs, (zone) => zone.logpush_jobs ?? []],
];

function rulesOf({ rulesets }: Live, sign: string): readonly object[] {
  return rulesets
    .flatMap(({ rules }) => rules.flatMap((rule) => rule ?? []))
    .filter((rule) => JSON.stringify(rule).includes(sign));
}

function itemOf(kind: Kind, raw: JsonObject, declared: JsonObject): Item {
  const normal = kind.normalOf(raw, around, [{ path: [], body: declared }]) ?? {};
  return {
    ref: { kind: kind.name, key: String(normal.description ?? normal.name ?? kind.name), id: null },
    normal,
    raw,
    owns: "nothing",
    at: null,
  };
}

/** Fields in which the wanted object differs from the live one. */
function differing(kind: Kind, body: JsonObject, live: Item): readonly string[] {
  const want = kind.toDesired(body, live);
  return Object.keys(want).filter(
    (field) => !isSame(live.normal[field] ?? null, want[field] ?? null, kind.fields[field]),
  );
}

describe.each(all.map(([kind, live, declared]) => [kind.name, kind, live, declared] as const))(
  "%s",
  (_, kind, liveIn, declaredIn) => {
    test("an exported object wants the live state", async () => {
      await untilMet(
        { objects: 50 },
        (met) =>
          fc.property(liveZone, (live) => {
            for (const raw of liveIn(live) as readonly JsonObject[]) {
              if (kind.normalOf(raw, around, []) === null) continue;
              const first = itemOf(kind, raw, { disabled_rules: [] });
              const body = kind.toConfig(first, null, around);
              const item = itemOf(kind, raw, body);
              if (item.normal.enabled === false && kind.name === "custom_log_fields") continue;
              expect(differing(kind, body, item)).toEqual([]);
              met("objects");
            }
          }),
        300,
      );
    });

    test("adopting keeps the declared keys and wants the live state", async () => {
      await untilMet(
        { differing: 20 },
        (met) =>
          fc.property(liveZone, zone, (live, files) => {
            for (const raw of liveIn(live) as readonly JsonObject[])
              for (const declared of declaredIn(files) as readonly JsonObject[]) {
                if (declared.ensure === "absent") continue;
                const item = itemOf(kind, raw, declared);
                const body = kind.toConfig(item, declared, around);
                expect(Object.keys(body).filter((key) => !(key in declared))).toEqual([]);
                expect(differing(kind, body, item)).toEqual([]);
                if (differing(kind, declared, item).length > 0) met("differing");
              }
          }),
        200,
      );
    });
  },
);
