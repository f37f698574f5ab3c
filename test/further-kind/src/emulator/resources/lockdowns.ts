import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { checkListOf, must } from "../checks.js";
import { type NewId, newIds, seeded } from "../ids.js";
import {
  type Call,
  type Holding,
  inZone,
  type Resource,
  setState,
  stateOf,
  type World,
  type Zone,
} from "./resource.js";

/** Lockdowns in a seed have the form of requests and answers. */
interface Sections {
  readonly lockdowns?: readonly JsonObject[];
}

interface Lockdowns {
  readonly byId: ReadonlyMap<string, JsonObject>;
  readonly newId: NewId;
}

const PATH = "/firewall/lockdowns";

const checkLockdown = must(
  "must be a lockdown with urls and configurations.",
  (value) => isObject(value) && errorsIn(value).length === 0,
);

const holding: Holding<Sections, Lockdowns> = {
  sections: { lockdowns: checkListOf(checkLockdown, "a list of lockdowns") },
  fromSeed({ lockdowns = [] }, zone) {
    const newId = newIds("lockdown", zone.id, String);
    return { byId: seeded(lockdowns as readonly Identified[], newId, lockdownOf), newId };
  },
  toSeed: ({ byId }) => (byId.size === 0 ? {} : { lockdowns: [...byId.values()] }),
};

type Identified = JsonObject & { readonly id: string };

export const lockdowns: Resource<Sections> = {
  holding,
  routes: [
    inZone("GET", PATH, list),
    inZone("POST", PATH, create),
    inZone("PUT", `${PATH}/{lockdown_id}`, onOne(update)),
    inZone("DELETE", `${PATH}/{lockdown_id}`, onOne(remove)),
  ],
  permissions: { read: "Firewall Services Read", write: "Firewall Services Write" },
  edits: {},
};

function list(zone: Zone, { query }: Call): Answer {
  const all = [...stateOf(holding, zone).byId.values()];
  const [page, perPage] = [Number(query.get("page") ?? "1"), Number(query.get("per_page") ?? "20")];
  const shown = all.slice((page - 1) * perPage, page * perPage);
  const total_pages = Math.ceil(all.length / perPage);
  return result(shown, {
    page,
    per_page: perPage,
    count: shown.length,
    total_count: all.length,
    total_pages,
  });
}

function create(zone: Zone, { body }: Call): Answer {
  const errors = errorsIn(body);
  if (errors.length > 0) return failure(400, ...errors);
  const { byId, newId } = stateOf(holding, zone);
  const id = newId((each) => byId.has(each));
  return put(zone, id, body);
}

function update(id: string, zone: Zone, { body }: Call): Answer {
  const errors = errorsIn(body);
  return errors.length > 0 ? failure(400, ...errors) : put(zone, id, body);
}

function remove(id: string, zone: Zone): Answer {
  const state = stateOf(holding, zone);
  setState(holding, zone, { ...state, byId: new Map([...state.byId].filter(([key]) => key !== id)) });
  return result({ id });
}

function onOne(answer: (id: string, zone: Zone, call: Call, world: World) => Answer) {
  return (zone: Zone, call: Call, world: World): Answer => {
    const id = call.parameters.get("lockdown_id") ?? "";
    const isThere = stateOf(holding, zone).byId.has(id);
    return isThere ? answer(id, zone, call, world) : failure(404, apiError("lockdown not found"));
  };
}

function put(zone: Zone, id: string, body: JsonObject): Answer {
  const state = stateOf(holding, zone);
  const lockdown = lockdownOf(body, id);
  setState(holding, zone, { ...state, byId: new Map(state.byId).set(id, lockdown) });
  return result(lockdown);
}

function lockdownOf({ description = "", paused = false, ...rest }: JsonObject, id: string): JsonObject {
  return { ...rest, id, paused, description };
}

function errorsIn({ urls, configurations }: JsonObject): readonly JsonObject[] {
  const isFilled = (value: Json | undefined) => isList(value ?? null) && JSON.stringify(value) !== "[]";
  return [
    ...(isFilled(urls) ? [] : [apiError("urls is required")]),
    ...(isFilled(configurations) ? [] : [apiError("configurations is required")]),
  ];
}
