import type { Change, ZonePlan } from "../model/plan.js";
import { type Problem, problem } from "../model/problem.js";
import { nameOf } from "../plan/compare.js";
import { brief } from "../plan/wording.js";
import { type Hands, lookAgain } from "./hands.js";

/** What the zone still needs after its last call: the service took it and did not keep it, or somebody else moved it. */
export async function unconverged(plan: ZonePlan, hands: Hands): Promise<readonly Problem[]> {
  const fresh = await lookAgain(
    () => hands.replan(),
    (seen) => !seen.ok || leftIn(seen.value).length === 0,
    hands,
  );
  if (!fresh.ok) return fresh.problems;
  return leftIn(fresh.value).map((change) => notStored(change, plan.zone));
}

/** What the service does not list cannot be read back, and looks as if it was still to be created. */
function leftIn({ changes, unlisted }: ZonePlan): readonly Change[] {
  return changes.filter(({ ref, action }) => !(action === "create" && unlisted.includes(ref.kind)));
}

function notStored({ ref, fields, at }: Change, zone: string): Problem {
  const differences = fields.map(({ path, before, after }) =>
    after === null ? `${path} is ${brief(before)}` : `${path} is ${brief(before)}, not ${brief(after)}`,
  );
  const detail = `After the last call, ${nameOf(ref)} of ${zone} is not as declared: ${differences.join("; ")}. The service accepted the calls and did not store this, or somebody else changed it.`;
  return { ...problem("not_converged", "The zone is not as declared after the apply", detail), at };
}
