import { expect } from "vitest";
import {
  core,
  coreRuleId,
  execute,
  executeId,
  owaspId,
  scoreRuleId,
  skip,
  storedWaf,
  without,
} from "../../emulator/rulesets.js";
import { account, all, root, type SdkCall, zone } from "../sdk-call.js";

/** A rule that deploys the ruleset with another threshold of its score. */
const threshold = {
  action: "execute" as const,
  action_parameters: { id: owaspId, overrides: { rules: [{ id: scoreRuleId, score_threshold: 25 }] } },
  expression: "true",
};

export const logFields = {
  action: "log_custom_field" as const,
  action_parameters: { request_fields: [{ name: "content-type" }] },
  expression: "true",
};

/** An exception from the rules after it. */
export const exception = {
  action: "skip" as const,
  action_parameters: { ruleset: "current" as const },
  expression: 'http.request.uri.path eq "/health"',
};

const phase = "http_request_firewall_managed" as const;

export const rulesets: readonly SdkCall[] = [
  ...readsOf("/zones/{zone_id}/rulesets", zone, storedWaf),
  ...readsOf("/accounts/{account_id}/rulesets", account, root),
  ...writesOf("/zones/{zone_id}/rulesets", storedWaf),
];

/** @param live their entry point of the phase */
function readsOf(at: string, owner: typeof zone | typeof account, live: typeof root): readonly SdkCall[] {
  return [
    {
      method: "rulesets.list",
      endpoint: `GET ${at}`,
      call: async (sdk) => (await all(sdk.rulesets.list(owner))).filter(({ kind }) => kind !== "managed"),
      answer: [without(live, "rules")],
    },
    {
      method: "rulesets.get",
      endpoint: `GET ${at}/{ruleset_id}`,
      call: (sdk) => sdk.rulesets.get(live.id, owner),
      answer: live,
    },
    {
      method: "rulesets.phases.get",
      endpoint: `GET ${at}/phases/{ruleset_phase}/entrypoint`,
      call: (sdk) => sdk.rulesets.phases.get(phase, owner),
      answer: live,
    },
  ];
}

function writesOf(at: string, live: typeof root): readonly SdkCall[] {
  const ofRuleset = { ...zone, ruleset_id: live.id };
  return [
    {
      method: "rulesets.create",
      endpoint: `POST ${at}`,
      call: (sdk) =>
        sdk.rulesets.create({
          ...zone,
          name: "Fields",
          kind: "zone",
          phase: "http_log_custom_fields",
          rules: [logFields],
        }),
      answer: { name: "Fields", kind: "zone", phase: "http_log_custom_fields", rules: [logFields] },
    },
    {
      method: "rulesets.update",
      endpoint: `PUT ${at}/{ruleset_id}`,
      call: (sdk) => sdk.rulesets.update(live.id, { ...zone, description: "New", rules: [threshold] }),
      answer: {
        ...live,
        description: "New",
        version: "10",
        last_updated: expect.any(String),
        rules: [threshold],
      },
    },
    {
      method: "rulesets.delete",
      endpoint: `DELETE ${at}/{ruleset_id}`,
      call: (sdk) => sdk.rulesets.delete(live.id, zone),
      answer: null,
    },
    {
      method: "rulesets.rules.create",
      endpoint: `POST ${at}/{ruleset_id}/rules`,
      call: (sdk) => sdk.rulesets.rules.create(live.id, { ...zone, ...exception, position: { index: 2 } }),
      answer: { id: live.id, version: "10", rules: [skip, exception, execute, core] },
    },
    {
      method: "rulesets.rules.edit",
      endpoint: `PATCH ${at}/{ruleset_id}/rules/{rule_id}`,
      call: (sdk) => sdk.rulesets.rules.edit(executeId, { ...ofRuleset, ...threshold, enabled: false }),
      answer: {
        id: live.id,
        rules: [skip, { ...threshold, id: executeId, enabled: false, version: "8" }, core],
      },
    },
    {
      method: "rulesets.rules.delete",
      endpoint: `DELETE ${at}/{ruleset_id}/rules/{rule_id}`,
      call: (sdk) => sdk.rulesets.rules.delete(coreRuleId, ofRuleset),
      answer: { id: live.id, rules: [skip, execute] },
    },
    {
      method: "rulesets.phases.update",
      endpoint: `PUT ${at}/phases/{ruleset_phase}/entrypoint`,
      call: (sdk) => sdk.rulesets.phases.update("magic_transit_ratelimit", { ...zone, rules: [] }),
      answer: { name: "default", kind: live.kind, phase: "magic_transit_ratelimit", version: "1" },
    },
  ];
}
