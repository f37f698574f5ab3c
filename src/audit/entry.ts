import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { USER_AGENT } from "../model/read-api.js";
import { readUrl } from "../model/url.js";

/** A writing call in the account's audit log. */
export interface AuditEntry {
  readonly id: string;
  readonly timeMs: number;
  readonly actor: Actor;
  readonly method: string;
  /** The path after the base address, without the query: `/zones/353c…/page_shield`. */
  readonly path: string;
  /** Null: not in the log. */
  readonly request: Json | null;
  readonly response: Json | null;
}

/** Who made a call. Network addresses are never kept. */
export interface Actor {
  /** `somebody`: unknown. */
  readonly as: "user" | "token" | "service" | "somebody";
  /** An e-mail address, or the name of a token. Null: unknown. */
  readonly name: string | null;
  readonly through: "dashboard" | "api" | "zoneward";
}

/**
 * Reads an entry of Audit Logs v2. Null: not a successful write, or incomplete. Older services ignore unknown filters of
 * the query, so entries are filtered here.
 */
export function entryOf(json: Json): AuditEntry | null {
  if (!isObject(json)) return null;
  const [action, raw, actor, resource] = [json.action, json.raw, json.actor, json.resource].map(objectOr);
  const { time, result } = action ?? {};
  const { method, uri } = raw ?? {};
  if (typeof json.id !== "string" || typeof time !== "string" || result === "failure") return null;
  if (typeof method !== "string" || typeof uri !== "string" || !WRITES.has(method.toUpperCase())) return null;
  const timeMs = Date.parse(time);
  const path = /\/v4(\/[^?#]*)/.exec(uri)?.[1];
  if (Number.isNaN(timeMs) || path === undefined) return null;
  return {
    id: json.id,
    timeMs,
    actor: actorOf(actor ?? {}, raw ?? {}),
    method: method.toUpperCase(),
    path: path.replace(/\/+$/, ""),
    request: bodyOf(resource?.request),
    response: bodyOf(resource?.response),
  };
}

const WRITES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function actorOf(
  { type, email, context, token_name: token }: JsonObject,
  { user_agent: agent, uri }: JsonObject,
): Actor {
  const isZoneward = typeof agent === "string" && agent.split("/")[0] === USER_AGENT;
  const isDashboard = context === "dash" || (context === undefined && String(uri).startsWith("/api/"));
  const through = isZoneward ? "zoneward" : isDashboard ? "dashboard" : "api";
  if (typeof token === "string" && token !== "")
    return { as: "token", name: withoutAddresses(token), through };
  if (typeof email === "string" && email !== "" && (type === undefined || type === "user"))
    return { as: "user", name: withoutAddresses(email), through };
  if (context === "api_token" || type === "account") return { as: "token", name: null, through };
  if (type === "user") return { as: "user", name: null, through };
  return { as: SERVICE.has(String(type)) ? "service" : "somebody", name: null, through };
}

/** Network addresses are private, and people put them into names of tokens. */
function withoutAddresses(name: string): string {
  return name.replace(ADDRESS, (each) => (isAddress(each) ? "…" : each));
}

/** Numbers with colons may be a time. Numbers with three dots are always an address. */
function isAddress(text: string): boolean {
  return !text.includes(":") || readUrl(`http://[${text}]`) !== null;
}

/** Matches possible IPv6 and IPv4 addresses. */
const ADDRESS =
  /(?<![\w:.])(?:(?:[0-9a-f]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4})|\d{1,3}(?:\.\d{1,3}){3})(?![\w:])/gi;

/** Types of actors that are the service or its staff. */
const SERVICE: ReadonlySet<string> = new Set(["system", "cloudflare_admin", "delegated_service"]);

/** A body is JSON or a text of JSON. A truncated text cannot be read. */
function bodyOf(value: Json | undefined): Json | null {
  if (typeof value !== "string") return value ?? null;
  try {
    const parsed: Json = JSON.parse(value);
    return isObject(parsed) || Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** The objects in a body: a single object, or all rules of a list. */
export function objectsIn(body: Json | null): readonly JsonObject[] {
  const result = resultIn(body);
  if (result === null) return [];
  return isList(result.rules) ? result.rules.filter(isObject) : [result];
}

/** The result in the envelope of a response. Null: no object. */
export function resultIn(body: Json | null): JsonObject | null {
  if (!isObject(body)) return null;
  return isObject(body.result) ? body.result : body;
}

/** The name of an object in a body. */
export function nameOf({ description, name, ref }: JsonObject): string | null {
  return [description, name, ref].find((each): each is string => typeof each === "string") ?? null;
}
