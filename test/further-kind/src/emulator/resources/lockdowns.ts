import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { type Check, child, seedProblem } from "../checks.js";
import { idOf } from "../ids.js";
import {
  type Call,
  type Holding,
  inZone,
  type Resource,
  stateOf,
  type World,
  type Zone,
} from "./resource.js";

/** Lockdowns in a seed have the form of requests and answers. */
interface Sections {
  readonly lockdowns?: readonly JsonObject[];
}

interface Lockdowns {
  readonly byId: Map<string, JsonObject>;
  /** The number of identifiers made for the zone. */
  made: number;
}

const PATH = "/firewall/lockdowns";

const check: Check = (value, pointer) =>
  isList(value)
    ? value.flatMap((each, index) =>
        isObject(each) && errorsIn(each).length === 0
          ? []
          : [seedProblem(child(pointer, index), "must be a lockdown with urls and configurations.")],
      )
    : [seedProblem(pointer, "must be a list of lockdowns.")];

const holding: Holding<Sections, Lockdowns> = {
  sections: { lockdowns: check },
  fromSeed({ lockdowns = [] }, zone) {
    const state: Lockdowns = { byId: new Map(), made: 0 };
    for (const seed of lockdowns)
      put(state, typeof seed.id === "string" ? seed.id : newId(state, zone.id), seed);
    return state;
  },
  toSeed: ({ byId }) => (byId.size === 0 ? {} : { lockdowns: [...byId.values()] }),
  values: ({ byId }) => [...byId.values()],
};

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
  const state = stateOf(holding, zone);
  return result(put(state, newId(state, zone.id), body));
}

function update(id: string, zone: Zone, { body }: Call): Answer {
  const errors = errorsIn(body);
  return errors.length > 0 ? failure(400, ...errors) : result(put(stateOf(holding, zone), id, body));
}

function remove(id: string, zone: Zone): Answer {
  stateOf(holding, zone).byId.delete(id);
  return result({ id });
}

function onOne(answer: (id: string, zone: Zone, call: Call, world: World) => Answer) {
  return (zone: Zone, call: Call, world: World): Answer => {
    const id = call.parameters.get("lockdown_id") ?? "";
    const isThere = stateOf(holding, zone).byId.has(id);
    return isThere ? answer(id, zone, call, world) : failure(404, apiError("lockdown not found"));
  };
}

function put({ byId }: Lockdowns, id: string, body: JsonObject): JsonObject {
  const { description = "", paused = false, ...rest } = body;
  const lockdown = { ...rest, id, paused, description };
  byId.set(id, lockdown);
  return lockdown;
}

function newId(state: Lockdowns, zoneId: string): string {
  state.made += 1;
  return idOf("lockdown", zoneId, state.made);
}

function errorsIn({ urls, configurations }: JsonObject): readonly JsonObject[] {
  const isFilled = (value: Json | undefined) => isList(value ?? null) && JSON.stringify(value) !== "[]";
  return [
    ...(isFilled(urls) ? [] : [apiError("urls is required")]),
    ...(isFilled(configurations) ? [] : [apiError("configurations is required")]),
  ];
}
