import { isObject, type Json } from "../model/json.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import {
  type Check,
  checkBoolean,
  checkId,
  checkIdsDiffer,
  checkObject,
  checkOneOf,
  child,
  seedProblem,
} from "./checks.js";
import { planNames, zoneStatuses } from "./plans.js";
import { accountResources, type Seed, zoneResources } from "./resources/index.js";
import type { Resource } from "./resources/resource.js";
import { zoneIdOf } from "./store.js";

/** Checks a seed from a file. Each problem's detail starts with the JSON pointer of its place. */
export function checkSeed(value: Json): Result<Seed> {
  const problems = checkTop(value, "");
  if (problems.length > 0) return failed(...problems);
  if (isSeed(value)) return ok(value);
  return failed(seedProblem("", 'the field "zones" is missing.'));
}

const checkZone = checkObject(
  new Map([
    ["id", checkId],
    ["account_id", checkId],
    ["plan", checkOneOf(planNames)],
    ["status", checkOneOf(zoneStatuses)],
    ["paused", checkBoolean],
    ...sectionsOf(zoneResources),
  ]),
);

const checkZones: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "must be an object of zones by name.")];
  const places = Object.entries(value).map(([name, zone]) => [name, zone, child(pointer, name)] as const);
  return [
    ...places.flatMap(([name, zone, at]) => [...checkName(name, at), ...checkZone(zone, at)]),
    ...checkIdsDiffer(places.map(([name, zone, at]) => [(isObject(zone) && zone.id) || zoneIdOf(name), at])),
  ];
};

const checkTop = checkObject(
  new Map([["account_id", checkId], ...sectionsOf(accountResources), ["zones", checkZones]]),
);

function sectionsOf<Sections>(resources: readonly Resource<Sections>[]): readonly [string, Check][] {
  return resources.flatMap(({ holding }) => Object.entries(holding.sections));
}

/** The pattern of zone names in the published OpenAPI document. */
function checkName(name: string, pointer: string): readonly Problem[] {
  return name.length <= 253 && /^([a-zA-Z0-9][-a-zA-Z0-9]*\.)+[-a-zA-Z0-9]{2,20}$/.test(name)
    ? []
    : [seedProblem(pointer, "must be an ASCII domain name.")];
}

/** Only called after the checks above, which look at every member. */
function isSeed(value: Json): value is Json & Seed {
  return isObject(value) && isObject(value.zones);
}
