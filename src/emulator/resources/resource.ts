import { isObject, type JsonObject } from "../../model/json.js";
import type { Permissions } from "../../model/permissions.js";
import { type Answer, apiError, type Enveloped, failure } from "../answer.js";
import type { AuditLog } from "../audit-log.js";
import type { Check } from "../checks.js";
import type { Dialect } from "../dialect.js";
import { isId } from "../ids.js";
import type { Plan, ZoneStatus } from "../plans.js";

/**
 * One kind of object of the API.
 *
 * @typeParam Sections its sections of the seed
 */
export interface Resource<Sections> {
  readonly holding: Holding<Sections>;
  readonly routes: readonly Route[];
  /** Required by all of its routes. Absent: none, or routes have their own. */
  readonly permissions?: Permissions;
  /** How another client changes its objects, by the names of edits. */
  readonly edits: { readonly [name: string]: Editing };
}

/**
 * The state of one resource in a zone or an account. A request that changes it puts another value in its place, so the
 * identity tells whether it changed.
 */
export interface Holding<Sections, State = unknown> {
  /** Its sections of the seed, each with its check. */
  readonly sections: { readonly [section: string]: Check };
  readonly fromSeed: (seed: Sections, owner: Named, now: Date) => State;
  /** The state as a seed: an emulator started with it continues from here. */
  toSeed(state: State, dialect: Dialect): Sections;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A zone, or the common state of all accounts. */
export interface Owner extends Named {
  /** The state of each holding in this zone or account. */
  readonly states: Map<unknown, unknown>;
}

export interface Zone extends Owner {
  readonly accountId: string;
  /** null: no plan, so only the emulator's own limits. */
  readonly plan: Plan | null;
  readonly status: ZoneStatus;
  /** Whether traffic to the zone bypasses the service. */
  readonly paused: boolean;
}

export function stateOf<Sections, State>(holding: Holding<Sections, State>, owner: Owner): State {
  return owner.states.get(holding) as State; // made by this holding's own fromSeed
}

export function setState<Sections, State>(
  holding: Holding<Sections, State>,
  owner: Owner,
  state: State,
): void {
  owner.states.set(holding, state);
}

/** All state of the emulated service. */
export interface Store {
  /** The account of zones that name none. All accounts share its objects. */
  readonly account: Owner;
  readonly accountIds: ReadonlySet<string>;
  /** In the order of the seed. */
  readonly zones: readonly Zone[];
  readonly byId: ReadonlyMap<string, Zone>;
  /** By lower-case name. */
  readonly byName: ReadonlyMap<string, Zone>;
}

/** The context of every route. */
export interface World {
  readonly store: Store;
  readonly dialect: Dialect;
  /** The most policies of a zone without a plan; null: no limit. */
  readonly policyLimit: number | null;
  /** The most log-push jobs of a zone without a plan; null: no limit. */
  readonly logpushJobLimit: number | null;
  /** Whether log-push jobs can only be created; null: as the dialect. */
  readonly logpushCreationOnly: boolean | null;
  /** Whether answers complete a job's `output_options` with defaults. */
  readonly logpushOutputFilled: boolean;
  /** Permission groups that the token lacks. */
  readonly without: ReadonlySet<string>;
  readonly now: () => Date;
  readonly audit: AuditLog;
}

/** An authenticated request with a route. */
export interface Call {
  /** Relative to the base, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The segments for `{names}` in the route's path, not decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Empty for methods without a body. */
  readonly body: JsonObject;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the base: `/zones/{zone_id}/page_shield`. */
  readonly path: string;
  /** The only dialect with this route. Absent: both. */
  readonly onlyIn?: Dialect;
  /** All permissions that its calls may need. Absent: any token may make them. */
  readonly permissions?: readonly Permissions[];
  readonly answer: (call: Call, world: World) => Answer;
}

/** A route of one zone; `path` is relative to the zone. */
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

/** A route of an account; `path` is relative to the account. */
export function inAccount(
  method: Route["method"],
  path: string,
  answer: (account: Owner, call: Call, world: World) => Answer,
): Route {
  return {
    method,
    path: `/accounts/{account_id}${path}`,
    answer(call, world) {
      const isKnown = world.store.accountIds.has(call.parameters.get("account_id") ?? "");
      return isKnown ? answer(world.store.account, call, world) : noSuchOwner(call.path);
    },
  };
}

/** Users see the code 7003 for an identifier that is malformed or unknown. */
function noSuchOwner(path: string): Answer {
  return failure(404, apiError(`Could not route to ${path}, is the object identifier right?`, 7003));
}

/** For an unknown path; users see both codes together. */
export function noSuchRoute(path: string): Answer {
  return failure(
    404,
    apiError(`Could not route to ${path}, is the object identifier right?`, 7003),
    apiError("No route for that URI", 7000),
  );
}

/** How an edit is made: by calls of the API, as another client would. */
export type Editing =
  /** One object per zone. `zone` is the zone's path. */
  | { readonly as: "one"; readonly writes: (zone: string, set: JsonObject) => readonly Write[] }
  | {
      readonly as: "list";
      /** The required fields of an edit besides its zone, each with its check. */
      readonly fields: { readonly [field: string]: Check };
      /** @param zone the path of the zone */
      readonly open: (zone: string, edit: JsonObject, ask: Ask) => EditedList;
    };

/** A list of objects, and how the API adds to it and updates one. */
export interface EditedList {
  readonly objects: readonly JsonObject[];
  readonly path: string;
  readonly adding: (body: JsonObject) => Write;
  readonly update: "PUT" | "PATCH";
  /** The body that gives an object these fields. */
  readonly updated: (object: JsonObject, set: JsonObject) => JsonObject;
}

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject | null;
}

/** Calls the API as another client. */
export type Ask = (method: string, path: string, body: JsonObject | null) => Enveloped;

/** A list that is read with GET, added to with POST, and updated with PUT of some fields. */
export function editingList(below: string, isTheirs: (object: JsonObject) => boolean = () => true): Editing {
  return {
    as: "list",
    fields: {},
    open(zone, _, ask) {
      const path = zone + below;
      return {
        objects: objectsIn(ask("GET", path, null).body?.result).filter(isTheirs),
        path,
        adding: (body) => ({ method: "POST", path, body }),
        update: "PUT",
        updated: (_, set) => set,
      };
    },
  };
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
