import { failed, ok, problem, type Result } from "../model/problem.js";
import { isObject, type Json } from "../model/json.js";
import type { PlanDocument } from "./generated/plan-document.js";
import { validate } from "./generated/plan-document.validate.js";
import { FORMAT_VERSION } from "./schema.js";

/** A plan document from its text. Whether it still holds is another question. */
export function readPlan(file: string, text: string): Result<PlanDocument> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return failed(problem("bad_plan", "Not a plan file", `${file} is not JSON. Write one with zoneward plan -o ${file}.`));
  }
  const version = isObject(value) ? value.format_version : undefined;
  if (version !== FORMAT_VERSION) {
    const found = version === undefined ? "names no format_version" : `has format_version ${JSON.stringify(version)}`;
    return failed(problem("bad_plan", "Not a plan file of this version", `${file} ${found}; this zoneward reads ${JSON.stringify(FORMAT_VERSION)}. Plan again.`));
  }
  if (validate(value)) return ok(value as unknown as PlanDocument); // the schema that was checked is what the type comes from
  const [first] = validate.errors ?? [];
  const where = first === undefined ? "" : ` ${first.instancePath || "/"} ${first.message ?? "is wrong"}.`;
  return failed(problem("bad_plan", "Not a plan file", `${file} is not of the shape of a plan.${where} Plan again.`));
}
