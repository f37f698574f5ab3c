import { journalFrom } from "../run/journals.js";
import { runRollback } from "../run/rollback.js";
import { type ApplyMode, carryOut } from "./apply.js";
import type { Run } from "./command.js";
import { maxAgeMinutes, planInput, withService } from "./options.js";
import { progressOn, refuse } from "./show.js";

export const run: Run = async (args, terminal) => {
  const [file = ""] = args.operands;
  const maxAge = maxAgeMinutes(args);
  if (!maxAge.ok) return refuse(maxAge.problems, args, terminal);
  const journal = await journalFrom(file, terminal.cwd, maxAge.value);
  if (!journal.ok) return refuse(journal.problems, args, terminal);
  return withService(args, terminal, async (client) => {
    const progress = progressOn(terminal, args.on("quiet"));
    const planned = await runRollback(journal.value, planInput(args, terminal), client, progress);
    if (!planned.ok) return refuse(planned.problems, args, terminal);
    return await carryOut(planned, modeOf(file), { saved: null, args, terminal, progress });
  });
};

function modeOf(file: string): ApplyMode {
  return {
    refusing: false,
    about: "rollback",
    heading: "Rollback",
    outcome: "as before",
    doing: "Roll back",
    yes: "Say --yes.",
    again: `Run zoneward rollback ${file} again: it plans from what is live, and makes only the calls that are left.`,
  };
}
