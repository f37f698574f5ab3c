import { isObject, type Json } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "./generated/plan-document.js";
import { validate } from "./generated/plan-document.validate.js";
import { FORMAT_VERSION } from "./schema.js";
import { partsOf, runDigest, zoneDigest } from "./zone-part.js";

/** A plan document from its text. Whether it still holds is another question. */
export function readPlan(file: string, text: string): Result<PlanDocument> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    const advice = /\.ya?ml$/i.test(file)
      ? `To plan and apply a desired-state file, say zoneward apply -c ${file}.`
      : "A plan file is what zoneward plan -o writes.";
    return failed(problem("bad_plan", "Not a plan file", `${file} is not JSON. ${advice}`));
  }
  const version = isObject(value) ? value.format_version : undefined;
  if (version !== FORMAT_VERSION) {
    const found =
      version === undefined ? "names no format_version" : `has format_version ${JSON.stringify(version)}`;
    return failed(
      problem(
        "bad_plan",
        "Not a plan file of this version",
        `${file} ${found}; this zoneward reads ${JSON.stringify(FORMAT_VERSION)}. Plan again.`,
      ),
    );
  }
  if (validate(value)) {
    const document = value as unknown as PlanDocument; // the type comes from the schema that was checked
    return isUnedited(document) ? ok(document) : failed(edited(file));
  }
  const [first] = validate.errors ?? [];
  const where = first === undefined ? "" : ` ${first.instancePath || "/"} ${first.message ?? "is wrong"}.`;
  return failed(
    problem("bad_plan", "Not a plan file", `${file} is not of the shape of a plan.${where} Plan again.`),
  );
}

/**
 * Whether what the plan would do fits the digests that it carries. Somebody who makes them fit gets no further: a
 * plan is never a source of calls, and a fresh one would differ.
 */
function isUnedited(document: PlanDocument): boolean {
  const parts = [...partsOf(document).values()].filter((part) => part.digest !== null);
  const zones = new Set(parts.map((part) => part.zone));
  return (
    document.calls.every((call) => zones.has(call.zone)) &&
    parts.every((part) => part.digest === zoneDigest(part)) &&
    document.digest === runDigest(parts.map((part) => String(part.digest)))
  );
}

function edited(file: string): Problem {
  const detail = `What ${file} would do does not fit the digests in it, so it was changed after it was written. Nothing is written. Plan again.`;
  return problem("plan_edited", "The plan file was edited", detail);
}
