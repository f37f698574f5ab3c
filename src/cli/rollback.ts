import { journalFrom } from "../run/journals.js";
import { runRollback } from "../run/rollback.js";
import { type ApplyMode, carryOut } from "./apply.js";
import type { Run } from "./command.js";
import { connect, maxAgeMinutes, planInput } from "./options.js";
import { refuse } from "./show.js";
import { progressOn } from "./terminal.js";

export const run: Run = async (args, terminal) => {
  const [file = ""] = args.operands;
  const maxAge = maxAgeMinutes(args);
  if (!maxAge.ok) return refuse(maxAge.problems, args, terminal);
  const journal = await journalFrom(file, terminal.cwd, maxAge.value);
  if (!journal.ok) return refuse(journal.problems, args, terminal);
  const client = connect(args, terminal);
  if (!client.ok) return refuse(client.problems, args, terminal);
  try {
    const progress = progressOn(terminal, args.on("quiet"));
    const planned = await runRollback(journal.value, planInput(args, terminal), client.value, progress);
    if (!planned.ok) return refuse(planned.problems, args, terminal);
    return await carryOut(planned, errandFor(file), { saved: null, args, terminal, progress });
  } finally {
    await client.value.close();
  }
};

function errandFor(file: string): ApplyMode {
  return {
    refusing: false,
    heading: "Rollback",
    outcome: "as before",
    yes: "Say --yes.",
    again: `Run zoneward rollback ${file} again: it plans from what is live, and makes only the calls that are left.`,
  };
}
