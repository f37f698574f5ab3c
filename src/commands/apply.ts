import { readFile } from "node:fs/promises";
import path from "node:path";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { ApplyReport } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { readPlan } from "../plan/read.js";
import { palette } from "../render/palette.js";
import { count } from "../render/plain.js";
import { reportJson } from "../render/report-json.js";
import { reportText } from "../render/report-text.js";
import { EXIT, type Run, type Terminal } from "./command.js";
import { connect, fileProblems, planInput } from "./from-flags.js";
import { progressOn } from "./progress.js";
import { runApply, standingGuardrails } from "./run-apply.js";
import { type PlanInput, runPlan } from "./run-plan.js";
import { refuse, showPlan, showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  const json = args.text("format") === "json";
  const saved = await readSaved(args.operands[0], terminal.cwd);
  if (!saved.ok) return refuse(saved.problems, args, terminal);
  const client = connect(args, terminal);
  if (!client.ok)
    return refuse([...client.problems, ...(await fileProblems(args, terminal))], args, terminal);
  try {
    const progress = progressOn(terminal, args.on("quiet"));
    const planned = await runPlan(withSaved(planInput(args, terminal), saved.value), client.value, progress);
    if (!planned.ok) return refuse(planned.problems, args, terminal);
    const { document } = planned;
    // Nobody is asked about a plan that they were not shown.
    const isAsking = terminal.interactive && saved.value === null && !args.on("yes");
    if (!json && (isAsking || !args.on("quiet")))
      terminal.out(showPlan(document, terminal.colors.out, args.on("verbose")));
    showProblems(
      planned.problems.filter((each) => each.severity === "warning"),
      args,
      terminal,
    );

    if (standingGuardrails(document).length > 0)
      return refuse(standingProblems(document), args, terminal, EXIT.refused);
    const agreed = await agree(document, saved.value !== null || args.on("yes"), terminal);
    if (agreed !== null) return refuse([agreed.why], args, terminal, agreed.code);

    const stop = terminal.catchSignals();
    const report = await runApply(planned, saved.value, stop, progress);
    if (json) terminal.out(reportJson(report));
    else terminal.out(`${args.on("quiet") ? "" : "\n"}${reportText(report, palette(terminal.colors.out))}`);
    showProblems(afterwards(report, stop), args, terminal);
    return exitCode(report, stop);
  } finally {
    await client.value.close();
  }
};

async function readSaved(file: string | undefined, cwd: string): Promise<Result<PlanDocument | null>> {
  if (file === undefined) return ok(null);
  try {
    return readPlan(file, await readFile(path.resolve(cwd, file), "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(problem("bad_plan", "The plan file cannot be read", `${file}: ${reason}.`));
  }
}

/** A saved plan is held against the same files and zones as it was made from, unless the flags say otherwise. */
function withSaved(input: PlanInput, saved: PlanDocument | null): PlanInput {
  if (saved === null) return input;
  return {
    ...input,
    config: input.config.length > 0 ? input.config : saved.inputs.config,
    zones: input.zones.length > 0 ? input.zones : saved.inputs.zones,
  };
}

function standingProblems(document: PlanDocument) {
  return standingGuardrails(document).map(({ name, message }) =>
    problem(name, `The guardrail ${name} says no; nothing was written`, message),
  );
}

/** Null: a yes to the plan, given before, not needed because nothing would be sent, or now. Else why not. */
async function agree(
  document: PlanDocument,
  given: boolean,
  terminal: Terminal,
): Promise<{ readonly why: Problem; readonly code: number } | null> {
  const calls = document.calls.length;
  if (given || calls === 0) return null;
  if (!terminal.interactive) {
    const detail = `There is no terminal to ask on, so ${count(calls, "call")} would go out unseen. Say --yes, or apply a saved plan. Nothing was written.`;
    return { why: problem("no_yes", "Nobody can be asked", detail), code: EXIT.error };
  }
  const answer = await terminal.ask(`Make ${count(calls, "call")}? Type yes to go on: `);
  if (answer?.trim() === "yes") return null;
  if (answer === null)
    return { why: problem("interrupted", "Interrupted", "Nothing was written."), code: EXIT.interrupted };
  return {
    why: problem("no_yes", "Not applied", "The answer was not yes. Nothing was written."),
    code: EXIT.error,
  };
}

function afterwards(report: ApplyReport, stop: AbortSignal): readonly Problem[] {
  const problems = report.zones.flatMap((zone) => zone.problems);
  if (!isInterrupted(report, stop)) return problems;
  const left = count(report.summary.not_started, "call");
  return [
    ...problems,
    problem("interrupted", "Interrupted", `${left} were not started. Run apply again to finish.`),
  ];
}

function isInterrupted(report: ApplyReport, stop: AbortSignal): boolean {
  return stop.aborted && report.summary.not_started > 0;
}

function exitCode(report: ApplyReport, stop: AbortSignal): number {
  if (isInterrupted(report, stop)) return EXIT.interrupted;
  return report.converged ? EXIT.done : EXIT.error;
}
