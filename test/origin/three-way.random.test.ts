import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { apply, createEmulator, drift, type Emulator, type PlanDocument, plan } from "../../src/index.js";
import { quickFolder } from "../apply/run.js";
import { fc, runs, untilMet } from "../support/random.js";

/**
 * Every field has three values: 0 in the base, 1 written into the files since, 2 set outside the files. So the origin of each
 * difference follows from the values.
 */
interface Made {
  readonly kind: string;
  readonly key: string;
  readonly fields: { readonly [field: string]: readonly [unknown, unknown, unknown] };
}

const policies = ["A", "B", "C"].map(
  (key): Made => ({
    kind: "policy",
    key,
    fields: {
      action: ["log", "allow", "log"],
      enabled: [true, false, true],
      expression: ["true", 'http.host eq "a.example"', 'http.host eq "b.example"'],
      value: ["img-src a.example", "img-src b.example", "img-src c.example"],
    },
  }),
);
const singletons: readonly Made[] = [
  {
    kind: "managed_ruleset",
    key: "managed_ruleset",
    fields: {
      paranoia_level: ["PL1", "PL2", "PL3"],
      score_threshold: [25, 40, 60],
      disabled_tags: [["platform-drupal"], [], ["platform-wordpress"]],
    },
  },
  {
    kind: "custom_log_fields",
    key: "custom_log_fields",
    fields: { cookie_fields: [["a"], ["b"], ["c"]], request_fields: [["x"], ["y"], ["z"]] },
  },
];
const jobs = ["J", "K"].map(
  (key): Made => ({
    kind: "logpush_job",
    key,
    fields: {
      enabled: [true, false, true],
      destination_conf: ["https://a.example/0", "https://a.example/1", "https://a.example/2"],
      timestamps: ["rfc3339", "unix", "unixnano"],
    },
  }),
);
const all = [...policies, ...singletons, ...jobs];

/** For each object: the values in the files and in the live state; null: it does not exist. */
type Picks = readonly (readonly number[] | null)[];

/** A list entry may be missing. A missing section would be unmanaged. */
const picksOf = (mine: number) =>
  fc.tuple(
    ...all.map(({ kind, fields }) => {
      const values = fc.tuple(...Object.keys(fields).map(() => fc.constantFrom(0, 0, mine)));
      return isListed(kind) ? fc.option(values, { freq: 5 }) : values;
    }),
  );

function isListed(kind: string): boolean {
  return kind === "policy" || kind === "logpush_job";
}

const ZERO: Picks = all.map(({ fields }) => Object.keys(fields).map(() => 0));
const ZONE = "a.example.com";

function fileOf(picks: Picks): string {
  const bodies = all.flatMap(({ kind, key, fields }, index) => {
    const pick = picks[index];
    if (pick === null || pick === undefined) return [];
    const values = Object.entries(fields).map(([field, options], at) => [field, options[pick[at] ?? 0]]);
    return [{ kind, key, body: Object.fromEntries(values) }];
  });
  const of = (kind: string) => bodies.filter((each) => each.kind === kind);
  const zone = {
    policies: of("policy").map(({ key, body }) => ({ description: key, ...body })),
    managed_ruleset: of("managed_ruleset")[0]?.body,
    custom_log_fields: of("custom_log_fields")[0]?.body,
    logpush_jobs: of("logpush_job").map(({ key, body }) => ({
      name: key,
      dataset: "http_requests",
      ...body,
    })),
  };
  return JSON.stringify({ version: 1, zones: { [ZONE]: zone } });
}

/** The origin of each field's difference, from how it was made. */
function expected(head: Picks, live: Picks): readonly string[] {
  return all.flatMap(({ kind, key, fields }, index) => {
    const [want, is] = [head[index] ?? null, live[index] ?? null];
    const options = Object.values(fields);
    const at = (pick: readonly number[], field: number) => JSON.stringify(options[field]?.[pick[field] ?? 0]);
    const base = Object.keys(fields).map((_, field) => at([0, 0, 0, 0], field));
    return Object.keys(fields).flatMap((field, n) => {
      const [now, there] = [want, is].map((pick) => (pick === null ? null : at(pick, n)));
      // The destination of a deleted object is not shown.
      if (now === there || (want === null && field === "destination_conf")) return [];
      const origin = now === base[n] ? "drift" : there === base[n] ? "declared" : "conflict";
      return [`${kind} ${key} ${field} ${origin}`];
    });
  });
}

