import { isUnsent } from "../api/problems.js";
import { type Problem, remarked } from "../model/problem.js";
import { doctorJson, doctorText } from "../render/doctor-text.js";
import { isNamedIn } from "../render/fold.js";
import { examine, isWell } from "../run/doctor.js";
import { EXIT } from "../run/exit-codes.js";
import type { Run } from "./command.js";
import { planInput } from "./inputs.js";
import { withService } from "./service.js";
import { showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  return withService(args, terminal, async (client, progress) => {
    const examined = await examine(planInput(args, terminal), args.texts("zone"), client, progress);
    if (!examined.ok) return examined;
    const { zones, problems } = examined.value;
    if (args.text("format") === "json") terminal.out(doctorJson(examined.value));
    else {
      terminal.out(doctorText(examined.value));
      const ofZones = zones.flatMap((zone) =>
        [...zone.problems, ...zone.sections.flatMap((each) => each.problems)].map((each) =>
          isUnsent(each) || isNamedIn(each.detail, zone.zone)
            ? each
            : remarked(each, { before: `${zone.zone}: ` }),
        ),
      );
      showProblems(
        withoutRepeats([...problems, ...ofZones]),
        terminal,
        zones.map(({ zone }) => zone),
      );
    }
    return isWell(examined.value) ? EXIT.done : EXIT.error;
  });
};

/** A read that several sections share fails for all of them: keep its problem once. */
function withoutRepeats(problems: readonly Problem[]): readonly Problem[] {
  const texts = problems.map(({ code, detail }) => JSON.stringify([code, detail]));
  return problems.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}
