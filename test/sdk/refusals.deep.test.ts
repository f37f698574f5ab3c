import { describe, expect, test } from "vitest";
import { policyId, start } from "../emulator/call.js";
import { jobId, lost, open } from "../emulator/logpush.js";
import { none, wafId } from "../emulator/rulesets.js";
import { loadSdk, type Sdk, withoutSdk } from "../support/sdk.js";
import { policy } from "./calls/page-shield.js";
import { exception, logFields } from "./calls/rulesets.js";
import { account, clientOf, connect, everything, zone } from "./sdk-call.js";

type Row = readonly [what: string, call: (sdk: Sdk) => PromiseLike<unknown>, error: object];

const notFound: readonly Row[] = [
  [
    "a phase without an entry point",
    (sdk) => sdk.rulesets.phases.get("http_log_custom_fields", zone),
    { code: 10003, message: "could not find entrypoint ruleset in the http_log_custom_fields phase" },
  ],
  ["an unknown zone", (sdk) => sdk.pageShield.get({ zone_id: none }), { code: 7003 }],
  ["a malformed zone id", (sdk) => sdk.pageShield.get({ zone_id: "shop" }), { code: 7003 }],
  ["an unknown account", (sdk) => sdk.rulesets.list({ account_id: none }), { code: 7003 }],
  ["an unknown policy", (sdk) => sdk.pageShield.policies.get(none, zone), { message: "policy not found" }],
  [
    "the deletion of an unknown policy",
    (sdk) => sdk.pageShield.policies.delete(none, zone),
    { message: "policy not found" },
  ],
  ["an unknown script", (sdk) => sdk.pageShield.scripts.get(none, zone), { message: "script not found" }],
  [
    "an unknown connection",
    (sdk) => sdk.pageShield.connections.get(none, zone),
    { message: "connection not found" },
  ],
  [
    "an unknown ruleset",
    (sdk) => sdk.rulesets.get(none, zone),
    { message: `could not find ruleset ${none}` },
  ],
  [
    "an unknown rule",
    (sdk) => sdk.rulesets.rules.delete(none, { ...zone, ruleset_id: wafId }),
    { message: `could not find rule ${none}` },
  ],
  ["an unknown job", (sdk) => sdk.logpush.jobs.get(jobId + 1, zone), { message: "job not found" }],
];

const badRequests: readonly Row[] = [
  [
    "a second entry point of a phase",
    (sdk) =>
      sdk.rulesets.create({
        ...zone,
        name: "x",
        kind: "zone",
        phase: "http_request_firewall_managed",
        rules: [],
      }),
    { code: 20217, source: { pointer: "/kind" } },
  ],
  [
    "a rule with a blank expression",
    (sdk) => sdk.rulesets.update(wafId, { ...zone, rules: [{ ...exception, expression: "" }] }),
    { code: 20125, source: { pointer: "/rules/0/expression" } },
  ],
  [
    "a rule that the phase does not allow",
    (sdk) => sdk.rulesets.rules.create(wafId, { ...zone, ...logFields }),
    { code: 20016, source: { pointer: "/action" } },
  ],
  [
    "a CSP value of several lines",
    (sdk) => sdk.pageShield.policies.create({ ...zone, ...policy, value: "script-src 'self';\n" }),
    { source: { pointer: "/value" } },
  ],
  [
    "another kind for a job",
    (sdk) => sdk.logpush.jobs.update(jobId, { ...zone, kind: "edge" }),
    { message: "kind cannot be changed" },
  ],
  [
    "an unresolvable destination",
    (sdk) => sdk.logpush.jobs.create({ ...zone, destination_conf: lost }),
    { code: 1002 },
  ],
  ["zone pages that are too large", (sdk) => sdk.zones.list({ per_page: 51 }), {}],
];

describe.skipIf(withoutSdk)("a failure in the SDK is a", () => {
  test.each(notFound)("NotFoundError for %s", async (_, call, error) => {
    const { sdk } = await connect();
    const { NotFoundError } = await loadSdk();
    const refused = await refusalOf(call(sdk));
    expect(refused).toBeInstanceOf(NotFoundError);
    expect(refused).toMatchObject({ status: 404, errors: [error] });
  });

  test.each(badRequests)("BadRequestError for %s", async (_, call, error) => {
    const { emulator, sdk } = await connect();
    const before = JSON.stringify(emulator.state());
    const { BadRequestError } = await loadSdk();
    const refused = await refusalOf(call(sdk));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused).toMatchObject({ status: 400, errors: [error] });
    expect(JSON.stringify(emulator.state())).toBe(before);
  });

  test("PermissionDeniedError for a job beyond the limit", async () => {
    const { sdk } = await connect({ logpushJobLimit: 1 });
    const { PermissionDeniedError } = await loadSdk();
    const refused = await refusalOf(sdk.logpush.jobs.create({ ...zone, destination_conf: open }));
    expect(refused).toBeInstanceOf(PermissionDeniedError);
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 1004 }] });
  });
});

describe.skipIf(withoutSdk)("a client of the SDK", () => {
  const settings = everything.zones["shop.example"].settings;

  test("reads and writes with an API token", async () => {
    const emulator = await start({ seed: everything });
    const sdk = await clientOf(emulator, { apiToken: emulator.token });
    expect(await sdk.pageShield.get(zone)).toEqual(settings);
    expect(await sdk.pageShield.update({ ...zone, enabled: false })).toMatchObject({ enabled: false });
  });

  test("reads and writes with an email and an API key", async () => {
    const emulator = await start({ seed: everything });
    const sdk = await clientOf(emulator, { apiEmail: emulator.email, apiKey: emulator.key });
    expect(await sdk.pageShield.get(zone)).toEqual(settings);
    await sdk.pageShield.policies.delete(policyId, zone);
    expect((await sdk.rulesets.list(account)).result).toHaveLength(6);
    expect(emulator.state().zones["shop.example"]?.policies).toEqual([]);
  });

  test.each([
    ["a wrong token", { apiToken: "wrong" }],
    ["a wrong key", { apiEmail: "operator@example.com", apiKey: "wrong" }],
  ])("with %s gets a PermissionDeniedError and changes nothing", async (_, credentials) => {
    const emulator = await start({ seed: everything });
    const sdk = await clientOf(emulator, credentials);
    const { PermissionDeniedError } = await loadSdk();
    const refused = await refusalOf(sdk.pageShield.policies.delete(policyId, zone));
    expect(refused).toBeInstanceOf(PermissionDeniedError);
    expect(refused).toMatchObject({
      status: 403,
      errors: [{ code: 10000, message: "Authentication error" }],
    });
    expect(emulator.state().zones["shop.example"]?.policies).toHaveLength(1);
  });
});

/** The error that a call is rejected with; null if it is not rejected. */
async function refusalOf(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error) => error,
  );
}
