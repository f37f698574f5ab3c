import { type Answer, apiError, failure, result } from "./answer.js";
import type { Call, Route, World } from "./resources/resource.js";
import type { Store, Zone } from "./store.js";

export const zones: readonly Route[] = [{ method: "GET", path: "/zones", answer: list }];

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
    shown.map((zone) => zone.card),
    world.habits.zonesInfo(counts),
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
