import { failed, ok, problem, type Result } from "../model/problem.js";
import { zonesJson } from "../render/problems.js";
import { readyText } from "../render/ready-text.js";
import { readiness } from "../run/ready.js";
import type { Arguments, Run } from "./command.js";
import { readNumber } from "./complain.js";
import { policy } from "./flags.js";
import { planInput } from "./options.js";
import { withService } from "./service.js";
import { refuse, showZones } from "./show.js";

/** Whether policies that only report could block. */
export const run: Run = async (args, terminal) => {
  const days = evidenceDays(args);
  if (!days.ok) return refuse(days.problems, args, terminal);
  return withService(args, terminal, async (client, progress) => {
    const input = {
      ...planInput(args, terminal),
      zones: [...args.operands, ...args.texts("zone")],
      named: args.texts(policy.name),
      leastDays: days.value,
    };
    const read = await readiness(input, client, progress);
    if (!read.ok) return refuse(read.problems, args, terminal);
    return showZones(read.value, args, terminal, {
      json: () => zonesJson(read.value, (objects) => ({ objects }), { evidence_days: read.value.leastDays }),
      text: (colors) => readyText(read.value, colors),
    });
  });
};

/** Null: not given. */
function evidenceDays(args: Arguments): Result<number | null> {
  const days = readNumber(args, "evidence-days");
  if (!days.ok || days.value === null) return days;
  if (Number.isInteger(days.value) && days.value >= 0) return ok(days.value);
  const detail = `--evidence-days is ${days.value}. Pass a whole number of days, 0 or more.`;
  return failed(problem("bad_flag", "--evidence-days is out of range", detail));
}
