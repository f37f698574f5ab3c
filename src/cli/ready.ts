import { zonesJson } from "../render/problems.js";
import { readyText } from "../render/ready-text.js";
import { readiness } from "../run/readiness.js";
import type { Run } from "./command.js";
import { planInput, readNumber } from "./inputs.js";
import { withService } from "./service.js";
import { policy } from "./shared-flags.js";
import { showZones } from "./show.js";

/** Whether policies that only report could block. */
export const run: Run = async (args, terminal) => {
  const days = readNumber(args, "evidence-days");
  if (!days.ok) return days;
  return withService(args, terminal, async (client, progress) => {
    const input = {
      ...planInput(args, terminal),
      zones: [...args.operands, ...args.texts("zone")],
      named: args.texts(policy.name),
      leastDays: days.value,
    };
    const read = await readiness(input, client, progress);
    if (!read.ok) return read;
    return showZones(read.value, args, terminal, {
      json: () => zonesJson(read.value, (objects) => ({ objects }), { evidence_days: read.value.leastDays }),
      text: (colors) => readyText(read.value, colors),
    });
  });
};
