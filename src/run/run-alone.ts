import { oneAtATime } from "../apply/lock.js";
import { ok, type Result } from "../model/problem.js";
import type { ApplyReport } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { type ApplyWatch, runApply } from "./apply.js";
import type { Planned } from "./plan.js";

/** Carries out what was planned, unless another run is at that in the same folder. Without a call, nobody is in the way. */
export async function runAlone(
  planned: Planned,
  saved: PlanDocument | null,
  cwd: string,
  watch: ApplyWatch,
): Promise<Result<ApplyReport>> {
  const run = () => runApply(planned, saved, cwd, watch);
  return planned.document.calls.length === 0 ? ok(await run()) : oneAtATime(cwd, run);
}
