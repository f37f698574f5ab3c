import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  apply,
  createEmulator,
  type PlanDocument,
  type PlanOptions,
  plan,
  type Seed,
} from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, randomKinds, zone } from "../support/random-zones.js";
import { nextCase, quickFolder } from "./run.js";
import { essence } from "./stories.js";

const NAME = "a.example.com";

const story = fc.record({
  live: liveZone,
  body: zone,
  dialect: fc.constantFrom("service", "interface"),
  only: fc.oneof(
    fc.subarray(
      randomKinds.map(({ name }) => name),
      { minLength: 1 },
    ),
    fc.subarray(
      [
        ...["policy/A", "policy/B", "policy/C", "managed_exception/x", "logpush_job/k*", "settings"],
        ...["custom_rule/R", "custom_rule/S", "rate_limit/R", "zone_settings"],
      ],
      { minLength: 1 },
    ),
  ),
});

/** The order of a rule and an unrelated exception does not matter. */
function rulesApart(state: Seed): string {
  return JSON.stringify(JSON.parse(essence(state)), (key, value) =>
    key === "rulesets" ? value.map(withoutOrder) : value,
  );
}

function withoutOrder(ruleset: string): object {
  const { rules, ...rest } = JSON.parse(ruleset);
  return { ...rest, rules: (rules ?? []).map((rule: object) => JSON.stringify(rule)).sort() };
}

type Change = PlanDocument["changes"][number];

const nameOf = ({ action, kind, key, was, fields }: Change) =>
  // The position of an exception depends on which other objects move.
  JSON.stringify([action, kind, key, was, fields.filter(({ path: field }) => field !== "position")]);

test("--only changes the picked objects as the whole plan does, and a second apply reaches the same end", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { some: runs(40), rest: runs(40), alone: runs(20) },
    (met) =>
      fc.asyncProperty(story, async ({ live, body, dialect, only }) => {
        await nextCase(cwd, JSON.stringify({ version: 1, zones: { [NAME]: body } }));
        const seed = { zones: { [NAME]: { id: "a".repeat(32), ...live } } } as Seed; // The generator makes valid seeds.
        const now = () => new Date(0);
        const emulators = [];
        for (const _ of ["whole", "narrow", "part"])
          emulators.push(await createEmulator({ seed, dialect, now }));
        const [whole, narrow, part] = emulators;
        if (whole === undefined || narrow === undefined || part === undefined) return;
        const to = (emulator: typeof whole) => ({
          cwd,
          environment: reaching(emulator),
          rateLimit: "off",
          allow: ["prune_all"],
        });
        try {
          const all = (await plan(to(whole))).document;
          fc.pre(
            all !== null &&
              all.zones[0]?.status === "planned" &&
              all.guardrails.every((each) => each.allowed),
          );
          if (all === null) return;
          await apply(to(whole));
          const { document, report } = await apply({ ...to(narrow), only });
          const isMeant = ({ kind, key, was }: Change) =>
            only.some((each) => {
              const [ofKind, name = "*"] = each.split("/");
              const pattern = new RegExp(`^${name.replaceAll("*", ".*")}$`);
              return kind === ofKind && (pattern.test(key) || pattern.test(was ?? key));
            });
          const meant = all.changes.filter(isMeant);
          expect(document?.changes.map(nameOf)).toEqual(meant.map(nameOf));
          expect(report?.zones[0]).toMatchObject({ converged: true });
          if (meant.length > 0) met("some");
          if (meant.length < all.changes.length) met("rest");
          const again = await plan({ ...to(narrow), only });
          expect(again.document?.calls).toEqual([]);
          const left = (await plan(to(narrow))).document?.changes.map(nameOf);
          expect(left).toEqual(all.changes.filter((each) => !isMeant(each)).map(nameOf));
          expect((await apply(to(narrow))).report?.converged).toBe(true);
          expect(rulesApart(narrow.state())).toBe(rulesApart(whole.state()));

          const saved = (await plan(to(part))).document ?? all;
          const first = await apply({ ...to(part), plan: saved, only });
          const codes = first.report?.zones[0]?.problems.map(({ code }) => code);
          if (first.report?.converged === true) met("alone");
          else expect(codes).toEqual(["not_alone"]);
          expect((await apply({ ...to(part), plan: saved })).report?.converged).toBe(true);
          expect(rulesApart(part.state())).toBe(rulesApart(whole.state()));
        } finally {
          for (const each of emulators) await each.close();
        }
      }),
    runs(100),
  );
});

type Planned = Awaited<ReturnType<typeof plan>>;

/** A zone with tests is always read whole. */
async function readWhole(options: PlanOptions & { readonly cwd: string }, body: object): Promise<Planned> {
  const cwd = path.join(options.cwd, "tested");
  const tests = [{ page: `https://${NAME}/`, scripts: { allowed: [`https://${NAME}/a.js`] } }];
  await mkdir(cwd, { recursive: true });
  const text = JSON.stringify({ version: 1, zones: { [NAME]: { ...body, tests } } });
  await writeFile(path.join(cwd, "zoneward.yaml"), text);
  return plan({ ...options, cwd });
}

/** The plan without tests and request counts, for comparison. */
function comparable({ document, problems }: Planned): unknown {
  const plain = JSON.stringify({ document, problems }, (key, value) => {
    if (["requests", "tests", "text"].includes(key)) return undefined;
    return Array.isArray(value) ? value.filter((each) => !isOfTests(each)) : value;
  });
  return JSON.parse(plain.replace(/request id [\w-]+/g, "request id"));
}

function isOfTests(each: { readonly name?: string; readonly code?: string } | null): boolean {
  return each?.name === "failing_tests" || each?.code?.startsWith("test_") === true;
}

const requestsOf = ({ document }: Planned) => document?.summary.requests ?? 0;

test("the plan of picked objects does not depend on whether the rest was read or is readable", async () => {
  const cwd = await quickFolder("");
  const lacking = fc.constantFrom(null, "Page Shield Read", "Zone WAF Read", "Logs Read", "Logs Write");
  await untilMet(
    { fewer: runs(60), partly: runs(20) },
    (met) =>
      fc.asyncProperty(story, lacking, async ({ live, body, dialect, only }, lacks) => {
        const config = JSON.stringify({ version: 1, zones: { [NAME]: body } });
        await nextCase(cwd, config);
        const seed = { zones: { [NAME]: { id: "a".repeat(32), ...live } } } as Seed; // The generator makes valid seeds.
        const emulator = await createEmulator({
          seed,
          dialect,
          now: () => new Date(0),
          without: lacks === null ? [] : [lacks],
        });
        try {
          const options = { cwd, environment: reaching(emulator), rateLimit: "off", only };
          const ofAllRead = await readWhole(options, body);
          const ofMeant = await plan(options);
          expect(comparable(ofMeant)).toEqual(comparable(ofAllRead));
          if (requestsOf(ofMeant) < requestsOf(ofAllRead)) met("fewer");
          const status = ofMeant.document?.zones[0]?.status;
          if (status === "partly" || status === "failed") met(status);
        } finally {
          await emulator.close();
        }
      }),
    runs(100),
  );
});
