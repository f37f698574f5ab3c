import type { Problem } from "../model/problem.js";
import { runPlan } from "../run/plan.js";
import { savedPlan, withSaved } from "../run/saved-plan.js";
import { carryOut, type Errand } from "./carry-out.js";
import type { Arguments, Run } from "./command.js";
import { connect, fileProblems, maxAgeMinutes, planInput } from "./options.js";
import { progressOn } from "./progress.js";
import { refuse } from "./show.js";

const APPLY: Errand = {
  refusing: true,
  heading: "Apply",
  outcome: "as declared",
  yes: "Say --yes, or apply a saved plan.",
  again: "Run zoneward apply again: it plans from what is live, and makes only the calls that are left.",
};

const APPLY_SAVED: Errand = {
  ...APPLY,
  again: "Apply the same plan again: it makes only the calls that are left, unless something else has moved.",
};

export const run: Run = async (args, terminal) => {
  const maxAge = maxAgeMinutes(args);
  if (!maxAge.ok) return refuse(maxAge.problems, args, terminal);
  const saved = await savedPlan(args.operands[0], terminal.cwd, maxAge.value);
  if (!saved.ok) return refuse(saved.problems, args, terminal);
  const client = connect(args, terminal);
  if (!client.ok)
    return refuse([...client.problems, ...(await fileProblems(args, terminal))], args, terminal);
  try {
    const progress = progressOn(terminal, args.on("quiet"));
    const planned = await runPlan(withSaved(planInput(args, terminal), saved.value), client.value, progress);
    if (!planned.ok) return refuse(unquoted(planned.problems, args), args, terminal);
    const errand = saved.value === null ? APPLY : APPLY_SAVED;
    return await carryOut(planned, errand, { saved: saved.value, args, terminal, progress });
  } finally {
    await client.value.close();
  }
};

/** Whoever wrote the plan's file has said which files to read, and is not to be shown what stands in them. */
function unquoted(problems: readonly Problem[], args: Arguments): readonly Problem[] {
  if (args.operands.length === 0 || args.texts("config").length > 0) return problems;
  return problems.map((each) => (each.at === null ? each : { ...each, at: { ...each.at, text: "" } }));
}
