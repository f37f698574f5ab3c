import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { Habits } from "../dialect.js";
import { idOf } from "../ids.js";
import { type Check, checkId, checkIdsDiffer, checkText, child, seedProblem } from "../seed-problem.js";

/** A policy as a seed has it. Fields that are not named here are kept and given back as they are. */
export interface PolicySeed {
  readonly id?: string;
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean | "true" | "false";
  readonly value: string;
  readonly [extra: string]: Json | undefined;
}

export interface Policy {
  readonly id: string;
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly value: string;
  readonly extra: JsonObject;
}

/** A zone's policies. The only one who changes them is the route of their name. */
export interface Policies {
  readonly byId: Map<string, Policy>;
  /** How many identifiers the zone has made. */
  made: number;
}

export const checkPolicies: Check = (value, pointer) => {
  if (!isList(value)) return [seedProblem(pointer, "a list of policies is expected here.")];
  const places = value.map((policy, index) => [policy, child(pointer, index)] as const);
  return [
    ...places.flatMap(([policy, at]) => checkPolicy(policy, at)),
    ...checkIdsDiffer(places.map(([policy, at]) => [isObject(policy) ? policy.id : undefined, at])),
  ];
};

const checkPolicy: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "an object is expected here.")];
  return [...fieldChecks].flatMap(([field, check]) => {
    const given = value[field];
    if (given !== undefined) return check(given, child(pointer, field));
    return field === "id" ? [] : [seedProblem(pointer, `a policy has the field "${field}".`)];
  });
};

const checkEnabled: Check = (value, pointer) =>
  value === true || value === false || value === "true" || value === "false"
    ? []
    : [seedProblem(pointer, 'true or false is expected here, or the text "true" or "false".')];

const fieldChecks: ReadonlyMap<string, Check> = new Map([
  ["id", checkId],
  ["description", checkText],
  ["action", checkText],
  ["expression", checkText],
  ["enabled", checkEnabled],
  ["value", checkText],
]);

export function policiesFromSeed(seeds: readonly PolicySeed[], zoneId: string, now: Date): Policies {
  const taken = new Set(seeds.flatMap((seed) => seed.id ?? []));
  const policies: Policies = { byId: new Map(), made: 0 };
  for (const seed of seeds) {
    const id = seed.id ?? newPolicyId(policies, zoneId, taken);
    policies.byId.set(id, policyFromSeed(seed, id, now));
  }
  return policies;
}

/** The zone's next identifier; the nth is always the same, or the next after it that is not in use. */
export function newPolicyId(
  policies: Policies,
  zoneId: string,
  taken: ReadonlySet<string> = new Set(),
): string {
  for (;;) {
    policies.made += 1;
    const id = idOf("policy", zoneId, policies.made);
    if (!policies.byId.has(id) && !taken.has(id)) return id;
  }
}

function policyFromSeed(seed: PolicySeed, id: string, now: Date): Policy {
  const { id: _, description, action, expression, enabled, value, ...extra } = seed;
  const fields = { description, action, expression, enabled: enabled === true || enabled === "true", value };
  return { id, ...fields, extra: { last_updated: now.toISOString(), ...extra } };
}

/**
 * The policy as answers and dumps have it: its fields in another order than a request sends them, and with
 * `last_updated`, which users of the service see beyond the published schema.
 */
export function policyOut(policy: Policy, habits: Habits): PolicySeed & JsonObject {
  return {
    value: policy.value,
    id: policy.id,
    enabled: habits.enabledOut(policy.enabled),
    ...policy.extra,
    expression: policy.expression,
    action: policy.action,
    description: policy.description,
  };
}
