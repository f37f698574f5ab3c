import type { JsonObject } from "../../model/json.js";
import { ZONE_READ } from "../../model/permissions.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { idOf } from "../ids.js";
import { planOut } from "../plans.js";
import type { Call, Route, Store, World, Zone } from "./resource.js";
import { permitted } from "./tokens.js";

export const zones: readonly Route[] = permitted(
  [{ method: "GET", path: "/zones", answer: list }],
  [{ read: ZONE_READ, write: ZONE_READ }],
);

/** Names must match exactly. Of the published filters, only `name` and `account.id` are supported. */
function list(call: Call, world: World): Answer {
  const page = wholeNumber(call.query.get("page") ?? "1");
  const perPage = wholeNumber(call.query.get("per_page") ?? "20");
  if (page < 1) return failure(400, apiError("page must be a whole number from 1 up"));
  // Bounds and default are those of the published OpenAPI document.
  if (perPage < 5 || perPage > 50)
    return failure(400, apiError("per_page must be a whole number from 5 to 50"));
  const matching = filter(world.store, call.query);
  const items = matching.slice((page - 1) * perPage, page * perPage);
  const counts = { page, per_page: perPage, count: items.length, total_count: matching.length };
  return result(
    items.map(zoneOut),
    // In the document, the zone list has no total_pages, unlike all other lists.
    world.dialect === "service" ? counts : { ...counts, total_pages: Math.ceil(matching.length / perPage) },
  );
}

/** -1: not a whole number. */
function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : -1;
}

function filter(store: Store, query: URLSearchParams): readonly Zone[] {
  const name = query.get("name");
  const accountId = query.get("account.id");
  const matching = name === null ? store.zones : oneOrNone(store.byName.get(name.toLowerCase()));
  return accountId === null ? matching : matching.filter((zone) => zone.accountId === accountId);
}

function oneOrNone(zone: Zone | undefined): readonly Zone[] {
  return zone === undefined ? [] : [zone];
}

/** The fields that the published OpenAPI document requires, and those that the official TypeScript SDK adds. */
function zoneOut({ id, name, accountId, plan, status, paused }: Zone): JsonObject {
  const since = "2024-01-02T03:04:05.678901Z";
  return {
    id,
    name,
    status,
    paused,
    type: "full",
    development_mode: 0,
    name_servers: ["ada.ns.example.com", "bob.ns.example.com"],
    original_name_servers: null,
    original_registrar: null,
    original_dnshost: null,
    created_on: since,
    modified_on: since,
    activated_on: since,
    meta: { step: 4, custom_certificate_quota: 1, page_rule_quota: 125, phishing_detected: false },
    owner: { id: accountId, name: "Emulated Account", type: "organization" },
    account: { id: accountId, name: "Emulated Account" },
    permissions: ["#zone:read", "#zone_settings:edit"],
    plan: planOut(plan, idOf("plan")),
  };
}
