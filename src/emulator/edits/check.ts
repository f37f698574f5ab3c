import { isObject, type JsonObject } from "../../model/json.js";
import type { Problem } from "../../model/problem.js";
import { phases } from "../parts/rulesets/phases.js";
import { type Check, checkObject, checkOneOf, checkText, child, seedProblem } from "../seed-problem.js";

/** Checks an edit as somebody wrote it. What is set and added is looked at by the API, when the edit is made. */
export const checkEdit: Check = (value, pointer) => {
  if (!isObject(value)) return checkFields(value, pointer);
  return [...checkFields(value, pointer), ...checkRequired(value, pointer), ...checkDeed(value, pointer)];
};

const checkAnyObject: Check = (value, pointer) =>
  isObject(value) ? [] : [seedProblem(pointer, "an object is expected here.")];

const checkTrue: Check = (value, pointer) =>
  value === true ? [] : [seedProblem(pointer, "only true can stand here.")];

const checkFields = checkObject(
  new Map([
    ["edit", checkOneOf(["settings", "policy", "logpush_job", "ruleset", "rule"])],
    ["zone", checkText],
    ["phase", checkOneOf(phases)],
    ["where", checkAnyObject],
    ["add", checkAnyObject],
    ["set", checkAnyObject],
    ["remove", checkTrue],
  ]),
);

function checkRequired(edit: JsonObject, pointer: string): readonly Problem[] {
  const isRule = edit.edit === "rule";
  const missing = ["edit", "zone", ...(isRule ? ["phase"] : [])].filter((field) => edit[field] === undefined);
  return [
    ...missing.map((field) => seedProblem(pointer, `the field "${field}" is missing.`)),
    ...(isRule || edit.phase === undefined
      ? []
      : [seedProblem(child(pointer, "phase"), "only the edit of a rule has a phase.")]),
  ];
}

/** What is done: one thing, and to which objects it can be done. */
function checkDeed(edit: JsonObject, pointer: string): readonly Problem[] {
  const possible = edit.edit === "settings" ? ["set"] : ["add", "set", "remove"];
  const deeds = ["add", "set", "remove"].filter((field) => edit[field] !== undefined);
  const isOne = deeds.length === 1 && deeds.every((field) => possible.includes(field));
  const chooses = edit.edit !== "settings" && edit.add === undefined;
  return [
    ...(isOne ? [] : [seedProblem(pointer, `an edit has one of these: ${possible.join(", ")}.`)]),
    ...(chooses || edit.where === undefined
      ? []
      : [seedProblem(child(pointer, "where"), "there is nothing to choose from here.")]),
  ];
}
