import { describe, expect, test } from "vitest";
import { apply, type PlanDocument, plan, rollback, type Seed } from "../../src/index.js";
import { start } from "../emulator/call.js";
import { folderWith } from "../support/cli.js";

const zone = "shop.example.com";
const policy = {
  description: "Checkout",
  action: "allow",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
};
const seed: Seed = { zones: { [zone]: { settings: { enabled: true }, policies: [policy] } } };

/** Makes all reads of a section fail. */
function unreadable(below: string) {
  return {
    rates: [{ chance: 1, method: "GET", path: `*/${below}`, fault: "success-false-before" }],
  } as const;
}

async function world(body: object, top: object = {}) {
  const emulator = await start({ seed });
  const cwd = await folderWith({
    "zoneward.yaml": JSON.stringify({ version: 1, ...top, zones: { [zone]: body } }),
  });
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
  return { emulator, options: { cwd, environment, rateLimit: "off" } };
}

const both = { settings: { use_connection_url_path: true }, custom_log_fields: { cookie_fields: ["sid"] } };
const codes = ({ problems }: { readonly problems: readonly { readonly code: string }[] }) =>
  problems.map(({ code }) => code);

function notPlanned(document: PlanDocument | null): readonly (readonly string[])[] {
  return (document?.zones ?? []).flatMap(({ not_planned = [] }) =>
    not_planned.map(({ section, problem }) => [section, problem.code]),
  );
}

describe("a section that cannot be read", () => {
  test("leaves other sections planned, and the apply is incomplete", async () => {
    const { emulator, options } = await world(both);
    emulator.arm(unreadable("page_shield"));
    const { document } = await plan(options);
    expect(document?.zones).toMatchObject([{ status: "partly" }]);
    expect(notPlanned(document)).toEqual([["settings", "api_error"]]);
    const { report } = await apply(options);
    expect(report).toMatchObject({ converged: false, summary: { failed: 0, not_started: 0 } });
    expect(emulator.writes().every(({ path }) => path.includes("/rulesets"))).toBe(true);
  });

  test("is part of the digest", async () => {
    const { emulator, options } = await world({ ...both, settings: { enabled: true } });
    const whole = await plan(options);
    emulator.arm(unreadable("page_shield"));
    const part = await plan(options);
    expect(part.document?.calls).toEqual(whole.document?.calls);
    expect(part.document?.digest).not.toBe(whole.document?.digest);
  });

  test.each([
    ["refuses a saved plan that read it, with the read error", false, "api_error"],
    ["that can be read now makes a saved plan stale", true, "stale_sections"],
  ])("%s", async (_, first, code) => {
    const { emulator, options } = await world(both);
    if (first) emulator.arm(unreadable("page_shield"));
    const { document } = await plan(options);
    emulator.arm(first ? {} : unreadable("page_shield"));
    const applied = await apply({ ...options, ...(document === null ? {} : { plan: document }) });
    expect(codes({ problems: applied.report?.zones.flatMap((each) => each.problems) ?? [] })).toEqual([code]);
    expect(emulator.writes()).toEqual([]);
  });

  test("holds back dependent changes, and nothing else", async () => {
    const { emulator, options } = await world({ ...both, policies: [{ ...policy, action: "log" }] });
    emulator.arm(unreadable("page_shield"));
    expect(notPlanned((await plan(options)).document)).toEqual([
      ["settings", "api_error"],
      ["policies", "held_back"],
    ]);
    const still = await world({ ...both, policies: [policy] });
    still.emulator.arm(unreadable("page_shield"));
    expect(notPlanned((await plan(still.options)).document)).toEqual([["settings", "api_error"]]);
  });

  test.each([
    ["max_changes", { guardrails: { max_changes: 5 } }],
    ["unmanaged", { guardrails: { forbid: ["unmanaged"] } }],
  ])("counts as the worst case for the guardrail %s", async (name, top) => {
    const { emulator, options } = await world({ ...both, policies: [policy] }, top);
    expect((await plan(options)).document?.guardrails).toEqual([]);
    emulator.arm(unreadable("policies"));
    const { document } = await plan(options);
    expect(document?.guardrails).toMatchObject([
      { name, message: expect.stringContaining(`policies of ${zone}`) },
    ]);
  });

  test("fails alone in a rollback", async () => {
    const { emulator, options } = await world(both);
    const { report } = await apply(options);
    emulator.arm(unreadable("page_shield"));
    const back = await rollback(report?.journal ?? "", options);
    expect(notPlanned(back.document ?? null)).toEqual([["settings", "api_error"]]);
    expect(emulator.state().zones[zone]?.rulesets?.flatMap(({ rules = [] }) => rules)).toEqual([]);
    expect(back.report?.converged).toBe(false);
  });
});
