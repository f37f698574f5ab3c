import { readFile } from "node:fs/promises";
import path from "node:path";
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
  const target = path.resolve(cwd, file);
  try {
    const plan = readPlan(file, await readFile(target, "utf8"));
    if (!plan.ok) return plan;
    const inTime = [notOver(file, plan.value.expires_at), await youngEnough(target, file, maxAgeMinutes)];
    return inTime.find((each) => !each.ok) ?? plan;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(problem("bad_plan", "The plan file cannot be read", `${file}: ${reason}.`));
  }
}
