import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  adopt,
  apply,
  createEmulator,
  type Dialect,
  drift,
  exportZones,
  type PlanDocument,
  plan,
  rollback,
  validate,
} from "../../src/index.js";
import { showPlan } from "../../src/run/plan-formats.js";
import { html, markdown, text } from "../../src/run/render.js";
import { folderWith, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const LIVE = "https://logs.example.com/in?header_Authorization=0123456789abcdef";
const OTHER = "https://else.example.com/in?header_Authorization=fedcba9876543210";

/** A zone with a policy and a job, as JSON, which is valid YAML. */
function fileOf(csp: string, destination: string, more: object = {}): string {
  return JSON.stringify({
    version: 1,
    zones: {
      [ZONE]: {
        policies: [{ description: "A", action: "log", enabled: true, expression: "true", value: csp }],
        logpush_jobs: [{ name: "logs", dataset: "http_requests", destination_conf: destination, ...more }],
      },
    },
  });
}

const BEFORE = fileOf("img-src 'self'", "${secret:LOGS}");

async function repository(dialect: Dialect, live = LIVE) {
  const emulator = await createEmulator({
    dialect,
    seed: {
      zones: {
        [ZONE]: {
          policies: [
            { description: "A", action: "log", enabled: true, expression: "true", value: "img-src 'self'" },
          ],
          logpush_jobs: [{ name: "logs", dataset: "http_requests", enabled: true, destination_conf: live }],
        },
      },
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": BEFORE });
  await mkdir(path.join(cwd, "base"));
  await writeFile(path.join(cwd, "base/zoneward.yaml"), BEFORE);
  const options = (secrets: Readonly<Record<string, string>> = {}) => ({
    cwd,
    environment: { ...secrets, CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url },
    rateLimit: "off" as const,
  });
  const write = (text: string) => writeFile(path.join(cwd, "zoneward.yaml"), text);
  return { emulator, cwd, options, write };
}

function documentOf({ document }: { readonly document: PlanDocument | null }): PlanDocument {
  if (document === null) throw new Error("nothing was planned");
  return document;
}

function takenIn({ inputs }: PlanDocument) {
  return inputs.not_compared?.map(({ key, path: field, secrets, taken }) => [key, field, ...secrets, taken]);
}

const base = "base";

describe("with unset secrets", () => {
  const dialect = "service";

  test.each([
    ["not set", {}],
    ["empty", { LOGS: "" }],
  ])("a plan has the same digest as with set secrets: %s", async (_, secrets) => {
    const { emulator, options, write } = await repository(dialect);
    await write(fileOf("img-src 'self' data:", "${secret:LOGS}"));
    for (const about of [{ base }, {}]) {
      const without = documentOf(await plan({ ...options(secrets), ...about }));
      const with_ = documentOf(await plan({ ...options({ LOGS: LIVE }), ...about }));
      expect(without.digest).toBe(with_.digest);
      expect(without.changes.map(({ key }) => key)).toEqual(["A"]);
      expect(takenIn(without)).toEqual([
        ["logs", "destination_conf", "LOGS", "base" in about ? "unchanged" : "unknown"],
      ]);
      expect(with_.inputs.not_compared).toBeUndefined();
      expect(without.diagnostics.map(({ code }) => code)).toEqual(["secrets_not_set"]);
    }
    const saved = documentOf(await plan({ ...options(secrets), base }));
    const { report } = await apply({ ...options({ LOGS: LIVE }), base, plan: saved });
    expect([report?.converged, emulator.writes().length]).toEqual([true, 1]);
  });

  test("apply sends the changes that need no secret", async () => {
    const { emulator, options, write } = await repository(dialect);
    await write(fileOf("img-src 'self' data:", "${secret:LOGS}"));
    const { report, problems } = await apply(options());
    expect([report?.converged, emulator.writes().length]).toEqual([true, 1]);
    expect(problems.map(({ code }) => code)).toEqual(["secrets_not_set"]);
    expect(documentOf(await plan(options())).calls).toEqual([]);
  });

  test("another reference is an unknown change, which apply sends only with the secret set", async () => {
    const { emulator, options, write } = await repository(dialect);
    await write(fileOf("img-src 'self' data:", "${secret:NEW}"));
    const saved = documentOf(await plan({ ...options(), base }));
    expect(saved.changes.map(({ key, effect }) => [key, effect])).toEqual([
      ["A", "weakens"],
      ["logs", "unknown"],
    ]);
    expect(takenIn(saved)).toEqual([["logs", "destination_conf", "NEW", "changed"]]);
    const shown = showPlan(saved, false, false);
    expect(shown).toContain("destination_conf: (sensitive, not compared) → ${secret:NEW}");
    expect(shown).toContain("0 unchanged, 1 field not compared in 1 zone");
    expect(saved.changes[1]?.origin).toBe("declared");
    const outside = documentOf(await drift({ ...options(), base }));
    expect([outside.changes, takenIn(outside)]).toEqual([
      [],
      [["logs", "destination_conf", "NEW", "unknown"]],
    ]);
    const refused = await apply({ ...options(), base, plan: saved });
    expect([refused.report, emulator.writes()]).toEqual([null, []]);
    expect(refused.problems.at(-1)).toMatchObject({ code: "secrets_not_set", severity: "error" });
    expect(refused.problems.at(-1)?.detail).toContain("Not set in the environment: NEW.");
    expect(documentOf(await plan({ ...options({ NEW: OTHER }), base })).digest).toBe(saved.digest);
    const { report } = await apply({ ...options({ NEW: OTHER }), base, plan: saved });
    expect([report?.converged, emulator.writes().length]).toEqual([true, 2]);
  });

  test("a newly declared live job is an unknown change", async () => {
    const { emulator, cwd, options } = await repository(dialect);
    const without = JSON.stringify({ version: 1, zones: { [ZONE]: { logpush_jobs: [] } } });
    await writeFile(path.join(cwd, "base/zoneward.yaml"), without);
    const saved = documentOf(await plan({ ...options(), base, failOn: ["redirects"] }));
    expect(saved.changes.map(({ key, effect, taken_over }) => [key, effect, taken_over])).toEqual([
      ["logs", "unknown", undefined],
      ["A", "strengthens", true],
      ["logs", "strengthens", true],
    ]);
    expect(takenIn(saved)).toEqual([["logs", "destination_conf", "LOGS", "changed"]]);
    expect(saved.guardrails.map(({ name }) => name)).toEqual(["redirects"]);
    expect(documentOf(await drift({ ...options(), base })).changes).toEqual([]);
    const { report } = await apply({ ...options({ LOGS: LIVE }), base, plan: saved });
    expect([report?.converged, emulator.writes()]).toEqual([true, []]);
  });

  test("a job that replaces a live one needs its secret, with or without a base", async () => {
    const { emulator, options, write } = await repository(dialect);
    await write(fileOf("img-src 'self'", "${secret:NEW}", { dataset: "firewall_events" }));
    for (const about of [{ base }, {}]) {
      const saved = documentOf(await plan({ ...options(), ...about, failOn: ["redirects"] }));
      expect(saved.changes.map(({ key, effect }) => [key, effect])).toEqual([["logs", "unknown"]]);
      expect(saved.guardrails.map(({ name }) => name)).toEqual(["redirects"]);
      const shown = showPlan(saved, false, false);
      expect(shown).toContain("destination_conf: (sensitive, not compared) → ${secret:NEW}");
      expect(saved.diagnostics.map(({ message }) => message).join()).not.toContain("left as it is");
    }
    const saved = documentOf(await plan({ ...options(), base }));
    const { report } = await apply({ ...options({ NEW: OTHER }), base, plan: saved });
    expect([report?.converged, emulator.writes().length]).toEqual([true, 2]);
  });

  test("another reference to the same destination results in fewer changes than planned", async () => {
    const { emulator, options, write } = await repository(dialect);
    await write(fileOf("img-src 'self' data:", "${secret:NEW}"));
    const saved = documentOf(await plan({ ...options(), base }));
    const { report } = await apply({ ...options({ NEW: LIVE }), base, plan: saved });
    expect([report?.converged, emulator.writes().length]).toEqual([true, 1]);
  });

  test("a saved plan is refused with a reason if the destination turns out to differ", async () => {
    const { emulator, options, write } = await repository(dialect, OTHER);
    await write(fileOf("img-src 'self' data:", "${secret:LOGS}"));
    const saved = documentOf(await plan({ ...options(), base }));
    const { report } = await apply({ ...options({ LOGS: LIVE }), base, plan: saved });
    expect([report?.converged, emulator.writes()]).toEqual([false, []]);
    expect(report?.zones[0]?.problems[0]?.detail).toContain("The saved plan was made without LOGS");
    expect(documentOf(await plan({ ...options({ LOGS: LIVE }), base })).digest).not.toBe(saved.digest);
  });

  test("a saved plan that lets go of a job can be applied without its secret, and with it if the job is unchanged", async () => {
    const policies = (value: string) => [
      { description: "A", action: "log", enabled: true, expression: "true", value },
    ];
    const letGo = JSON.stringify({
      version: 1,
      zones: { [ZONE]: { policies: policies("img-src 'self' data:") } },
    });
    for (const [live, secrets, isDone] of [
      [OTHER, {}, true],
      [LIVE, { LOGS: LIVE }, true],
      [OTHER, { LOGS: LIVE }, false],
    ] as const) {
      const { emulator, options, write } = await repository(dialect, live);
      await write(letGo);
      const saved = documentOf(await plan({ ...options(), base }));
      expect(saved.changes.map(({ key, effect }) => [key, effect])).toContainEqual(["logs", "unknown"]);
      expect(takenIn(saved)).toEqual([["logs", "destination_conf", "LOGS", "unknown"]]);
      const { report } = await apply({ ...options(secrets), base, plan: saved });
      expect([report?.converged, emulator.writes().length]).toEqual([isDone, isDone ? 1 : 0]);
    }
  });

  test("other changes of the job are planned with the same digest", async () => {
    const { options, write } = await repository(dialect);
    await write(fileOf("img-src 'self'", "${secret:LOGS}", { enabled: false }));
    const without = documentOf(await plan({ ...options(), base }));
    expect(without.changes.map(({ effect }) => effect)).toEqual(["weakens"]);
    expect(without.digest).toBe(documentOf(await plan({ ...options({ LOGS: LIVE }), base })).digest);
    const { report } = await apply({ ...options(), base, plan: without });
    expect(report?.converged).toBe(true);
  });

  test("validate, drift, adopt and export need no secrets, and rollback restores everything that needs none", async () => {
    const { emulator, options, write } = await repository(dialect);
    expect(await validate(options())).toEqual({ ok: true, problems: [] });
    const quiet = documentOf(await drift(options()));
    expect([quiet.changes, takenIn(quiet)]).toEqual([[], [["logs", "destination_conf", "LOGS", "unknown"]]]);
    const told = "no drift in the compared fields";
    const about = "drift";
    expect(text(quiet, { about })).toContain(`Drift: ${told}, 2 unchanged, 1 field not compared in 1 zone.`);
    expect(markdown(quiet, { about })).toContain(`### Drift: ${told}, 1 field not compared\n`);
    expect(html(quiet, { about })).toContain(
      "<h1>No change outside the files in shop.example.com, 1 field not compared</h1>",
    );
    const adopted = await adopt(options());
    expect([adopted.adoption?.adopted, adopted.adoption?.left]).toEqual([[], []]);
    expect(adopted.problems.map(({ code }) => code)).toEqual(["secrets_not_set"]);
    const exported = await exportZones({ ...options(), zones: [ZONE] });
    await write(exported.text ?? "");
    expect(documentOf(await plan(options())).calls).toEqual([]);
    await write(fileOf("img-src 'self' data:", "${secret:LOGS}", { enabled: false }));
    const { report } = await apply({ ...options(), base });
    const back = await rollback(report?.journal ?? "", options());
    expect([back.report?.converged, emulator.writes().length]).toEqual([true, 4]);
  });
});

test("without a list of jobs, apply needs the secrets that it sends", async () => {
  const { emulator, options } = await repository("interface");
  const { document } = await plan(options());
  expect(document?.changes.map(({ action }) => action)).toEqual(["create"]);
  expect(document?.inputs.not_compared).toBeUndefined();
  const allow = ["create_unlisted"];
  const refused = await apply({ ...options(), allow });
  expect([refused.report, emulator.writes()]).toEqual([null, []]);
  expect(refused.problems.at(-1)?.code).toBe("secrets_not_set");
  expect((await apply({ ...options({ LOGS: LIVE }), allow })).report?.converged).toBe(true);
});

test("apply names the fields that were not compared", async () => {
  const { options } = await repository("service");
  const { cwd, environment: env } = options();
  const { out } = await zoneward(["apply", "--yes"], { cwd, env });
  expect(out).toContain("Apply: nothing to do; 1 zone as declared, 1 field not compared.\n");
  const { environment: whole } = options({ LOGS: LIVE });
  const { out: compared } = await zoneward(["apply", "--yes"], { cwd, env: whole });
  expect(compared).toContain("Apply: nothing to do; 1 zone as declared.\n");
});
