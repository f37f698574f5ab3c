import { hasErrors } from "../model/problem.js";
import { EXIT } from "../process.js";
import { foldProblems } from "../render/fold.js";
import { palette } from "../render/palette.js";
import { count } from "../render/plain.js";
import { problemsJson, problemsText } from "../render/problems.js";
import { readDesired } from "../run/files.js";
import type { Run } from "./command.js";

export const run: Run = async (args, terminal) => {
  const { cwd, environment, redactor } = terminal;
  const { desired, problems } = await readDesired(
    { config: args.texts("config"), cwd, environment, hide: (values) => redactor.add(values) },
    "check",
  );
  const valid = desired !== null && !hasErrors(problems);
  if (args.text("format") === "json") {
    terminal.out(problemsJson(problems, valid));
    return valid ? EXIT.done : EXIT.error;
  }
  if (args.text("format") === "sarif") {
    terminal.out((await import("../render/sarif.js")).problemsSarif(problems));
    return valid ? EXIT.done : EXIT.error;
  }
  const told = foldProblems(problems);
  terminal.err(problemsText(told, palette(terminal.colors.err)));
  if (valid) {
    if (!args.on("quiet")) terminal.out(`Valid: ${count(desired.zones.length, "zone")}.\n`);
    return EXIT.done;
  }
  const errors = told.filter((each) => each.severity === "error").length;
  terminal.err(`\n${count(errors, "error")}.\n`);
  return EXIT.error;
};
