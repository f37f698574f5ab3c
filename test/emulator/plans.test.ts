import { describe, expect, test } from "vitest";
import type { Seed } from "../../src/emulator/index.js";
import { call, refused, refusedIn, start } from "./call.js";

const zones = { "free.example": {}, "big.example": {} };
const policy = {
  description: "Scripts",
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
};
const firewall = "http_request_firewall_managed";

/** Starts an emulator with one zone on the smallest plan and one on the largest, and gives the path of each. */
async function mixed(seed: Seed = { zones }) {
  const emulator = await start({
    seed,
    plans: [{ plan: "free" }, { zone: "Big.example", plan: "enterprise" }],
  });
  const path = (name: string) => `/zones/${emulator.zones[name]}`;
  return { emulator, free: path("free.example"), big: path("big.example") };
}

describe("a Cloudflare plan", () => {
  test("without policies lists none and refuses the first with the numbers", async () => {
    const { emulator, free } = await mixed();
    const list = `${free}/page_shield/policies`;
    expect((await call(emulator, "GET", list)).body).toMatchObject({ success: true, result: [] });
    const { status, body } = await call(emulator, "POST", list, policy);
    const message = "exceeded the maximum number of rules in the phase http_response_page_shield: 1 out of 0";
    expect([status, body]).toEqual([400, refused({ message })]);
  });

  test("with five policies refuses the sixth with the numbers", async () => {
    const { emulator, big } = await mixed();
    const list = `${big}/page_shield/policies`;
    for (let made = 0; made < 5; made += 1)
      expect((await call(emulator, "POST", list, policy)).status).toBe(200);
    const { status, body } = await call(emulator, "POST", list, policy);
    expect([status, body]).toMatchObject([
      400,
      { errors: [{ message: expect.stringContaining("6 out of 5") }] },
    ]);
  });

  test.each(["free", "pro", "business", "enterprise"] as const)("%s has four log-push jobs", async (plan) => {
    const emulator = await start({ seed: { zones: { "a.example": { plan } } } });
    const list = `/zones/${emulator.zones["a.example"]}/logpush/jobs`;
    const job = { destination_conf: "https://logs.example/" };
    for (let made = 0; made < 4; made += 1)
      expect((await call(emulator, "POST", list, job)).status).toBe(200);
    const { status, body } = await call(emulator, "POST", list, job);
    const message =
      "creating a new job (for http_requests dataset) is not allowed: exceeded max jobs allowed";
    expect([status, body]).toEqual([403, refusedIn("interface", { code: 1004, message })]);
  });

  test.each([
    ["GET", `/rulesets/phases/${firewall}/entrypoint`, undefined],
    ["PUT", `/rulesets/phases/${firewall}/entrypoint`, { rules: [] }],
    ["POST", "/rulesets", { name: "x", kind: "zone", phase: firewall, rules: [] }],
  ])("without managed rules refuses %s %s", async (method, below, body) => {
    const { emulator, free, big } = await mixed();
    const reply = await call(emulator, method, free + below, body);
    const error = { code: 50002, message: `not entitled to use the phase ${firewall}` };
    expect([reply.status, reply.body]).toEqual([400, refusedIn("interface", error)]);
    expect((await call(emulator, method, big + below, body)).body).not.toMatchObject({ errors: [error] });
  });

  test("refuses access by ruleset id too, and keeps a seeded plan unless an option names the zone", async () => {
    const id = "0".repeat(32);
    const plan = "business" as const;
    const rulesets = [{ id, phase: "http_log_custom_fields", rules: [] }];
    const { emulator, free } = await mixed({ zones: { ...zones, "free.example": { plan, rulesets } } });
    const reply = await call(emulator, "GET", `${free}/rulesets/${id}`);
    expect(reply.body).toMatchObject({ errors: [{ code: 50002 }] });
    const entryPoint = await call(emulator, "GET", `${free}/rulesets/phases/${firewall}/entrypoint`);
    expect(entryPoint.body).toMatchObject({ errors: [{ code: 10003 }] });
    expect(emulator.state().zones).toMatchObject({
      "free.example": { plan },
      "big.example": { plan: "enterprise" },
    });
  });

  test("cannot be set for an unknown zone", async () => {
    const plans = [{ zone: "typo.example", plan: "free" }] as const;
    await expect(start({ seed: { zones }, plans })).rejects.toThrow("unknown zone typo.example");
  });
});

test("a zone's record has its Cloudflare plan and status, and the state keeps both", async () => {
  const zone = { plan: "pro", status: "moved", paused: true } as const;
  const emulator = await start({ seed: { zones: { "moved.example": zone } } });
  const legacy_id = "pro";
  const { body } = await call(emulator, "GET", "/zones");
  expect(body).toMatchObject({ result: [{ status: "moved", paused: true, plan: { legacy_id } }] });
  expect(emulator.state().zones["moved.example"]).toMatchObject(zone);
});
