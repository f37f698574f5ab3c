import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { apply, createEmulator, type Emulator, plan, type Seed } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { fc, runs } from "../support/random.js";

const ZONE = "shop.example.com";
const PHASE = "http_request_firewall_custom";

interface Request {
  readonly path: string;
  readonly ip: string;
}

const requests = ["/", "/login", "/admin/a"].flatMap((path) =>
  ["192.0.2.1", "198.51.100.1"].map((ip): Request => ({ path, ip })),
);
const expressions = new Map<string, (request: Request) => boolean>([
  ["true", () => true],
  ['http.request.uri.path eq "/login"', (request) => request.path === "/login"],
  ['starts_with(http.request.uri.path, "/admin")', (request) => request.path.startsWith("/admin")],
  ["ip.src eq 192.0.2.1", ({ ip }) => ip === "192.0.2.1"],
  [
    'ip.src eq 192.0.2.1 and http.request.uri.path eq "/login"',
    (request) => request.ip === "192.0.2.1" && request.path === "/login",
  ],
]);

interface Rule {
  readonly expression: string;
  readonly action: string;
  readonly enabled: boolean;
  readonly action_parameters?: { readonly ruleset?: string; readonly phases?: readonly string[] };
}

const does: fc.Arbitrary<{ readonly action: string; readonly skip?: object }> = fc.oneof(
  fc.constantFrom("block", "js_challenge", "log").map((action) => ({ action })),
  fc
    .constantFrom(
      { ruleset: "current" },
      { phases: ["http_ratelimit"] },
      { ruleset: "current", phases: ["http_ratelimit"] },
    )
    .map((skip) => ({ action: "skip", skip })),
);
const rule = fc
  .record({
    description: fc.constantFrom("A", "B", "C", "D", "E"),
    expression: fc.constantFrom(...expressions.keys()),
    enabled: fc.oneof(
      { weight: 4, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    does,
  })
  .map(({ does: doing, ...each }) => ({ ...each, ...doing }));
const list = fc.uniqueArray(rule, { selector: ({ description }) => description, maxLength: 5 });

const RANKS = ["log", "js_challenge", "block"];

/** How far a list stops a request whose client solves challenges or not, and whether it skips rate limits. */
function fate(rules: readonly Rule[], request: Request, solves: boolean) {
  let [rank, isPast] = [-1, false];
  for (const { action, expression, enabled, action_parameters: { ruleset, phases = [] } = {} } of rules) {
    if (!enabled || expressions.get(expression)?.(request) !== true) continue;
    rank = Math.max(rank, RANKS.indexOf(action));
    isPast ||= phases.length > 0;
    if (action === "block" || ruleset !== undefined || (action === "js_challenge" && !solves)) break;
  }
  return { rank, isPast: isPast && rank < RANKS.indexOf("block") };
}

function rulesIn(emulator: Emulator): readonly Rule[] {
  const rulesets = emulator.state().zones[ZONE]?.rulesets ?? [];
  return (rulesets.find(({ phase }) => phase === PHASE)?.rules ?? []) as unknown as readonly Rule[]; // the generators' rules
}

test("the effects of changed custom rules tell each gain and loss of requests", async () => {
  const cwd = await folderWith({});
  let changes = 0;
  const property = fc.asyncProperty(list, list, fc.boolean(), async (live, declared, prunes) => {
    const rules = live.map(({ skip, ...each }, index) => ({
      id: String(index).padStart(32, "a"),
      ...each,
      ...(skip === undefined ? {} : { action_parameters: skip }),
    }));
    const seed = { zones: { [ZONE]: { rulesets: [{ phase: PHASE, rules }] } } } as Seed; // as the generators made it
    const emulator = await createEmulator({ dialect: "service", seed });
    try {
      const zone = { custom_rules: declared, ...(prunes ? { prune: ["custom_rules"] } : {}) };
      await writeFile(
        path.join(cwd, "zoneward.yaml"),
        JSON.stringify({ version: 1, zones: { [ZONE]: zone } }),
      );
      const options = { cwd, environment: reaching(emulator), rateLimit: "off", allow: ["prune_all"] };
      const { document } = await plan(options);
      const effects = (document?.changes ?? []).map(({ effect }) => effect);
      changes += effects.length;
      const before = rulesIn(emulator);
      await apply(options);
      const after = rulesIn(emulator);
      const moves = requests.flatMap((request) =>
        [false, true].map((solves) => [fate(before, request, solves), fate(after, request, solves)] as const),
      );
      const isLoss = moves.some(([was, is]) => is.rank < was.rank || (is.isPast && !was.isPast));
      const isGain = moves.some(([was, is]) => is.rank > was.rank || (!is.isPast && was.isPast));
      const tells = (...ways: readonly string[]) => effects.some((each) => ways.includes(each));
      expect(tells("unknown")).toBe(false);
      if (isLoss) expect(tells("weakens", "mixed")).toBe(true);
      if (isGain) expect(tells("strengthens", "mixed")).toBe(true);
      expect((await plan(options)).document?.changes).toEqual([]);
    } finally {
      await emulator.close();
    }
  });
  await fc.assert(property, { numRuns: runs(600) });
  expect(changes).toBeGreaterThan(15);
});
