import { type Change, notPlannedName, type ZonePlan } from "../model/plan.js";
import { type Problem, problem, warning } from "../model/problem.js";
import type { CallOutcome } from "../model/report.js";
import { hasCall } from "../plan/digest.js";
import { brief, nameOf } from "../plan/value-words.js";
import { type ApplyPorts, lookAgain } from "./ports.js";

/** The changes that remain after the last call: the service did not store them, or somebody else changed the zone. */
export async function convergenceProblems(
  plan: ZonePlan,
  notIncluded: ReadonlySet<string>,
  ports: ApplyPorts,
): Promise<readonly Problem[]> {
  const leftIn = (seen: ZonePlan) => changesLeft(seen).filter(({ ref }) => !notIncluded.has(ref.kind));
  const fresh = await lookAgain(
    () => ports.replan(),
    (seen) => !seen.ok || leftIn(seen.value).length + lostIn(seen.value, plan).length === 0,
    ports,
  );
  if (!fresh.ok) return fresh.problems;
  const lost = lostIn(fresh.value, plan);
  if (lost.length > 0) return lost;
  return leftIn(fresh.value).map((change) => notStored(change, plan.zone));
}

/** The problems of what could be planned before and cannot be planned now. */
function lostIn({ notPlanned }: ZonePlan, plan: ZonePlan): readonly Problem[] {
  const knownNames = new Set(plan.notPlanned.map(notPlannedName));
  return notPlanned.flatMap((each) => (knownNames.has(notPlannedName(each)) ? [] : each.problems));
}

/** Without objects of unlisted kinds, which look as if they were still to be created. */
function changesLeft({ changes, live: { unlisted } }: ZonePlan): readonly Change[] {
  return changes
    .filter(hasCall)
    .filter(({ ref, action }) => !(action === "create" && unlisted.includes(ref.kind)));
}

function notStored({ ref, fields, at }: Change, zone: string): Problem {
  const differences = fields.map(({ path, before, after }) =>
    after === null ? `${path} is ${brief(before)}` : `${path} is ${brief(before)}, not ${brief(after)}`,
  );
  const detail = `After the last call, ${nameOf(ref)} of ${zone} differs from the files: ${differences.join("; ")}. The change was accepted, not stored: the zone's Cloudflare plan may not have it, or somebody changed the object meanwhile. Plan again.`;
  return problem("not_converged", "Zone differs after the apply", detail, at);
}

/** Warnings for accepted objects of kinds that the service cannot list. */
export function notReadBack(
  { zone, steps, changes, live: { unlisted } }: ZonePlan,
  outcomes: readonly CallOutcome[],
): readonly Problem[] {
  const acceptedSteps = steps.filter((_, index) => outcomes[index]?.status === "done");
  const acceptedChanges = new Set(acceptedSteps.flatMap((step) => step.changes));
  return changes
    .filter(({ ref }, index) => acceptedChanges.has(index) && unlisted.includes(ref.kind))
    .map(({ ref, at }) => {
      const detail = `The service accepted ${nameOf(ref)} of ${zone} and does not list such objects, so it could not be read back. Remove it from the file, or the next plan shows it as new again.`;
      return warning("not_read_back", "Result not read back", detail, at);
    });
}
