import { isObject, type JsonObject } from "../../model/json.js";
import { type Answer, result } from "../answer.js";
import { seedProblem } from "../checks.js";
import { type Call, type Holding, inZone, type Resource, stateOf, type Zone } from "./resource.js";

interface Sections {
  readonly url_normalization?: JsonObject;
}

const PATH = "/url_normalization";
const UNSET = { type: "cloudflare", scope: "incoming" };

const holding: Holding<Sections, { set: JsonObject }> = {
  sections: {
    url_normalization: (value, pointer) => (isObject(value) ? [] : [seedProblem(pointer, "must be a map.")]),
  },
  fromSeed: ({ url_normalization: set = {} }) => ({ set }),
  toSeed: ({ set }) => (Object.keys(set).length === 0 ? {} : { url_normalization: set }),
  values: ({ set }) => [set],
};

export const urlNormalization: Resource<Sections> = {
  holding,
  routes: [inZone("GET", PATH, read), inZone("PUT", PATH, write)],
  permissions: { read: "Zone Settings Read", write: "Zone Settings Write" },
  edits: {},
};

function read(zone: Zone): Answer {
  return result({ ...UNSET, ...stateOf(holding, zone).set });
}

function write(zone: Zone, { body }: Call): Answer {
  const state = stateOf(holding, zone);
  state.set = { ...state.set, ...body };
  return read(zone);
}
