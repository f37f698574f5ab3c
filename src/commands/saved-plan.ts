import path from "node:path";
import { readNamed, whyNotRead } from "../disk/place.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { readPlan } from "../plan/read.js";
import { notOver, youngEnough } from "./max-age.js";

/**
 * The plan that the command line names; null where it names none.
 *
 * @param maxAgeMinutes since the file was written; null: any age
 */
export async function savedPlan(
  file: string | undefined,
  cwd: string,
  maxAgeMinutes: number | null,
): Promise<Result<PlanDocument | null>> {
  if (file === undefined) return ok(null);
  const read = await readNamed(path.resolve(cwd, file), MAX_PLAN_BYTES);
  if (read.as !== "file")
    return failed(problem("bad_plan", "The plan file cannot be read", `${file}: ${whyNotRead(read)}.`));
  const plan = readPlan(file, read.bytes.toString("utf8"));
  if (!plan.ok) return plan;
  const inTime = [notOver(file, plan.value.expires_at), youngEnough(read.writtenMs, file, maxAgeMinutes)];
  return inTime.find((each) => !each.ok) ?? plan;
}

/** Far more than the plan of the largest fleet. */
const MAX_PLAN_BYTES = 256 * 1024 * 1024;
