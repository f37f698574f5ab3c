import type { JsonObject } from "../../model/json.js";
import { type Answer, apiError, failure } from "../answer.js";
import type { Habits } from "../dialect.js";
import { isId } from "../ids.js";
import type { Store, Zone } from "../store.js";

/** What every route can see. */
export interface World {
  readonly store: Store;
  readonly habits: Habits;
  /** Creating a policy in a zone with this many fails; null: no limit. */
  readonly policyLimit: number | null;
  /** Creating a log-push job in a zone with this many fails; null: no limit. */
  readonly logpushJobLimit: number | null;
  readonly now: () => Date;
}

/** A request that has passed authentication and has found its route. */
export interface Call {
  /** After the base, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The segments that stand for `{names}` in the route's path, not decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Empty for methods that have no body. */
  readonly body: JsonObject;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** After the base: `/zones/{zone_id}/page_shield`. */
  readonly path: string;
  readonly answer: (call: Call, world: World) => Answer;
}

/** A route about one zone; `path` is what follows the zone's own. */
export function inZone(
  method: Route["method"],
  path: string,
  answer: (zone: Zone, call: Call, world: World) => Answer,
): Route {
  return {
    method,
    path: `/zones/{zone_id}${path}`,
    answer(call, world) {
      const id = call.parameters.get("zone_id");
      const zone = isId(id) ? world.store.byId.get(id) : undefined;
      return zone === undefined ? noSuchOwner(call.path) : answer(zone, call, world);
    },
  };
}

/** A route about an account; `path` is what follows the account's own. */
export function inAccount(method: Route["method"], path: string, answer: Route["answer"]): Route {
  return {
    method,
    path: `/accounts/{account_id}${path}`,
    answer(call, world) {
      const known = world.store.accountIds.has(call.parameters.get("account_id") ?? "");
      return known ? answer(call, world) : noSuchOwner(call.path);
    },
  };
}

/** Users see the code 7003 for an identifier that is malformed and for one that is nobody's. */
function noSuchOwner(path: string): Answer {
  return failure(404, apiError(`Could not route to ${path}, is the object identifier right?`, 7003));
}

/** For a path that is no endpoint's; users see both codes together. */
export function noSuchRoute(path: string): Answer {
  return failure(
    404,
    apiError(`Could not route to ${path}, is the object identifier right?`, 7003),
    apiError("No route for that URI", 7000),
  );
}
