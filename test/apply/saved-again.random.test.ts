import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, plan, type Seed } from "../../src/index.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";
import { nextCase, quickFolder } from "./run.js";

const NAME = "a.example.com";

/** Applies a saved plan up to one of its calls, then applies it again. */
test("a saved plan that stopped half-way is finished by the same command", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { finished: runs(40) },
    (met) =>
      fc.asyncProperty(liveZone, zone, fc.nat(8), async (live, body, stop) => {
        await nextCase(cwd, JSON.stringify({ version: 1, zones: { [NAME]: body } }));
        const seed = { zones: { [NAME]: { id: "a".repeat(32), ...live } } } as Seed; // The generator makes valid seeds.
        const controller = new AbortController();
        let sent = 0;
        const onRequest = ({ method }: { readonly method: string }) => {
          if (method !== "GET" && ++sent === stop) controller.abort();
        };
        const emulator = await createEmulator({ seed, onRequest });
        const whole = await createEmulator({ seed });
        const environment = { CLOUDFLARE_API_TOKEN: emulator.token };
        const options = { cwd, environment, rateLimit: "off", allow: ["prune_all"] };
        try {
          const { document } = await plan({ ...options, baseUrl: emulator.url });
          fc.pre(
            document !== null && document.calls.length > stop && document.zones[0]?.status === "planned",
          );
          if (stop === 0) controller.abort();
          const plain = document ?? absurd();
          await apply({ ...options, baseUrl: emulator.url, plan: plain, signal: controller.signal });
          const again = await apply({ ...options, baseUrl: emulator.url, plan: plain });
          const codes = again.report?.zones.flatMap(({ problems }) => problems.map(({ code }) => code)) ?? [];
          expect(codes).toEqual([]);
          expect(again.report?.converged).toBe(true);
          met("finished");
          const environmentThere = { CLOUDFLARE_API_TOKEN: whole.token };
          await apply({ ...options, environment: environmentThere, baseUrl: whole.url });
          expect(emulator.writes().map(({ method }) => method)).toEqual(
            whole.writes().map(({ method }) => method),
          );
        } finally {
          await emulator.close();
          await whole.close();
        }
      }),
    runs(80),
  );
});

test("default fields of a newly created object do not make the rest of a saved plan stale", async () => {
  const body = {
    managed_ruleset: { paranoia_level: "PL2" },
    logpush_jobs: [
      { name: "j", dataset: "http_requests", destination_conf: "https://logs.example/in", fields: ["RayID"] },
    ],
  };
  const cwd = await quickFolder(JSON.stringify({ version: 1, zones: { [NAME]: body } }));
  const controller = new AbortController();
  const onRequest = ({ method, path }: { readonly method: string; readonly path: string }) => {
    if (method === "PUT" && path.includes("/rulesets/")) controller.abort();
  };
  const emulator = await createEmulator({ seed: { zones: { [NAME]: {} } }, onRequest });
  onTestFinished(() => emulator.close());
  const options = {
    cwd,
    baseUrl: emulator.url,
    environment: { CLOUDFLARE_API_TOKEN: emulator.token },
    rateLimit: "off",
  };
  const saved = (await plan(options)).document ?? absurd();
  const first = await apply({ ...options, plan: saved, signal: controller.signal });
  expect(first.report?.summary).toMatchObject({ done: 2, not_started: 1 });
  const again = await apply({ ...options, plan: saved });
  expect(again.report).toMatchObject({ converged: true, summary: { done: 1 } });
});

test.each([
  ["as planned", { ssl: "strict" }, null],
  ["to another value", { ssl: "flexible" }, "stale_live"],
  ["beside the planned ones", { ssl: "strict", http3: "off" }, "stale_live"],
])("a saved plan of zone settings, some of which have changed %s", async (_, set, refusal) => {
  const body = {
    zone_settings: { ssl: "strict", min_tls_version: "1.2", always_use_https: true, other: { http3: "on" } },
  };
  const cwd = await quickFolder(JSON.stringify({ version: 1, zones: { [NAME]: body } }));
  const emulator = await createEmulator({ seed: { zones: { [NAME]: {} } } });
  onTestFinished(() => emulator.close());
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token };
  const options = { cwd, baseUrl: emulator.url, environment, rateLimit: "off" };
  const saved = (await plan(options)).document ?? absurd();
  emulator.edit({ edit: "zone_settings", zone: NAME, set });
  const before = emulator.writes().length;
  const { report } = await apply({ ...options, plan: saved });
  const codes = report?.zones.flatMap(({ problems }) => problems.map(({ code }) => code));
  expect(codes).toEqual(refusal === null ? [] : [refusal]);
  expect(
    emulator
      .writes()
      .slice(before)
      .map(({ path }) => path.split("/").at(-1)),
  ).toEqual(refusal === null ? ["min_tls_version", "always_use_https"] : []);
});

function absurd(): never {
  throw new Error("expected a plan");
}
