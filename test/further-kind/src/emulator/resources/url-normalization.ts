import type { JsonObject } from "../../model/json.js";
import { type Answer, result } from "../answer.js";
import { checkAnyObject } from "../checks.js";
import { type Call, type Holding, inZone, type Resource, setState, stateOf, type Zone } from "./resource.js";

interface Sections {
  readonly url_normalization?: JsonObject;
}

const PATH = "/url_normalization";
const UNSET = { type: "cloudflare", scope: "incoming" };

const holding: Holding<Sections, JsonObject> = {
  sections: { url_normalization: checkAnyObject },
  fromSeed: ({ url_normalization = {} }) => url_normalization,
  toSeed: (set) => (Object.keys(set).length === 0 ? {} : { url_normalization: set }),
};

export const urlNormalization: Resource<Sections> = {
  holding,
  routes: [inZone("GET", PATH, read), inZone("PUT", PATH, write)],
  permissions: { read: "Zone Settings Read", write: "Zone Settings Write" },
  edits: {},
};

function read(zone: Zone): Answer {
  return result({ ...UNSET, ...stateOf(holding, zone) });
}

function write(zone: Zone, { body }: Call): Answer {
  setState(holding, zone, { ...stateOf(holding, zone), ...body });
  return read(zone);
}
