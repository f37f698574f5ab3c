import { jsonText } from "../model/json-text.js";
import { hasErrors, type Problem } from "../model/problem.js";
import { foldProblems } from "../render/fold.js";
import { palette } from "../render/palette.js";
import { problemRecord, problemsText } from "../render/problems.js";
import { count } from "../render/safe-text.js";
import { EXIT } from "../run/exit-codes.js";
import { readChecked } from "../run/files.js";
import type { TestedZone } from "../run/zone-tests.js";
import type { Arguments, Run, Terminal } from "./command.js";
import { filesInput } from "./inputs.js";
import { problemsIn } from "./show.js";

export const run: Run = async (args, terminal) => {
  const read = await readChecked(filesInput(args, terminal));
  const { desired, tested } = read;
  const problems = [...read.problems, ...tested.flatMap((each) => each.problems)];
  const isValid = desired !== null && !hasErrors(problems);
  const format = args.text("format");
  const page =
    format === "json"
      ? jsonText({ ok: isValid, files: read.reached, problems: problems.map(problemRecord) })
      : format === "junit"
        ? (await import("../render/junit.js")).testsJunit(tested, read.problems)
        : await problemsIn(format, problems, args);
  if (page !== null) terminal.out(page);
  else tell(problems, tested, desired?.zones.length ?? 0, isValid, args, terminal);
  return isValid ? EXIT.done : EXIT.error;
};

function tell(
  problems: readonly Problem[],
  tested: readonly TestedZone[],
  zones: number,
  isValid: boolean,
  args: Arguments,
  terminal: Terminal,
): void {
  const folded = foldProblems(problems);
  if (folded.length > 0) terminal.err(problemsText(folded, palette(terminal.colors.err)));
  const tests = tested.reduce((sum, each) => sum + each.tests.length, 0);
  if (!isValid) {
    const errors = folded.filter((each) => each.severity === "error").length;
    terminal.err(`\n${count(errors, "error")}.\n`);
  } else if (!args.on("quiet"))
    terminal.out(`Valid: ${count(zones, "zone")}${tests === 0 ? "" : `, ${count(tests, "test")}`}.\n`);
}
