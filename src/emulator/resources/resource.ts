import { isObject, type JsonObject } from "../../model/json.js";
import type { Permissions } from "../../model/permissions.js";
import { type Answer, apiError, type Enveloped, failure } from "../answer.js";
import type { AuditLog } from "../audit-log.js";
import type { Check } from "../checks.js";
import type { Dialect } from "../dialect.js";
import { isId } from "../ids.js";
import type { Plan, ZoneStatus } from "../plans.js";

/**
 * One kind of object of the API: all that the rest of the emulator knows about it.
 *
 * @typeParam Sections its sections of the seed
 */
export interface Resource<Sections> {
  readonly holding: Holding<Sections>;
  readonly routes: readonly Route[];
  /** What all of its routes need of a token. Absent: nothing, or they say themselves. */
  readonly permissions?: Permissions;
  /** How somebody else changes its objects, by the names that edits have for them. */
  readonly edits: { readonly [name: string]: Editing };
}

/** What a zone or an account has of one resource: how it starts, is kept, and is shown as a seed. */
export interface Holding<Sections, State = unknown> {
  /** Its sections of the seed, each with its check. */
  readonly sections: { readonly [section: string]: Check };
  readonly fromSeed: (seed: Sections, owner: Named, now: Date) => State;
  /** The emulator that starts with it goes on where this one is. */
  toSeed(state: State, dialect: Dialect): Sections;
  /**
   * All that a request can change, as it is now. Whatever changes is replaced and not written into, so two looks that
   * find the same values mean that nothing has changed between them.
   */
  values(state: State): readonly unknown[];
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A zone, or what all accounts have alike. */
export interface Owner extends Named {
  /** The state of each holding. */
  readonly states: ReadonlyMap<unknown, unknown>;
}

export interface Zone extends Owner {
  readonly accountId: string;
  /** null: it has what there is, within the limits of the emulator. */
  readonly plan: Plan | null;
  readonly status: ZoneStatus;
  /** Whether requests for it pass the service by. */
  readonly paused: boolean;
}

/** What an owner has of a resource. */
export function stateOf<Sections, State>(holding: Holding<Sections, State>, owner: Owner): State {
  return owner.states.get(holding) as State; // the store has put there what the holding's own fromSeed made
}

/** All that the emulated service knows. */
export interface Store {
  /** Of the zones that name none. Every account has the same objects: these. */
  readonly account: Owner;
  readonly accountIds: ReadonlySet<string>;
  /** In the order of the seed. */
  readonly zones: readonly Zone[];
  readonly byId: ReadonlyMap<string, Zone>;
  /** By the name in lower case. */
  readonly byName: ReadonlyMap<string, Zone>;
}

/** What every route can see. */
export interface World {
  readonly store: Store;
  readonly dialect: Dialect;
  /** Creating a policy in a zone of no plan with this many fails; null: no limit. */
  readonly policyLimit: number | null;
  /** Creating a log-push job in a zone of no plan with this many fails; null: no limit. */
  readonly logpushJobLimit: number | null;
  /** Whether creating is all that can be done with log-push jobs; null: the dialect says. */
  readonly logpushCreationOnly: boolean | null;
  /** Whether a job's `output_options` come back with the defaults of what they were sent without. */
  readonly logpushOutputFilled: boolean;
  /** Permission groups that the token lacks. */
  readonly without: ReadonlySet<string>;
  readonly now: () => Date;
  readonly audit: AuditLog;
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
  /** The only dialect that has it. Absent: both have it. */
  readonly onlyIn?: Dialect;
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
export function inAccount(
  method: Route["method"],
  path: string,
  answer: (account: Owner, call: Call, world: World) => Answer,
): Route {
  return {
    method,
    path: `/accounts/{account_id}${path}`,
    answer(call, world) {
      const known = world.store.accountIds.has(call.parameters.get("account_id") ?? "");
      return known ? answer(world.store.account, call, world) : noSuchOwner(call.path);
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

/** How an edit of one name is made: by calls of the API, as another client would. */
export type Editing =
  /** One object a zone; `path` is what follows the zone's own. It is updated with a PUT. */
  | { readonly as: "one"; readonly path: string }
  | {
      readonly as: "list";
      /** What an edit has to say besides its zone, each field with its check. */
      readonly fields: { readonly [field: string]: Check };
      /** @param zone the path of the zone */
      readonly open: (zone: string, edit: JsonObject, ask: Ask) => EditedList;
    };

/** A list of objects, and how the API adds to it and updates one of it. */
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

/** Calls the API as somebody else. */
export type Ask = (method: string, path: string, body: JsonObject | null) => Enveloped;

/** A list that is read with a GET, added to with a POST, and of which one is updated with a PUT of some fields. */
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
