import { isObject, type Json } from "../model/json.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import { type Check, checkId, checkIdsDiffer, checkObject, child, seedProblem } from "./checks.js";
import { idOf } from "./ids.js";
import { checkDetections, type DetectionSeed } from "./resources/detections.js";
import { checkLogpushChallenged, checkLogpushJobs, type LogpushSeed } from "./resources/logpush/state.js";
import { checkPolicies, type PolicySeed } from "./resources/policies.js";
import { checkRulesets } from "./resources/rulesets/checks.js";
import type { RulesetSeed } from "./resources/rulesets/state.js";
import { checkSettings, type SettingsSeed } from "./resources/settings.js";

/** What the emulator starts with, and the form in which its state is shown and kept. */
export interface Seed {
  /** The account of the zones that name none. Absent identifiers, here and below, are made of names and positions. */
  readonly account_id?: string;
  /** The rulesets of every account; when absent, the managed ones that the service gives to all. */
  readonly account_rulesets?: readonly RulesetSeed[];
  readonly zones: { readonly [name: string]: ZoneSeed };
}

/** A zone as the API has it; what is absent is as in a new zone. */
export interface ZoneSeed extends LogpushSeed {
  readonly id?: string;
  readonly account_id?: string;
  readonly settings?: SettingsSeed;
  readonly policies?: readonly PolicySeed[];
  readonly rulesets?: readonly RulesetSeed[];
  readonly scripts?: readonly DetectionSeed[];
  readonly connections?: readonly DetectionSeed[];
}

/** A seed as somebody wrote it, checked; every problem's detail begins with the JSON pointer of its place. */
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
    ["settings", checkSettings],
    ["policies", checkPolicies],
    ["logpush_jobs", checkLogpushJobs],
    ["logpush_challenged", checkLogpushChallenged],
    ["rulesets", checkRulesets("zone")],
    ["scripts", checkDetections],
    ["connections", checkDetections],
  ]),
);

const checkZones: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "an object is expected here, zones by their names.")];
  const places = Object.entries(value).map(([name, zone]) => [name, zone, child(pointer, name)] as const);
  return [
    ...places.flatMap(([name, zone, at]) => [...checkName(name, at), ...checkZone(zone, at)]),
    ...checkIdsDiffer(places.map(([name, zone, at]) => [(isObject(zone) && zone.id) || zoneIdOf(name), at])),
  ];
};

const checkTop = checkObject(
  new Map([
    ["account_id", checkId],
    ["account_rulesets", checkRulesets("account")],
    ["zones", checkZones],
  ]),
);

/** The pattern is that of zone names in the published OpenAPI document. */
function checkName(name: string, pointer: string): readonly Problem[] {
  return name.length <= 253 && /^([a-zA-Z0-9][-a-zA-Z0-9]*\.)+[-a-zA-Z0-9]{2,20}$/.test(name)
    ? []
    : [seedProblem(pointer, "a zone's name is a domain name, in ASCII.")];
}

/** The identifier of a zone whose seed gives none. */
export function zoneIdOf(name: string): string {
  return idOf("zone", name);
}

/** Only called for what has passed the checks above, which look at every member. */
function isSeed(value: Json): value is Json & Seed {
  return isObject(value) && isObject(value.zones);
}
