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
export const threshold = {
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

/** Of a zone and of an account, which have the same endpoints. */
export const rulesets: readonly SdkCall[] = [
  ...callsOf("/zones/{zone_id}/rulesets", zone, storedWaf),
  ...callsOf("/accounts/{account_id}/rulesets", account, root),
  {
    method: "rulesets.create",
    endpoint: "POST /zones/{zone_id}/rulesets",
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
    method: "rulesets.create",
    endpoint: "POST /accounts/{account_id}/rulesets",
    call: (sdk) =>
      sdk.rulesets.create({ ...account, name: "Ours", kind: "custom", phase, rules: [exception] }),
    answer: { name: "Ours", kind: "custom", phase, rules: [{ ...exception, logging: { enabled: true } }] },
  },
];

/** @param live their entry point of the phase */
function callsOf(at: string, owner: typeof zone | typeof account, live: typeof root): readonly SdkCall[] {
  const ofRuleset = { ...owner, ruleset_id: live.id };
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
      method: "rulesets.update",
      endpoint: `PUT ${at}/{ruleset_id}`,
      call: (sdk) => sdk.rulesets.update(live.id, { ...owner, description: "New", rules: [threshold] }),
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
      call: (sdk) => sdk.rulesets.delete(live.id, owner),
      answer: null,
    },
    {
      method: "rulesets.rules.create",
      endpoint: `POST ${at}/{ruleset_id}/rules`,
      call: (sdk) => sdk.rulesets.rules.create(live.id, { ...owner, ...exception, position: { index: 2 } }),
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
      method: "rulesets.phases.get",
      endpoint: `GET ${at}/phases/{ruleset_phase}/entrypoint`,
      call: (sdk) => sdk.rulesets.phases.get(phase, owner),
      answer: live,
    },
    {
      method: "rulesets.phases.update",
      endpoint: `PUT ${at}/phases/{ruleset_phase}/entrypoint`,
      call: (sdk) => sdk.rulesets.phases.update("magic_transit_ratelimit", { ...owner, rules: [] }),
      answer: { name: "default", kind: live.kind, phase: "magic_transit_ratelimit", version: "1" },
    },
  ];
}
