import type { JsonObject } from "../../model/json.js";
import { ZONE_READ } from "../../model/permissions.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { idOf } from "../ids.js";
import { planOut } from "../plans.js";
import type { Call, Route, Store, World, Zone } from "./resource.js";
import { permitted } from "./tokens.js";

export const zones: readonly Route[] = permitted([{ method: "GET", path: "/zones", answer: list }], () => [
  { read: ZONE_READ, write: ZONE_READ },
]);

/** Names match whole here; of the published document's filters there are `name` and `account.id`. */
function list(call: Call, world: World): Answer {
  const page = wholeNumber(call.query.get("page") ?? "1");
  const perPage = wholeNumber(call.query.get("per_page") ?? "20");
  if (page < 1) return failure(400, apiError("page must be a whole number from 1 up"));
  // The bounds and the default are those of the published OpenAPI document.
  if (perPage < 5 || perPage > 50)
    return failure(400, apiError("per_page must be a whole number from 5 to 50"));
  const found = filter(world.store, call.query);
  const shown = found.slice((page - 1) * perPage, page * perPage);
  const counts = { page, per_page: perPage, count: shown.length, total_count: found.length };
  return result(
    shown.map(zoneOut),
    // The document's result_info of the zone list has no total_pages, unlike all other lists.
    world.dialect === "service" ? counts : { ...counts, total_pages: Math.ceil(found.length / perPage) },
  );
}

/** -1 for what is none. */
function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : -1;
}

function filter(store: Store, query: URLSearchParams): readonly Zone[] {
  const name = query.get("name");
  const accountId = query.get("account.id");
  const named = name === null ? store.zones : oneOrNone(store.byName.get(name.toLowerCase()));
  return accountId === null ? named : named.filter((zone) => zone.accountId === accountId);
}

function oneOrNone(zone: Zone | undefined): readonly Zone[] {
  return zone === undefined ? [] : [zone];
}

/**
 * Every field that the published OpenAPI document requires of a zone, and those that the official TypeScript SDK
 * lists beyond it.
 */
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
