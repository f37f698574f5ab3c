import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import { suggest } from "../../model/suggest.js";
import { checkEdit } from "../edits/index.js";
import { type Check, checkObject, checkOneOf, child, seedProblem } from "../seed-problem.js";
import { type Faults, methods } from "./faults.js";
import { type FaultName, faultNames, timed } from "./table.js";

/** Faults as somebody wrote them, checked; every problem's detail begins with the JSON pointer of its place. */
export function checkFaults(value: Json): Result<Faults> {
  const problems = checkTop(value, "").map(({ detail }) => faultsProblem(detail));
  if (problems.length > 0) return failed(...problems);
  return isFaults(value) ? ok(value) : failed(faultsProblem("an object is expected."));
}

export function faultsProblem(detail: string): Problem {
  return problem("invalid_faults", "The emulator's faults are not valid", detail);
}

const checkSeed: Check = (value, pointer) =>
  Number.isSafeInteger(value) ? [] : [seedProblem(pointer, "a whole number is expected here.")];

const checkNth: Check = (value, pointer) =>
  Number.isSafeInteger(value) && Number(value) >= 1
    ? []
    : [seedProblem(pointer, "requests are counted from 1, in whole numbers.")];

const checkChance: Check = (value, pointer) =>
  typeof value === "number" && value >= 0 && value <= 1
    ? []
    : [seedProblem(pointer, "a chance is a number from 0 to 1.")];

const checkPath: Check = (value, pointer) =>
  typeof value === "string" && /^[/*]/.test(value)
    ? []
    : [seedProblem(pointer, "a path begins with / or *; * stands for any characters.")];

const checkFault: Check = (value, pointer) => {
  if (isFaultName(value)) return [];
  const close = typeof value === "string" ? suggest(value, faultNames) : null;
  const advice = close === null ? "" : ` Did you mean ${close}?`;
  return [
    seedProblem(pointer, `this is not the name of a fault.${advice} There are ${faultNames.join(", ")}.`),
  ];
};

const MAX_SECONDS = 86_400;

const checkSeconds: Check = (value, pointer) =>
  typeof value === "number" && value >= 0 && value <= MAX_SECONDS
    ? []
    : [seedProblem(pointer, `a number from 0 to ${MAX_SECONDS} is expected here.`)];

const fields: readonly (readonly [field: string, check: Check])[] = [
  ["method", checkOneOf(methods)],
  ["path", checkPath],
  ["fault", checkFault],
  ["seconds", checkSeconds],
  ["before", checkEdit],
  ["after", checkEdit],
];

const checkScheduled = checkEntry(checkObject(new Map([["nth", checkNth], ...fields])));

const checkRated = checkEntry(checkObject(new Map([["chance", checkChance], ...fields])), "chance");

/** @param required a field that each entry has */
function checkEntry(checkFields: Check, required?: string): Check {
  return (value, pointer) => {
    if (!isObject(value)) return checkFields(value, pointer);
    const isMissing = required !== undefined && value[required] === undefined;
    return [
      ...checkFields(value, pointer),
      ...(isMissing ? [seedProblem(pointer, `the field "${required}" is missing.`)] : []),
      ...checkStrike(value, pointer),
    ];
  };
}

function checkStrike(entry: JsonObject, pointer: string): readonly Problem[] {
  const strikes = ["fault", "before", "after"].filter((field) => entry[field] !== undefined);
  const { fault, seconds } = entry;
  const isTimed = isFaultName(fault) && timed.has(fault);
  return [
    ...(strikes.length === 1
      ? []
      : [seedProblem(pointer, "an entry has one of these: fault, before, after.")]),
    ...(seconds === undefined || isTimed
      ? []
      : [
          seedProblem(child(pointer, "seconds"), `only these faults have seconds: ${[...timed].join(", ")}.`),
        ]),
  ];
}

function isFaultName(value: Json | undefined): value is FaultName {
  return faultNames.some((name) => name === value);
}

function checkListOf(checkEach: Check): Check {
  return (value, pointer) =>
    isList(value)
      ? value.flatMap((each, index) => checkEach(each, child(pointer, index)))
      : [seedProblem(pointer, "a list is expected here.")];
}

const checkTop = checkObject(
  new Map([
    ["seed", checkSeed],
    ["schedule", checkListOf(checkScheduled)],
    ["rates", checkListOf(checkRated)],
  ]),
);

/** Only called for what has passed the checks above, which look at every member. */
function isFaults(value: Json): value is Json & Faults {
  return isObject(value);
}
