import type { Json, JsonObject } from "../../model/json.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { newPolicyId, type Policy, policyOut } from "../parts/policies.js";
import { policyErrors } from "../policy-fields.js";
import type { Zone } from "../store.js";
import { type Call, inZone, type Route, type World } from "./route.js";

export const policies: readonly Route[] = [
  inZone("GET", "/page_shield/policies", list),
  inZone("POST", "/page_shield/policies", create),
  inZone("GET", "/page_shield/policies/{policy_id}", onPolicy(read)),
  inZone("PUT", "/page_shield/policies/{policy_id}", onPolicy(update)),
  inZone("DELETE", "/page_shield/policies/{policy_id}", onPolicy(remove)),
];

/** The list is whole: the published OpenAPI document has no page parameters for it. */
function list(zone: Zone, _: Call, world: World): Answer {
  const all = [...zone.policies.byId.values()].map((policy) => policyOut(policy, world.habits));
  return result(all, world.habits.policiesInfo(all.length));
}

/** Nothing makes two policies with one description a conflict: the service knows them by their ids. */
function create(zone: Zone, call: Call, world: World): Answer {
  const errors = policyErrors(call.body, required, world.habits);
  if (errors.length > 0) return failure(400, ...errors);
  if (world.policyLimit !== null && zone.policies.byId.size >= world.policyLimit) {
    return failure(400, apiError(`the zone has ${world.policyLimit} policies, which is the maximum`));
  }
  return keep(zone, { ...blank, id: newPolicyId(zone.policies, zone.id) }, call.body, world);
}

const required = ["description", "action", "expression", "enabled", "value"];

const blank = { description: "", action: "", expression: "", enabled: false, value: "", extra: {} };

/**
 * Fields that are not given stay as they are, as the published document makes all of them optional. What a seed made
 * live was accepted once: sent back as it is, it is not looked at again.
 */
function update(policy: Policy, zone: Zone, call: Call, world: World): Answer {
  const live: JsonObject = policyOut(policy, world.habits);
  const changed = Object.entries(call.body).filter(
    ([field, value]) => field === "id" || live[field] !== value,
  );
  const errors = policyErrors(Object.fromEntries(changed), [], world.habits);
  return errors.length > 0 ? failure(400, ...errors) : keep(zone, policy, call.body, world);
}

/** Stores a policy with the fields of a checked body, and answers with it: 200 for both, says the document. */
function keep(zone: Zone, before: Policy, body: JsonObject, world: World): Answer {
  const policy: Policy = {
    id: before.id,
    description: asText(body.description) ?? before.description,
    action: asText(body.action) ?? before.action,
    expression: asText(body.expression) ?? before.expression,
    enabled: world.habits.enabledIn(body.enabled) ?? before.enabled,
    value: asText(body.value) ?? before.value,
    extra: { ...before.extra, last_updated: world.now().toISOString() },
  };
  zone.policies.byId.set(policy.id, policy);
  return result(policyOut(policy, world.habits));
}

function asText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function read(policy: Policy, _zone: Zone, _call: Call, world: World): Answer {
  return result(policyOut(policy, world.habits));
}

function remove(policy: Policy, zone: Zone, _: Call, world: World): Answer {
  zone.policies.byId.delete(policy.id);
  return world.habits.policyDeleted(policy.id);
}

function onPolicy(answer: (policy: Policy, zone: Zone, call: Call, world: World) => Answer) {
  return (zone: Zone, call: Call, world: World): Answer => {
    const policy = zone.policies.byId.get(call.parameters.get("policy_id") ?? "");
    return policy === undefined
      ? failure(404, apiError("policy not found"))
      : answer(policy, zone, call, world);
  };
}
