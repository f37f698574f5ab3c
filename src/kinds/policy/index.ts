import { canonical, diff, parse } from "../../csp/index.js";
import { normalise } from "../../expression/index.js";
import { isId } from "../../model/id.js";
import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { failed, ok, problem, type Result } from "../../model/problem.js";
import type { ReadApi } from "../../model/read-api.js";
import { remembered } from "../../model/remembered.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions } from "../../model/strength.js";
import type { Service } from "../../model/wanted.js";
import { readFlag, writeFlag } from "../flag.js";
import type { Draft, Drafted, Kind, ZoneLive } from "../kind.js";
import { checkPolicy } from "./check.js";
import { policySchema } from "./schema.js";
import { valueText } from "./value.js";

const FIELDS = ["description", "action", "enabled", "expression", "value"] as const;

/** Content security policies: any number a zone, known by their description. */
export const policy: Kind = {
  name: "policy",
  section: "policies",
  shape: { as: "list", named: "description" },
  schema: policySchema,
  aliases: {},
  creation: { possible: true, required: ["action", "expression", "value"], defaults: { enabled: true } },
  meanings: {
    expression: { canonical: (value) => (typeof value === "string" ? normalise(value) : value) },
    value: {
      canonical: (value) => (typeof value === "string" ? canonical(parse(value)) : value),
      parts: (before, after) => diff(String(before), String(after)),
    },
  },
  permissions: { read: "Page Shield Read", write: "Page Shield Write" },

  check: checkPolicy,
  read,
  live,
  want: remembered(want),
  dimensions,
  steps,
  explain,
  concerns,
};

async function read(api: ReadApi, zoneId: string): Promise<Result<readonly JsonObject[]>> {
  const path = `/zones/${zoneId}/page_shield/policies`;
  const answer = await api.list(path, "whole");
  if (!answer.ok) return answer;
  const odd = answer.value.find((each) => !isObject(each) || typeof each.id !== "string" || !isId(each.id));
  if (odd === undefined) return ok(answer.value.filter(isObject));
  return failed(
    problem(
      "unexpected_answer",
      "The service gave a policy of another shape",
      `GET ${path} listed a policy without a usable id. Nothing is planned for this zone.`,
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

function sent(field: (typeof FIELDS)[number], value: Json): Json {
  if (field === "value") return valueText(value);
  return field === "expression" && typeof value === "string" ? normalise(value) : value;
}

/** A policy that is switched off protects nothing; the service being off does not switch policies off. */
function dimensions(normal: SealedObject): Dimensions {
  if (normal.enabled !== true) return { csp: { as: "layers", layers: [] } };
  const mode = normal.action === "allow" ? "enforce" : "report";
  const layer = { mode, where: String(normal.expression ?? ""), csp: String(normal.value ?? "") } as const;
  return { csp: { as: "layers", layers: [layer] } };
}

function steps(changes: readonly Drafted[], zone: ZoneLive): readonly Draft[] {
  return changes.map((change) => step(change, zone));
}

function step({ at, triple }: Drafted, zone: ZoneLive): Draft {
  const { want: after, live: before } = triple;
  const list = ["zones", zone.zoneId, "page_shield", "policies"];
  if (after === null) {
    const ref = before?.ref ?? absurd();
    const path = [...list, ref.id ?? absurd()];
    return { method: "DELETE", path, body: null, changes: [at], yields: [{ ref, item: null }], landed: null };
  }
  const yields = [{ ref: after.ref, item: after }];
  if (before === null) {
    const body = bodyOf(after.normal, siblingFlag(zone));
    const landed = { list: `/${list.join("/")}`, where: { description: body.description ?? "" } };
    return { method: "POST", path: list, body, changes: [at], yields, landed };
  }
  const path = [...list, before.ref.id ?? absurd()];
  return {
    method: "PUT",
    path,
    body: bodyOf(after.normal, before.raw?.enabled),
    changes: [at],
    yields,
    landed: null,
  };
}

/**
 * All five fields: whether the service keeps what a PUT leaves out is not documented, and other clients send
 * the whole policy.
 */
function bodyOf(normal: SealedObject, flagLike: Json | undefined): SealedObject {
  const body: Record<string, SealedObject[string]> = {};
  for (const field of FIELDS) {
    const value = normal[field];
    if (value === undefined) continue;
    body[field] = field === "enabled" && typeof value === "boolean" ? writeFlag(value, flagLike) : value;
  }
  return body;
}

/** A new policy's `enabled` takes the form of those that are there, else a boolean. */
function siblingFlag(zone: ZoneLive): Json | undefined {
  return zone.items.find((item) => item.raw?.enabled !== undefined)?.raw?.enabled;
}

function absurd(): never {
  throw new Error("a live policy has an id: read() checked it");
}

function explain(field: string, value: Json): string | null {
  if (field !== "action") return null;
  if (value === "allow") return "allow (blocks the rest)";
  return value === "log" ? "log (reports only)" : null;
}

function concerns(item: Item, service: Service): ReturnType<Kind["concerns"]> {
  const limits = { value: service.limits.policy_value_chars, expression: service.limits.expression_chars };
  return Object.entries(limits).flatMap(([field, limit]) => {
    const value = item.normal[field];
    if (typeof value !== "string" || value.length <= limit) return [];
    return {
      code: "live_beyond_limit",
      summary: "A live object is beyond a limit",
      detail: `The ${field} of the live policy ${JSON.stringify(item.ref.key)} has ${value.length} characters; the limit is ${limit}. It can stay as it is, but a change of this policy may be refused.`,
    };
  });
}
