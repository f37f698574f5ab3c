import type { Json, JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { type Answer, apiError, empty, failure, fieldError, result } from "../answer.js";
import {
  anyText,
  bodyErrors,
  type Check,
  type Checks,
  checkId,
  checkObjects,
  checkText,
  isText,
  must,
  orNull,
} from "../checks.js";
import type { Dialect } from "../dialect.js";
import { type NewId, newIds, seeded } from "../ids.js";
import { entitlementsOf } from "../plans.js";
import {
  type Call,
  editingList,
  type Holding,
  inZone,
  type Resource,
  setState,
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

/** A policy as answers and dumps have it: its fields in another order than in requests. */
type Policy = PolicySeed & JsonObject & { readonly id: string; readonly enabled: boolean };

/** A zone's policies. */
interface Policies {
  readonly byId: ReadonlyMap<string, Policy>;
  readonly newId: NewId;
  /** Whether an empty list is shown as null. */
  readonly isNull: boolean;
}

const checkEnabled = must('must be true or false, or the text "true" or "false".', (value) =>
  spelled.has(value),
);

const checkList = checkObjects(
  ["policies", "a policy"],
  {
    id: checkId,
    description: checkText,
    action: checkText,
    expression: checkText,
    enabled: checkEnabled,
    value: checkText,
  },
  ["description", "action", "expression", "enabled", "value"],
);

function policiesFromSeed(section: readonly PolicySeed[] | null, zoneId: string, now: Date): Policies {
  const newId = newIds("policy", zoneId, String);
  const byId = seeded(section ?? [], newId, (seed, id) => policyFromSeed(seed, id, now));
  return { byId, newId, isNull: section === null };
}

/** With `last_updated`, which users see beyond the published schema. */
function policyFromSeed(seed: PolicySeed, id: string, now: Date): Policy {
  const { id: _, description, action, expression, enabled, value, ...extra } = seed;
  const known = {
    value,
    id,
    enabled: enabled === true || enabled === "true",
    last_updated: now.toISOString(),
  };
  return { ...known, ...(extra as JsonObject), expression, action, description }; // the seed is JSON
}

function policyOut(policy: Policy, habits: Habits): PolicySeed & JsonObject {
  return { ...policy, enabled: habits.enabledOut(policy.enabled) };
}

function allOut({ byId, isNull }: Policies, dialect: Dialect): readonly (PolicySeed & JsonObject)[] | null {
  if (isNull && byId.size === 0) return null;
  return [...byId.values()].map((policy) => policyOut(policy, habits[dialect]));
}

const PATH = "/page_shield/policies";

/** Null: the service shows an empty list as null. */
type Sections = { readonly policies?: readonly PolicySeed[] | null };

const holding: Holding<Sections, Policies> = {
  sections: { policies: orNull(checkList) },
  fromSeed: ({ policies = [] }, zone, now) => policiesFromSeed(policies, zone.id, now),
  toSeed: (state, dialect) => ({ policies: allOut(state, dialect) }),
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
  const errors = bodyErrors(call.body, checks(habits[world.dialect]), required);
  if (errors.length > 0) return failure(400, ...errors);
  const { policies: limit } = entitlementsOf(zone.plan) ?? { policies: world.policyLimit };
  if (limit !== null && policiesOf(zone).byId.size >= limit) return tooMany(limit);
  const { byId, newId } = policiesOf(zone);
  const id = newId((each) => byId.has(each));
  return keep(zone, policyFromSeed(blank, id, world.now()), call.body, world);
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

const blank = { description: "", action: "", expression: "", enabled: false, value: "" };

/**
 * Absent fields stay, as the published document makes all of them optional. Values from a seed may be sent back
 * unchanged without a check.
 */
function update(policy: Policy, zone: Zone, call: Call, world: World): Answer {
  const live: JsonObject = policyOut(policy, habits[world.dialect]);
  const changed = Object.entries(call.body).filter(
    ([field, value]) => field === "id" || live[field] !== value,
  );
  const errors = bodyErrors(Object.fromEntries(changed), checks(habits[world.dialect]));
  return errors.length > 0 ? failure(400, ...errors) : keep(zone, policy, call.body, world);
}

/** Stores and returns a policy with the fields of a checked body. The document says 200 for both uses. */
function keep(zone: Zone, before: Policy, body: JsonObject, world: World): Answer {
  const enabled = habits[world.dialect].enabledIn(body.enabled) ?? before.enabled;
  const policy: Policy = { ...before, ...body, enabled, last_updated: world.now().toISOString() };
  const policies = policiesOf(zone);
  setState(holding, zone, { ...policies, byId: new Map(policies.byId).set(policy.id, policy) });
  return result(policyOut(policy, habits[world.dialect]));
}

function read(policy: Policy, _zone: Zone, _call: Call, world: World): Answer {
  return result(policyOut(policy, habits[world.dialect]));
}

function remove(policy: Policy, zone: Zone, _: Call, world: World): Answer {
  const policies = policiesOf(zone);
  const byId = new Map([...policies.byId].filter(([id]) => id !== policy.id));
  setState(holding, zone, { ...policies, byId });
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

function checks({ actions, enabledIn }: Habits): Checks {
  return {
    description: anyText,
    action: must(`must be one of ${actions.join(", ")}`, (value) => isText(value) && actions.includes(value)),
    expression: checkExpression,
    enabled: must("must be true or false", (value) => enabledIn(value) !== null),
    value: checkValue,
  };
}

/** Codes and the length are those that users of the rulesets endpoints see for the same language. */
const checkExpression: Check = (value, pointer) => {
  if (!isText(value)) return anyText(value, pointer);
  if (value.trim() === "") return [fieldError(pointer, "expression cannot be blank", 20125)];
  if (value.length <= 4096) return [];
  return [fieldError(pointer, `expression size ${value.length} exceeds the maximum of 4096`, 20127)];
};

/** The maximum length is in the release notes of the service's documentation. */
const checkValue: Check = (value, pointer) => {
  if (!isText(value)) return anyText(value, pointer);
  if (value.trim() === "") return [fieldError(pointer, "value cannot be blank")];
  if (value.length > 6000) return [fieldError(pointer, "value is longer than 6000 characters")];
  return isOnlyKnownDirectives(value) ? [] : [fieldError(pointer, "unknown directive")];
};

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
