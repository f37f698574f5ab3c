import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  createEmulator,
  type Dialect,
  type LogpushJobSeed,
  type Seed,
  type ZoneSeed,
} from "../../src/index.js";
import { policy } from "../../src/kinds/policy/index.js";
import type { Json } from "../../src/model/json.js";
import { essenceOf } from "../support/essence.js";
import { fc, runs, untilMet } from "../support/random.js";
import { convergingIn, liveZone, randomKinds, zone } from "../support/random-zones.js";
import { applyIn, nextCase, quickFolder, rollbackIn } from "./run.js";

const dialects = fc.constantFrom<Dialect>("service", "interface");

const NAME = "a.example.com";

/** Job names are unique and present, so that the file can give the former destinations. */
function seedOf(live: object & { readonly logpush_jobs: readonly LogpushJobSeed[] }): Seed {
  return { zones: { [NAME]: { id: "a".repeat(32), ...live, logpush_jobs: distinct(live.logpush_jobs) } } };
}

function distinct(jobs: readonly LogpushJobSeed[]): readonly LogpushJobSeed[] {
  const named = jobs.filter(({ name }) => name !== undefined);
  return named.filter(({ name }, index) => named.findIndex((each) => each.name === name) === index);
}

function fileOf(body: object): string {
  return JSON.stringify({ version: 1, zones: { [NAME]: body } });
}

/** A file with the destinations from before the apply. */
function formerFile(jobs: readonly LogpushJobSeed[]): string {
  const declared = distinct(jobs).map(({ name, dataset, destination_conf }) => ({
    name,
    dataset,
    destination_conf,
  }));
  return fileOf({ logpush_jobs: declared });
}

test("a rollback of any apply restores the former state, for every kind", async () => {
  const cwd = await quickFolder("");
  const everyKind = Object.fromEntries(randomKinds.flatMap(({ name }) => [[name, runs(20)]]));
  await untilMet(
    everyKind,
    (met) =>
      fc.asyncProperty(dialects, liveZone, zone, async (dialect, live, all) => {
        const emulator = await createEmulator({ dialect, seed: seedOf(live) });
        const body = convergingIn(dialect, all);
        try {
          await nextCase(cwd, fileOf(body));
          const before = essenceOf(emulator.state());
          const { report } = await applyIn(cwd, emulator);
          const file = report?.journal ?? null;
          fc.pre(report?.converged === true && file !== null);
          await writeFile(path.join(cwd, "zoneward.yaml"), formerFile(live.logpush_jobs));
          const back = await rollbackIn(cwd, emulator, file ?? "");
          expect(back.problems.filter(({ severity }) => severity === "error")).toEqual([]);
          expect(back.problems.filter(({ code }) => code === "changed_since")).toEqual([]);
          expect(back.report?.zones.flatMap(({ problems }) => problems)).toEqual([]);
          expect(essenceOf(emulator.state())).toEqual(before);
          for (const { kind } of back.document?.changes ?? []) met(kind);
          const again = await rollbackIn(cwd, emulator, file ?? "");
          expect(again.document?.changes).toEqual([]);
        } finally {
          await emulator.close();
        }
      }),
    runs(140),
  );
});

const MINE = "connect-src mine.example";

test("a rollback keeps later changes of other actors, and restores all else", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { edits: runs(100) },
    (met) =>
      fc.asyncProperty(
        liveZone,
        zone,
        fc.array(fc.boolean(), { maxLength: 6 }),
        async (live, body, which) => {
          const first = await createEmulator({ seed: seedOf(live) });
          await nextCase(cwd, fileOf(body));
          const before = first.state();
          const { report } = await applyIn(cwd, first);
          const after = first.state();
          await first.close();
          const file = report?.journal ?? null;
          fc.pre(report?.converged === true && file !== null);
          const isEdited = (index: number) => which[index] === true;
          const emulator = await createEmulator({ seed: editedSeed(after, isEdited) });
          try {
            await writeFile(path.join(cwd, "zoneward.yaml"), formerFile(live.logpush_jobs));
            await rollbackIn(cwd, emulator, file ?? "");
            expect(meaningOf(emulator.state())).toEqual(meaningOf(expectedSeed(before, after, isEdited)));
            met("edits", which.filter(Boolean).length);
          } finally {
            await emulator.close();
          }
        },
      ),
    runs(100),
  );
});

/** Compares policies by meaning, because a rollback does not restore a mere spelling. */
function meaningOf(state: Seed): readonly string[] {
  const meant = ([field, value]: readonly [string, Json | undefined]) => {
    const { canonical } = policy.fields[field] ?? {};
    return [field, JSON.stringify(canonical === undefined ? value : canonical(value ?? null))] as const;
  };
  const meaning = essenceOf(
    withZone(state, (parts) => ({
      ...parts,
      policies: (parts.policies ?? []).map((each) => ({
        ...each,
        ...Object.fromEntries(Object.entries(each).map(meant)),
      })),
    })),
  );
  return meaning.toSorted();
}

/** Another actor edits policies, adds a policy, and appends a rule. */
function editedSeed(state: Seed, isEdited: (index: number) => boolean): Seed {
  return withZone(state, (parts) => ({
    ...parts,
    policies: [
      ...(parts.policies ?? []).map((each, index) => (isEdited(index) ? { ...each, value: MINE } : each)),
      foreignPolicy,
    ],
    rulesets: (parts.rulesets ?? []).map((each) => ({
      ...each,
      rules: [...(each.rules ?? []), foreignRule(each.phase)],
    })),
  }));
}

const foreignPolicy = {
  id: "d".repeat(32),
  description: "Foreign",
  action: "log",
  enabled: true,
  expression: "true",
  value: "img-src 'self'",
};
function foreignRule(phase: string | undefined) {
  const id = createHash("md5").update(String(phase)).digest("hex");
  const ratelimit = { characteristics: ["cf.colo.id"], period: 10, requests_per_period: 1 };
  const own = phase === "http_ratelimit" ? { ratelimit } : {};
  return { id, action: "log", description: "", enabled: true, expression: "true", odd: [null], ...own };
}

/** The former state with the other actor's changes. An edited policy stays even if the apply created it. */
function expectedSeed(before: Seed, after: Seed, isEdited: (index: number) => boolean): Seed {
  const edited = (after.zones[NAME]?.policies ?? []).filter((_, index) => isEdited(index));
  const mine = new Set(edited.map(({ id }) => id));
  const known = new Set((before.zones[NAME]?.policies ?? []).map(({ id }) => id));
  const phases = new Set((after.zones[NAME]?.rulesets ?? []).map(({ phase }) => phase));
  return withZone(before, (parts) => ({
    ...parts,
    policies: [
      ...(parts.policies ?? []).map((each) => (mine.has(each.id) ? { ...each, value: MINE } : each)),
      ...edited.filter(({ id }) => !known.has(id)).map((each) => ({ ...each, value: MINE })),
      foreignPolicy,
    ],
    rulesets: [...phases].map((phase) => {
      const old = (parts.rulesets ?? []).find((each) => each.phase === phase);
      return { ...old, phase, rules: [...(old?.rules ?? []), foreignRule(phase)] };
    }),
  }));
}

function withZone(state: Seed, change: (zone: ZoneSeed) => ZoneSeed): Seed {
  const parts = state.zones[NAME] ?? {};
  return { ...state, zones: { [NAME]: change(parts) } };
}
