import { isObject, type Json } from "../model/json.js";
import { failed, ok, type Result } from "../model/problem.js";
import { fieldError } from "./answer.js";
import {
  type Check,
  type Checks,
  checkBoolean,
  checkId,
  checkIdsDiffer,
  checkObject,
  checkOneOf,
  child,
  isText,
  must,
  seedProblem,
} from "./checks.js";
import { planNames, zoneStatuses } from "./plans.js";
import { accountResources, type Seed, zoneResources } from "./resources/index.js";
import type { Resource } from "./resources/resource.js";
import { zoneIdOf } from "./store.js";

/** Checks a seed from a file. Each problem's detail starts with the JSON pointer of its place. */
export function checkSeed(value: Json): Result<Seed> {
  const errors = checkTop(value, "");
  if (errors.length > 0) return failed(...errors.map(seedProblem));
  if (isSeed(value)) return ok(value);
  return failed(seedProblem(fieldError("", 'the field "zones" is missing.')));
}

const checkZone = checkObject({
  id: checkId,
  account_id: checkId,
  plan: checkOneOf(planNames),
  status: checkOneOf(zoneStatuses),
  paused: checkBoolean,
  ...sectionsOf(zoneResources),
});

const checkZones: Check = (value, pointer) => {
  if (!isObject(value)) return [fieldError(pointer, "must be an object of zones by name.")];
  const places = Object.entries(value).map(([name, zone]) => [name, zone, child(pointer, name)] as const);
  return [
    ...places.flatMap(([name, zone, at]) => [...checkName(name, at), ...checkZone(zone, at)]),
    ...checkIdsDiffer(places.map(([name, zone, at]) => [(isObject(zone) && zone.id) || zoneIdOf(name), at])),
  ];
};

const checkTop = checkObject({
  account_id: checkId,
  ...sectionsOf(accountResources),
  zones: checkZones,
});

function sectionsOf<Sections>(resources: readonly Resource<Sections>[]): Checks {
  return Object.assign({}, ...resources.map(({ holding }) => holding.sections));
}

/** The pattern of zone names in the published OpenAPI document. */
const checkName = must(
  "must be an ASCII domain name.",
  (name) =>
    isText(name) && name.length <= 253 && /^([a-zA-Z0-9][-a-zA-Z0-9]*\.)+[-a-zA-Z0-9]{2,20}$/.test(name),
);

/** Only called after the checks above, which look at every member. */
function isSeed(value: Json): value is Json & Seed {
  return isObject(value) && isObject(value.zones);
}
