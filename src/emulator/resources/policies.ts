import type { Json, JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { type Answer, apiError, empty, failure, fieldError, result } from "../answer.js";
import { type Check, checkId, checkObjects, checkText, seedProblem } from "../checks.js";
import type { Dialect } from "../dialect.js";
import { idOf } from "../ids.js";
import { entitlementsOf } from "../plans.js";
import {
  type Call,
  editingList,
  type Holding,
  inZone,
  type Resource,
  stateOf,
  type World,
  type Zone,
} from "./resource.js";

/** A policy in a seed. Unknown fields are kept and returned as they are. */
export interface PolicySeed {
  readonly id?: string;
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean | "true" | "false";
  readonly value: string;
  readonly [extra: string]: Json | undefined;
}

interface Policy {
  readonly id: string;
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly value: string;
  readonly extra: JsonObject;
}

/** A zone's policies. Only the routes below change them. */
interface Policies {
  readonly byId: Map<string, Policy>;
  /** The number of identifiers made for the zone. */
  idCount: number;
  /** Whether an empty list is shown as null. */
  readonly isNull: boolean;
}

const checkEnabled: Check = (value, pointer) =>
  value === true || value === false || value === "true" || value === "false"
    ? []
    : [seedProblem(pointer, 'must be true or false, or the text "true" or "false".')];

const checkList = checkObjects(
  ["policies", "a policy"],
  new Map([
    ["id", checkId],
    ["description", checkText],
    ["action", checkText],
    ["expression", checkText],
    ["enabled", checkEnabled],
    ["value", checkText],
  ]),
  ["description", "action", "expression", "enabled", "value"],
);

const checkPolicies: Check = (value, pointer) => (value === null ? [] : checkList(value, pointer));

function policiesFromSeed(section: readonly PolicySeed[] | null, zoneId: string, now: Date): Policies {
  const seeds = section ?? [];
  const seedIds = new Set(seeds.flatMap((seed) => seed.id ?? []));
  const policies: Policies = { byId: new Map(), idCount: 0, isNull: section === null };
  for (const seed of seeds) {
    const id = seed.id ?? newPolicyId(policies, zoneId, seedIds);
    policies.byId.set(id, policyFromSeed(seed, id, now));
  }
  return policies;
}

/** The zone's next free identifier: always the same sequence. */
function newPolicyId(policies: Policies, zoneId: string, inUse: ReadonlySet<string> = new Set()): string {
  for (;;) {
    policies.idCount += 1;
    const id = idOf("policy", zoneId, policies.idCount);
    if (!policies.byId.has(id) && !inUse.has(id)) return id;
  }
}

function policyFromSeed(seed: PolicySeed, id: string, now: Date): Policy {
  const { id: _, description, action, expression, enabled, value, ...extra } = seed;
  const fields = { description, action, expression, enabled: enabled === true || enabled === "true", value };
  return { id, ...fields, extra: { last_updated: now.toISOString(), ...extra } };
}

/**
 * The policy in answers and dumps: its fields in another order than in requests, and with `last_updated`, which users
 * see beyond the published schema.
 */
function policyOut(policy: Policy, habits: Habits): PolicySeed & JsonObject {
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

function allOut({ byId, isNull }: Policies, dialect: Dialect): readonly (PolicySeed & JsonObject)[] | null {
  if (isNull && byId.size === 0) return null;
  return [...byId.values()].map((policy) => policyOut(policy, habits[dialect]));
}

const PATH = "/page_shield/policies";

/** Null: the service shows an empty list as null. */
type Sections = { readonly policies?: readonly PolicySeed[] | null };

const holding: Holding<Sections, Policies> = {
  sections: { policies: checkPolicies },
  fromSeed: ({ policies = [] }, zone, now) => policiesFromSeed(policies, zone.id, now),
  toSeed: (state, dialect) => ({ policies: allOut(state, dialect) }),
  values: ({ byId }) => [...byId.values()],
};

export const policies: Resource<Sections> = {
  holding,
  routes: [
    inZone("GET", PATH, list),
    inZone("POST", PATH, create),
    inZone("GET", `${PATH}/{policy_id}`, onPolicy(read)),
    inZone("PUT", `${PATH}/{policy_id}`, onPolicy(update)),
    inZone("DELETE", `${PATH}/{policy_id}`, onPolicy(remove)),
  ],
  permissions: PAGE_SHIELD,
  edits: { policy: editingList(PATH) },
};

/** The differences between the dialects. */
interface Habits {
  readonly actions: readonly string[];
  /** The spelling of `enabled` in answers. */
  readonly enabledOut: (enabled: boolean) => boolean | "true" | "false";
  /** null: not a spelling that a request may use. */
  readonly enabledIn: (value: unknown) => boolean | null;
  /** The `result_info` of the list, which is never paged. */
  readonly listInfo: (count: number) => JsonObject | null;
  readonly deleted: (id: string) => Answer;
}

const habits: { readonly [dialect in Dialect]: Habits } = {
  service: {
    // The third action is newer than the published OpenAPI document; the official TypeScript SDK lists it.
    actions: ["allow", "log", "add_reporting_directives"],
    enabledOut: (enabled) => enabled,
    enabledIn: (value) => (typeof value === "boolean" ? value : null),
    // The document requires a result_info although the list takes no page parameters.
    listInfo: (count) => ({
      page: 1,
      per_page: Math.max(count, 20),
      count,
      total_count: count,
      total_pages: 1,
    }),
    // The published OpenAPI document: 204 without a body.
    deleted: () => empty,
  },
  interface: {
    actions: ["allow", "log"],
    // The documentation's examples of requests and answers have the text "true".
    enabledOut: (enabled) => (enabled ? "true" : "false"),
    enabledIn: (value) => spelled.get(value) ?? null,
    listInfo: () => null,
    deleted: (id) => result({ id }),
  },
};

const spelled: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ["true", true],
  ["false", false],
]);