/** Differences from the base that the live state already has. */
function takenOver(head: Picks, live: Picks): readonly string[] {
  return all.flatMap(({ kind, key, fields }, index) => {
    const [want, is] = [head[index] ?? null, live[index] ?? null];
    return Object.entries(fields).flatMap(([field, options], n) => {
      const at = (pick: readonly number[] | null) =>
        pick === null ? null : JSON.stringify(options[pick[n] ?? 0]);
      // The destination of a deleted object is not shown.
      if (at(want) !== at(is) || at(want) === at([0, 0, 0, 0])) return [];
      return want === null && field === "destination_conf" ? [] : [`${kind} ${key} ${field} conflict`];
    });
  });
}

/**
 * The part of a change that drift shows: changed fields of an object that both have, all fields of an object to recreate,
 * and nothing of an object removed from the files.
 */
function outside(head: Picks, live: Picks): readonly string[] {
  return expected(head, live).filter((each) => {
    const index = all.findIndex(({ kind, key }) => each.startsWith(`${kind} ${key} `));
    return head[index] !== null && !each.endsWith(" declared");
  });
}

/** The same for a plan, limited to fields in the tables. */
function told(document: PlanDocument | null, isTakenOver = false): readonly string[] {
  const known = new Map(all.map(({ kind, key, fields }) => [`${kind} ${key}`, Object.keys(fields)]));
  const changes = (document?.changes ?? []).filter(({ taken_over }) => (taken_over === true) === isTakenOver);
  return changes.flatMap(({ kind, key, fields }) => {
    const own = known.get(`${kind} ${key}`) ?? [];
    return fields.flatMap(({ path: field, origin }) =>
      own.includes(field) ? [`${kind} ${key} ${field} ${origin}`] : [],
    );
  });
}

test("every difference has the origin of the edit that made it, and drift shows outside edits", async () => {
  const enough = { declared: runs(100), drift: runs(100), conflict: runs(100), "taken over": runs(30) };
  await untilMet(
    enough,
    (met) =>
      fc.asyncProperty(picksOf(1), picksOf(2), async (head, live) => {
        const { cwd, emulator, options } = await inSync(live);
        try {
          await writeFile(path.join(cwd, "zoneward.yaml"), fileOf(head));
          const planned = await plan(options);
          expect(planned.problems.filter(({ severity }) => severity === "error")).toEqual([]);
          const origins = expected(head, live);
          expect([...told(planned.document)].sort()).toEqual([...origins].sort());
          expect([...told(planned.document, true)].sort()).toEqual([...takenOver(head, live)].sort());
          const drifted = await drift(options);
          expect([...told(drifted.document)].sort()).toEqual([...outside(head, live)].sort());
          for (const each of origins) met(each.split(" ").at(-1) ?? "");
          for (const _ of takenOver(head, live)) met("taken over");
          const applied = await apply(options);
          expect(applied.report?.converged).toBe(true);
          const again = await plan(options);
          expect(again.document?.calls).toEqual([]);
          expect([...told(again.document)]).toEqual([]);
          expect([...told(again.document, true)].sort()).toEqual([...takenOver(head, head)].sort());
        } finally {
          await emulator.close();
        }
      }),
    runs(120),
  );
});

test("objects removed from the files are deleted and are not drift", async () => {
  await fc.assert(
    fc.asyncProperty(picksOf(1), async (head) => {
      const { cwd, emulator, options } = await inSync(ZERO);
      try {
        await writeFile(path.join(cwd, "zoneward.yaml"), fileOf(head));
        const gone = all.filter((_, index) => head[index] === null).map(({ key }) => key);
        const { document } = await plan(options);
        const deleted = document?.changes.filter(({ action }) => action === "delete") ?? [];
        expect(deleted.map(({ key }) => key).sort()).toEqual(gone.sort());
        expect(deleted.map(({ origin, removed }) => [origin, removed?.file])).toEqual(
          gone.map(() => ["declared", "zoneward.yaml"]),
        );
        expect((await drift(options)).document?.changes).toEqual([]);
      } finally {
        await emulator.close();
      }
    }),
    { numRuns: runs(40) },
  );
});

/** A folder with the base, and a zone created from the base. */
async function inSync(live: Picks) {
  const cwd = await quickFolder(fileOf(live));
  const emulator: Emulator = await createEmulator({ seed: { zones: { [ZONE]: { id: "a".repeat(32) } } } });
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token };
  const made = { cwd, baseUrl: emulator.url, environment, rateLimit: "off" };
  const options = { ...made, base: "before" };
  const { report, problems } = await apply(made);
  expect([
    report?.converged,
    ...problems.filter(({ severity }) => severity === "error").map(({ detail }) => detail),
  ]).toEqual([true]);
  await mkdir(path.join(cwd, "before"));
  await writeFile(path.join(cwd, "before", "zoneward.yaml"), fileOf(ZERO));
  return { cwd, emulator, options };
}
