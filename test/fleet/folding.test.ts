import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type PlanDocument, plan, type Seed } from "../../src/index.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planSarif } from "../../src/render/sarif.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import { quickFolder } from "../apply/run.js";
import { reaching } from "../support/cli.js";

interface Fleet {
  readonly template: object;
  readonly live?: (n: number) => object;
  readonly own?: (n: number) => object;
}

const job = (more: object) => ({ name: "j", dataset: "http_requests", fields: ["ClientIP"], ...more });

const cases: Readonly<Record<string, Fleet>> = {
  "a first job, with a secret of each zone": {
    template: { logpush_jobs: [job({ destination_conf: "${secret:LOGS_${vars.SITE}}" })] },
    own: (n) => ({ vars: { SITE: `S${n}` } }),
  },
  "a first managed ruleset": { template: { managed_ruleset: { paranoia_level: "PL2" } } },
  "first custom log fields": { template: { custom_log_fields: { request_fields: ["content-type"] } } },
  "an undeclared policy, and no change": {
    template: { policies: [] },
    live: () => ({
      policies: [
        {
          description: "By hand",
          action: "log",
          enabled: true,
          expression: "true",
          value: "script-src 'self'",
        },
      ],
    }),
  },
  "a job that fails": {
    template: { logpush_jobs: [job({ fields: ["ClientIP", "RayID"] })] },
    live: (n) => ({
      logpush_jobs: [
        {
          ...{
            id: 100 + n,
            name: "j",
            dataset: "http_requests",
            enabled: true,
            logpull_options: "fields=ClientIP",
          },
          ...{ destination_conf: "https://logs.example/in", error_message: "DNS" },
          ...{ last_complete: "2026-01-01T00:00:00Z", last_error: `2026-02-01T00:00:${10 + (n % 50)}Z` },
        },
      ],
    }),
  },
};

async function planOf(
  zones: number,
  { template, live = () => ({}), own = () => ({}) }: Fleet,
): Promise<PlanDocument> {
  const names = Array.from({ length: zones }, (_, n) => `zone-${n}.example`);
  const seed = { zones: Object.fromEntries(names.map((name, n) => [name, live(n)])) } as Seed; // the cases are valid seeds
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const bodies = Object.fromEntries(names.map((name, n) => [name, { extends: ["t"], ...own(n) }]));
  const cwd = await quickFolder(JSON.stringify({ version: 1, templates: { t: template }, zones: bodies }));
  const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off", noImpact: true });
  if (document === null) throw new Error("no plan");
  return document;
}

/** The bytes that each further zone may add: its name in three places, and its secrets. */
const MOST_BYTES = 120;

test.each(Object.entries(cases))("%s takes the same output in any number of zones", async (_, fleet) => {
  const [few, many] = [await planOf(10, fleet), await planOf(60, fleet)];
  const view = (document: PlanDocument) => planView(document, "plan");
  const lines = (document: PlanDocument) => showPlan(document, false, false).split("\n").length;
  expect(lines(many)).toBe(lines(few));
  expect(planHtml(view(many)).length - planHtml(view(few)).length).toBeLessThan(50 * MOST_BYTES);
  const results = (document: PlanDocument) => JSON.parse(planSarif(view(document))).runs[0].results.length;
  expect(results(many)).toBe(results(few));
});

test("the secrets sent to each zone are listed in full", async () => {
  const document = await planOf(12, cases["a first job, with a secret of each zone"] ?? { template: {} });
  const pages = [planHtml(planView(document, "plan")), planMarkdown(planView(document, "plan"), 60_000)];
  for (const page of pages)
    for (let n = 0; n < 12; n++)
      expect(page).toMatch(new RegExp(`zone-${n}\\.example\\W[^,]*env:LOGS_S${n}\\b`));
});