function policiesOf(zone: Zone): Policies {
  return stateOf(holding, zone);
}

/** Never paged: the published OpenAPI document has no page parameters for it. */
function list(zone: Zone, _: Call, world: World): Answer {
  const section = allOut(policiesOf(zone), world.dialect);
  return result(section, habits[world.dialect].listInfo(section?.length ?? 0));
}

/** Two policies may share a description: the service identifies them by id. */
function create(zone: Zone, call: Call, world: World): Answer {
  const errors = policyErrors(call.body, required, habits[world.dialect]);
  if (errors.length > 0) return failure(400, ...errors);
  const { policies: limit } = entitlementsOf(zone.plan) ?? { policies: world.policyLimit };
  if (limit !== null && policiesOf(zone).byId.size >= limit) return tooMany(limit);
  return keep(zone, { ...blank, id: newPolicyId(policiesOf(zone), zone.id) }, call.body, world);
}

/** Users see the same text without any entitlement: `1 out of 0`. */
function tooMany(limit: number): Answer {
  const phase = "http_response_page_shield";
  return failure(
    400,
    apiError(`exceeded the maximum number of rules in the phase ${phase}: ${limit + 1} out of ${limit}`),
  );
}

const required = ["description", "action", "expression", "enabled", "value"];

const blank = { description: "", action: "", expression: "", enabled: false, value: "", extra: {} };

/**
 * Absent fields stay, as the published document makes all of them optional. Values from a seed may be sent back
 * unchanged without a check.
 */
function update(policy: Policy, zone: Zone, call: Call, world: World): Answer {
  const live: JsonObject = policyOut(policy, habits[world.dialect]);
  const changed = Object.entries(call.body).filter(
    ([field, value]) => field === "id" || live[field] !== value,
  );
  const errors = policyErrors(Object.fromEntries(changed), [], habits[world.dialect]);
  return errors.length > 0 ? failure(400, ...errors) : keep(zone, policy, call.body, world);
}

/** Stores and returns a policy with the fields of a checked body. The document says 200 for both uses. */
function keep(zone: Zone, before: Policy, body: JsonObject, world: World): Answer {
  const policy: Policy = {
    id: before.id,
    description: asText(body.description) ?? before.description,
    action: asText(body.action) ?? before.action,
    expression: asText(body.expression) ?? before.expression,
    enabled: habits[world.dialect].enabledIn(body.enabled) ?? before.enabled,
    value: asText(body.value) ?? before.value,
    extra: { ...before.extra, last_updated: world.now().toISOString() },
  };
  policiesOf(zone).byId.set(policy.id, policy);
  return result(policyOut(policy, habits[world.dialect]));
}

