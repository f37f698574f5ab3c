import { canonical, diff } from "../../csp/diff.js";
import { oneLine, parsedCsp } from "../../csp/syntax.js";
import { normalise } from "../../expression/spelling/canonical.js";
import { cut } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import { asText, isObject, type Json, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { failed, ok, problem, type Result } from "../../model/problem.js";
import { isId, notAnId, sameIdAgain } from "../../model/read-api.js";
import type { RequestAct } from "../../model/request-lines.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Service } from "../../model/wanted.js";
import { expressionField } from "../expression.js";
import {
  defaultsOf,
  diffFields,
  type Fields,
  nameField,
  overLive,
  readFlag,
  whileOff,
  writeFlag,
} from "../fields.js";

import type { Kind, Live, Was, ZoneReader } from "../kind.js";
import { beyondLimit } from "../limits.js";
import { allowing, checkPolicy, valueText } from "./check.js";
import { configOf, FIELDS } from "./config.js";
import { policySchema } from "./schema.js";
import { blockingOf, strengthOf, unmanagedPolicy } from "./strength.js";

const TO_BLOCK = "To block what the value does not allow, write allow.";
const TO_REPORT = "To report what the value does not allow, write log.";

const fields: Fields = {
  description: { ...nameField, alwaysSent: true },
  action: {
    required: true,
    alwaysSent: true,
    hints: { block: TO_BLOCK, enforce: TO_BLOCK, deny: TO_BLOCK, report: TO_REPORT },
    show: actionText,
  },
  expression: { ...expressionField, required: true, alwaysSent: true, identifies: true },
  value: {
    required: true,
    alwaysSent: true,
    identifies: true,
    canonical: (value) => (typeof value === "string" ? canonical(parsedCsp(value)) : value),
    parts: (before, after) => diff(asText(before), asText(after)),
  },
  enabled: { alwaysSent: true, default: true },
};

/** Content security policies: any number a zone, known by their description. */
export const policy: Kind = {
  name: "policy",
  section: "policies",
  area: "pages",
  shape: { as: "list", named: "description" },
  schema: policySchema,
  fields,
  requests: { does: "applies_to", acts: ({ action }) => ACTS.get(action ?? null) ?? null },
  includedAs: "content security rules",
  // An add-on to the largest, in the documentation's table of availability.
  includedIn: ["enterprise"],
  permissions: PAGE_SHIELD,
  dashboard: "security/security-rules",
  at: { as: "collection", path: ["page_shield", "policies"] },

  check: checkPolicy,
  read,
  normalOf: (raw) => live(raw).normal,
  restorable: overLive,
  toDesired: (declared, live) => withFlag(want(declared), live),
  toConfig: ({ normal }, declared) => configOf(normal as JsonObject, declared), // no secrets
  toWire,
  allowing,
  unmanaged: (items) => items.map(unmanagedPolicy),
  checkWhole: () => [],
  dimensions: strengthOf,
  blocking: blockingOf,
  blockingInstead: (normal) => (normal.action === "log" ? { ...normal, action: "allow" } : null),
  limitsLoads: {
    field: "value",
    reporting: (value) => ({ description: "What was seen", action: "log", expression: "true", value }),
  },
  hindrances: whileOff,
  // The service is switched on before, and what pages load is known only where it is on.
  restsOn: () => ["settings"],
  most: ({ limits }) => limits.policies ?? null,
  concerns,
};

const ACTS: ReadonlyMap<unknown, RequestAct> = new Map([
  ["allow", "blocks"],
  ["log", "reports"],
]);

async function read({ api, zoneId }: ZoneReader): Promise<Result<Live<null>>> {
  const path = `/zones/${zoneId}/page_shield/policies`;
  const answer = await api.list(path);
  if (!answer.ok) return answer;
  const wrong = wrongWith(answer.value);
  if (wrong === null) return ok({ items: answer.value.filter(isObject).map(live), context: null });
  return failed(
    problem(
      "unexpected_answer",
      "The service gave a policy of another shape",
      `GET ${path} listed ${wrong}. Nothing that rests on it is planned.`,
    ),
  );
}

function live(raw: JsonObject): Item {
  const normal: Record<string, Json> = {};
  for (const field of FIELDS) {
    const value = raw[field];
    if (value !== undefined && value !== null) normal[field] = field === "enabled" ? readFlag(value) : value;
  }
  const key = typeof raw.description === "string" ? raw.description : "";
  const id = typeof raw.id === "string" ? raw.id : null;
  return { ref: { kind: "policy", key, id }, normal, raw, owns: "nothing", at: null };
}

/** Values and expressions in the form that is sent: the service refuses a CSP of several lines. */
function want(declared: JsonObject): SealedObject {
  const normal: Record<string, Json> = {};
  for (const field of FIELDS) {
    const value = declared[field];
    if (value !== undefined) normal[field] = sent(field, value);
  }
  return normal;
}

/**
 * A live policy that does not say whether it is enabled may be on or off after a call that does not say so either. So
 * where anything of it changes, it is declared to be what a new policy is, for everybody to see.
 */
function withFlag(own: SealedObject, live: Item | null): SealedObject {
  if (live === null || live.normal.enabled !== undefined || own.enabled !== undefined) return own;
  const isChanging = diffFields(live.normal, { ...live.normal, ...own }, fields).length > 0;
  return isChanging ? { ...own, ...defaultsOf(fields, {}, null) } : own;
}

function sent(field: (typeof FIELDS)[number], value: Json): Json {
  if (field === "value") return valueText(value);
  return field === "expression" && typeof value === "string" ? normalise(value) : value;
}

/**
 * All five fields, those that no file declares as they are live, a CSP on one line: the service lists values that it
 * refuses. Whether the service keeps what a PUT leaves out is not documented, and other clients send
 * the whole policy.
 */
function toWire({ normal }: Item, was: Was | null, { items }: Live): SealedObject {
  // A new policy's flag takes the form of those that are there, else a boolean.
  const flags = (was === null ? items : [was.live]).map(({ raw }) => raw?.enabled);
  const flagLike = flags.find((each) => each !== undefined);
  const body: Record<string, SealedObject[string]> = {};
  for (const field of FIELDS) {
    const value = normal[field];
    if (value === undefined) continue;
    if (field === "enabled" && typeof value === "boolean") body[field] = writeFlag(value, flagLike);
    else body[field] = field === "value" && typeof value === "string" ? sendable(value) : value;
  }
  return body;
}

/** A CSP as it is, unless it has line breaks or several blanks in a row. */
function sendable(csp: string): string {
  return /[^\S ]| {2}/.test(csp) ? oneLine(csp) : csp;
}

function actionText(value: Json): string | null {
  if (value === "allow") return "allow (blocks the rest)";
  return value === "log" ? "log (reports only)" : null;
}

function concerns(item: Item, { limits }: Service): ReturnType<Kind["concerns"]> {
  const { value, expression } = item.normal;
  const object = () => `policy ${JSON.stringify(item.ref.key)}`;
  return [
    ...beyondLimit(object, "value", value, limits.policy_value_chars),
    ...beyondLimit(object, "expression", expression, limits.expression_chars),
  ];
}

/**
 * What of a list of live policies nobody can read, as the middle of a sentence; null: nothing. A policy that is not
 * understood must not be passed over: it would be taken for absent, or for one that protects nothing.
 */
function wrongWith(listed: readonly Json[]): string | null {
  for (const each of listed) {
    if (!isObject(each)) return "something that is no policy";
    const { id } = each;
    if (typeof id !== "string" || !isId(id)) return `${nameOf(each)} with ${notAnId(id)}`;
    const odd = oddIn(each);
    if (odd !== null) return `${nameOf(each)}, ${id}, with ${odd}`;
  }
  const again = sameIdAgain(listed.filter(isObject), ({ id }) => asText(id));
  return again && `two policies with the id ${asText(again.id)}, of which the second is ${nameOf(again)}`;
}

function nameOf({ description }: JsonObject): string {
  return typeof description === "string" ? `the policy ${quoted(description)}` : "a policy";
}

/** What the service leaves out, or has as null, is not there. */
function oddIn(policy: JsonObject): string | null {
  for (const [field, isReadable, form] of FORMS) {
    const value = policy[field] ?? null;
    if (value !== null && !isReadable(value)) return `the ${field} ${quoted(value)}, which is not ${form}`;
  }
  return null;
}

const isText = (value: Json) => typeof value === "string";

const FORMS: readonly (readonly [field: string, isReadable: (value: Json) => boolean, form: string])[] = [
  ["description", isText, "a text"],
  ["action", isText, "a text"],
  ["expression", isText, "a text"],
  ["value", isText, "a text"],
  ["enabled", (value) => typeof readFlag(value) === "boolean", "true or false"],
];

function quoted(value: Json): string {
  return cut(JSON.stringify(value), MAX_CHARS);
}

const MAX_CHARS = 100;
