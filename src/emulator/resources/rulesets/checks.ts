import { isList, isObject, type Json } from "../../../model/json.js";
import {
  type Check,
  checkBoolean,
  checkId,
  checkIdsDiffer,
  checkOneOf,
  checkText,
  child,
  seedProblem,
} from "../../checks.js";
import { phases } from "./phases.js";
import { defaultKind, kindsOf, type Level } from "./state.js";

/** Checks the rulesets that a seed gives to a zone or to the accounts. */
export function checkRulesets(level: Level): Check {
  const checkRuleset = checkFields("phase", [...rulesetFields, ["kind", checkOneOf(kindsOf[level].all)]]);
  return (value, pointer) => {
    if (!isList(value)) return [seedProblem(pointer, "a list of rulesets is expected here.")];
    const places = value.map((ruleset, index) => [ruleset, child(pointer, index)] as const);
    return [
      ...places.flatMap(([ruleset, at]) => checkRuleset(ruleset, at)),
      ...checkIdsDiffer(places.flatMap(([ruleset, at]) => idsOf(ruleset, at))),
      ...checkEntryPointsDiffer(level, places),
    ];
  };
}

/** The identifiers of a ruleset and its rules. */
function idsOf(ruleset: Json, pointer: string): readonly (readonly [id: unknown, pointer: string])[] {
  if (!isObject(ruleset)) return [];
  const rules = isList(ruleset.rules) ? ruleset.rules : [];
  return [
    [ruleset.id, pointer],
    ...rules.map(
      (rule, index) => [isObject(rule) ? rule.id : undefined, `${pointer}/rules/${index}`] as const,
    ),
  ];
}

function checkEntryPointsDiffer(
  level: Level,
  places: readonly (readonly [ruleset: Json, pointer: string])[],
) {
  const { entryPoint } = kindsOf[level];
  const entryPoints = places.flatMap(([ruleset, at]) =>
    isObject(ruleset) && (ruleset.kind ?? defaultKind[level]) === entryPoint
      ? [[ruleset.phase, at] as const]
      : [],
  );
  return entryPoints
    .filter(([phase], index) => entryPoints.findIndex(([first]) => first === phase) < index)
    .map(([, at]) =>
      seedProblem(child(at, "phase"), "a ruleset that stands before is the entry point of this phase."),
    );
}

/** Checks an object that has one field at least; fields without a check are kept as they are. */
function checkFields(required: string, checks: readonly (readonly [field: string, check: Check])[]): Check {
  return (value, pointer) => {
    if (!isObject(value)) return [seedProblem(pointer, "an object is expected here.")];
    if (value[required] === undefined) return [seedProblem(pointer, `the field "${required}" is missing.`)];
    return checks.flatMap(([field, check]) => {
      const given = value[field];
      return given === undefined ? [] : check(given, child(pointer, field));
    });
  };
}

const checkVersion: Check = (value, pointer) =>
  typeof value === "string" && /^\d{1,15}$/.test(value)
    ? []
    : [seedProblem(pointer, "a version is a whole number, written as a text.")];

const checkParameters: Check = (value, pointer) =>
  isObject(value) ? [] : [seedProblem(pointer, "an object is expected here.")];

const checkRule = checkFields("action", [
  ["id", checkId],
  ["version", checkVersion],
  ["ref", checkText],
  ["last_updated", checkText],
  ["action", checkText],
  ["action_parameters", checkParameters],
  ["expression", checkText],
  ["description", checkText],
  ["enabled", checkBoolean],
]);

const checkRules: Check = (value, pointer) =>
  isList(value)
    ? value.flatMap((rule, index) => checkRule(rule, child(pointer, index)))
    : [seedProblem(pointer, "a list of rules is expected here.")];

const rulesetFields: readonly (readonly [field: string, check: Check])[] = [
  ["id", checkId],
  ["name", checkText],
  ["description", checkText],
  ["phase", checkOneOf(phases)],
  ["version", checkVersion],
  ["last_updated", checkText],
  ["rules", checkRules],
];