function asText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function read(policy: Policy, _zone: Zone, _call: Call, world: World): Answer {
  return result(policyOut(policy, habits[world.dialect]));
}

function remove(policy: Policy, zone: Zone, _: Call, world: World): Answer {
  policiesOf(zone).byId.delete(policy.id);
  return habits[world.dialect].deleted(policy.id);
}

function onPolicy(answer: (policy: Policy, zone: Zone, call: Call, world: World) => Answer) {
  return (zone: Zone, call: Call, world: World): Answer => {
    const policy = policiesOf(zone).byId.get(call.parameters.get("policy_id") ?? "");
    return policy === undefined
      ? failure(404, apiError("policy not found"))
      : answer(policy, zone, call, world);
  };
}

/** Errors of a request that creates or updates a policy; `required` fields must be present. */
function policyErrors(body: JsonObject, required: readonly string[], habits: Habits): readonly JsonObject[] {
  const missing = required.filter((field) => !Object.hasOwn(body, field));
  return [
    ...missing.map((field) => fieldError(field, `${field} is required`)),
    ...Object.entries(body).flatMap(([field, value]) => {
      const check = checks.get(field) ?? unknownField;
      return check(field, value, habits);
    }),
  ];
}

type FieldCheck = (field: string, value: Json, habits: Habits) => readonly JsonObject[];

const unknownField: FieldCheck = (field) => [fieldError(field, "unknown field")];

const description: FieldCheck = (field, value) =>
  typeof value === "string" ? [] : [fieldError(field, "must be a string")];

const action: FieldCheck = (field, value, habits) =>
  typeof value === "string" && habits.actions.includes(value)
    ? []
    : [fieldError(field, `must be one of ${habits.actions.join(", ")}`)];

const enabled: FieldCheck = (field, value, habits) =>
  habits.enabledIn(value) === null ? [fieldError(field, "must be true or false")] : [];

/** Codes and the length are those that users of the rulesets endpoints see for the same language. */
const expression: FieldCheck = (field, value) => {
  if (typeof value !== "string") return [fieldError(field, "must be a string")];
  if (value.trim() === "") return [fieldError(field, "expression cannot be blank", 20125)];
  if (value.length <= 4096) return [];
  return [fieldError(field, `expression size ${value.length} exceeds the maximum of 4096`, 20127)];
};

/** The maximum length is in the release notes of the service's documentation. */
const value: FieldCheck = (field, text) => {
  if (typeof text !== "string") return [fieldError(field, "must be a string")];
  if (text.trim() === "") return [fieldError(field, "value cannot be blank")];
  if (text.length > 6000) return [fieldError(field, "value is longer than 6000 characters")];
  return isOnlyKnownDirectives(text) ? [] : [fieldError(field, "unknown directive")];
};

const checks: ReadonlyMap<string, FieldCheck> = new Map([
  ["description", description],
  ["action", action],
  ["expression", expression],
  ["enabled", enabled],
  ["value", value],
]);

/**
 * Users see "unknown directive" for a value with several lines. Only a single space is certain to be accepted as a
 * separator, so the emulator accepts nothing else.
 */
function isOnlyKnownDirectives(text: string): boolean {
  if (/[\t\r\n]| {2}/.test(text)) return false;
  const names = text.split(";").map((each) => each.trim().split(" ")[0] ?? "");
  return names.every((name) => name === "" || directives.has(name.toLowerCase()));
}

/** From the service's documentation of CSP directives. */
const directives: ReadonlySet<string> = new Set([
  "script-src",
  "connect-src",
  "default-src",
  "img-src",
  "style-src",
  "font-src",
  "object-src",
  "media-src",
  "child-src",
  "form-action",
  "worker-src",
  "base-uri",
  "manifest-src",
  "frame-src",
  "frame-ancestors",
  "upgrade-insecure-requests",
]);
