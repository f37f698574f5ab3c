import type { Client } from "../api/client.js";
import { failed, ok, type Problem, problem, unquoted } from "../model/problem.js";
import type { ApplyReport, Progress } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { STAYING } from "../plan/undo/messages.js";
import { type ReportWords, reportJson, reportText } from "../render/apply-text.js";
import { bare, palette } from "../render/palette.js";
import { isInPlanText } from "../render/review-first.js";
import { count, plain } from "../render/safe-text.js";
import { donePhrase } from "../render/verdict.js";
import { WORDS } from "../render/words.js";
import {
  isInterrupted,
  liftedGuardrails,
  runAlone,
  secretsMissing,
  standingProblems,
  stoppedAtOnce,
} from "../run/apply.js";
import { fileProblems } from "../run/base.js";
import { EXIT } from "../run/exit-codes.js";
import { type Planned, runPlan } from "../run/plan.js";
import { planView, showPlan } from "../run/plan-formats.js";
import { savedPlan, withSaved } from "../run/saved-plan.js";
import type { Arguments, Ended, Refusal, Run, Terminal } from "./command.js";
import { approvedPlan, configOf, planInput, readNumber } from "./inputs.js";
import { withService } from "./service.js";
import { showProblems } from "./show.js";

const APPLY: ApplyMode = {
  about: "plan",
  heading: "Apply",
  outcome: "as declared",
  idle: "nothing to do",
  undo: "To roll back",
  doing: "Apply",
  yes: "Pass --yes, or apply a saved plan.",
  again: "Run zoneward apply again: it sends only the remaining calls.",
};

const APPLY_SAVED: ApplyMode = {
  ...APPLY,
  again:
    "Apply the same plan again: it sends only the remaining calls, unless the live state changed meanwhile.",
};

export const run: Run = async (args, terminal) => {
  const maxAge = readNumber(args, "max-age");
  if (!maxAge.ok) return maxAge;
  const approved = approvedPlan(args);
  if (!approved.ok) return approved;
  const [file] = args.operands;
  const saved =
    file === undefined ? ok(null) : await savedPlan(file, terminal.cwd, maxAge.value, approved.value);
  if (!saved.ok) return saved;
  if (saved.value !== null && args.on("changed") && saved.value.inputs.changed !== true)
    return failed(madeOfAll(file));
  // Without -c, a saved plan's own files are read.
  const config = saved.value === null ? configOf(args, terminal.environment) : args.texts("config");
  const input = { ...planInput(args, terminal), config };
  const work = async (client: Client, progress: Progress): Promise<Ended> => {
    const planned = await runPlan(withSaved(input, saved.value), client, progress);
    if (!planned.ok) return failed(...unquotedFor(args, planned.problems));
    const mode = saved.value === null ? APPLY : modeOf(saved.value, planned);
    return carryOut(planned, mode, { saved: saved.value, args, terminal, progress });
  };
  return withService(args, terminal, work, () => fileProblems(input));
};

function modeOf({ calls }: PlanDocument, { isMeant }: Planned): ApplyMode {
  return calls.some(({ zone }) => isMeant(zone)) ? { ...APPLY_SAVED, idle: "already applied" } : APPLY_SAVED;
}

function madeOfAll(file = ""): Problem {
  const detail = `${file} was planned without --changed. Leave --changed out, or plan with it.`;
  return problem("bad_flag", "--changed differs from the saved plan", detail);
}

/** A saved plan may name files that its reader must not see, so problems do not quote them. */
function unquotedFor(args: Arguments, problems: readonly Problem[]): readonly Problem[] {
  if (args.operands.length === 0 || args.texts("config").length > 0) return problems;
  return problems.map((each) => ({ ...each, at: unquoted(each.at) }));
}

/** How a plan is shown and applied: as an apply or as a rollback. */
export interface ApplyMode extends ReportWords {
  readonly about: "plan" | "rollback";
  /** The verb of the question. */
  readonly doing: string;
  /** How to confirm without a terminal. */
  readonly yes: string;
  /** How to continue after an interruption. */
  readonly again: string;
  /** A further step after something was sent. Absent: none. */
  readonly besides?: string;
}

interface Circumstances {
  /** An approved plan. */
  readonly saved: PlanDocument | null;
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly progress: Progress;
}

/** Shows the plan, asks, applies it, and reports. */
export async function carryOut(
  planned: Planned,
  mode: ApplyMode,
  { saved, args, terminal, progress }: Circumstances,
): Promise<Ended> {
  const json = args.text("format") === "json";
  const { document } = planned;
  // A plan must be shown before the question about it.
  const isAsking = terminal.interactive && saved === null && !args.on("yes");
  const isShown = !json && (isAsking || !args.on("quiet"));
  if (isShown)
    terminal.out(showPlan(document, terminal.colors.out, args.on("verbose"), mode.about, terminal.columns));
  const lifted = isShown ? [] : liftedGuardrails(document); // the text of a plan includes them
  // Errors come with the report, or before the question.
  const errors = planned.problems.filter((each) => each.severity === "error");
  const warnings = planned.problems.filter(
    ({ severity, code }) => (isAsking || severity !== "error") && !(isShown && isInPlanText(code)),
  );
  const zones = document.zones.map(({ zone }) => zone);
  showProblems([...warnings, ...lifted], terminal, zones);

  const standing = standingProblems(document);
  if (standing.length > 0) {
    const code = errors.length > 0 ? EXIT.error : EXIT.refused;
    return { ...failed(...errors, ...standing), code, zones };
  }
  const missing = secretsMissing(planned);
  if (missing.length > 0) return { ...failed(...errors, ...missing), zones };
  const refusal = await agree(document, saved !== null || args.on("yes"), mode, terminal);
  if (refusal !== null) {
    // When asking, errors were shown before the question.
    return { ...refusal, problems: [...(isAsking ? [] : errors), ...refusal.problems], zones };
  }

  const stop = stopOn(terminal, mode);
  const onJournal = (file: string) => terminal.err(`Journal: ${file}\n`);
  const ran = await runAlone(planned, saved, terminal.cwd, { stop, progress, onJournal });
  if (!ran.ok) return ran;
  const report = ran.value;
  if (json) terminal.out(reportJson(report));
  else {
    const view = planView(document, mode.about);
    const text = reportText(report, view, palette(terminal.colors.out), narrowed(mode, document));
    terminal.out(`${args.on("quiet") ? "" : "\n"}${text}`);
  }
  showProblems(finalProblems(report, mode, stop), terminal, zones);
  const { done, failed: broken, not_started } = report.summary;
  if (mode.besides !== undefined && done > 0) terminal.err(`${mode.besides}\n`);
  const canGoOn = report.zones.some((zone) => !zone.converged && helpsAgain(zone));
  if (broken + not_started > 0 && canGoOn && !isInterrupted(report, stop))
    terminal.err(`${howToGoOn(report, mode)}\n`);
  return exitCode(report, stop);
}

function howToGoOn({ zones }: ApplyReport, { again }: ApplyMode): string {
  const isPassing = zones.every(({ problems }) => problems.every(({ code }) => PASSING.has(code)));
  return isPassing ? again : `Fix the errors, then ${again.slice(0, 1).toLowerCase()}${again.slice(1)}`;
}

/** Codes of failures that a further run may not meet. */
const PASSING: ReadonlySet<string> = new Set(["timeout", "connection_lost", "server_error", "rate_limited"]);

/** With --only or kept changes, a zone may still differ from the plan's whole outcome. */
function narrowed(mode: ApplyMode, { inputs, diagnostics }: PlanDocument): ApplyMode {
  const only = inputs.only === undefined ? "" : ` (only ${inputs.only.join(", ")})`;
  const staying = mode.about === "rollback" && diagnostics.some(({ code }) => STAYING.has(code));
  return { ...mode, outcome: `${mode.outcome}${only}${staying ? ", except the changes listed above" : ""}` };
}

/** Whether running again helps. Some problems need a new plan or other files. */
function helpsAgain({ problems }: ApplyReport["zones"][number]): boolean {
  return !problems.some(({ code }) => code.startsWith("stale_") || code === "not_read_back");
}

/** Null: confirmed, or nothing would be sent. Otherwise, the refusal. */
async function agree(
  document: PlanDocument,
  isConfirmed: boolean,
  mode: ApplyMode,
  terminal: Terminal,
): Promise<Refusal | null> {
  const calls = document.calls.length;
  if (isConfirmed || calls === 0) return null;
  if (!terminal.interactive) {
    const detail = `${count(calls, "call")} would be sent, and there is no terminal to ask on. ${mode.yes} Nothing was written.`;
    return failed(problem("no_yes", "Confirmation needed", detail));
  }
  const answer = await terminal.ask(`${questionOf(document, mode)} Type yes to continue: `);
  if (answer?.trim() === "yes") return null;
  if (answer === null)
    return {
      ...failed(problem("interrupted", "Interrupted", "Nothing was written.")),
      code: EXIT.interrupted,
    };
  return failed(problem("no_yes", "Not confirmed", "The answer was not yes. Nothing was written."));
}

/** `Apply: create 1 and update 2 objects in shop.example.com, with 4 calls (1 weakens)?` */
function questionOf(document: PlanDocument, { doing, about }: ApplyMode): string {
  const { summary, changes, calls } = document;
  const { actions } = WORDS[about];
  const kinds = (["create", "update", "delete"] as const).filter((each) => summary[each] > 0);
  const parts = kinds.map((each) => `${actions[each].verb} ${summary[each]}`);
  const total = kinds.reduce((sum, each) => sum + summary[each], 0);
  const objects = `${listed(parts)} ${total === 1 ? "object" : "objects"}`;
  const zones = [...new Set(changes.flatMap(({ zone, taken_over }) => (taken_over === true ? [] : zone)))];
  const where = zones.length === 1 ? plain(zones[0] ?? "") : count(zones.length, "zone");
  const scope = kinds.length === 0 ? "" : `: ${objects} in ${where}`;
  const effects = bare(donePhrase(planView(document, about)));
  return `${doing}${scope}, with ${count(calls.length, "call")}${effects === "" ? "" : ` (${effects})`}?`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function stopOn(terminal: Terminal, { again }: ApplyMode): AbortSignal {
  const stop = terminal.signals.caught(() => terminal.err(`${stoppedAtOnce(again)}\n`));
  stop.addEventListener("abort", () => {
    terminal.err("Stopping when the calls in flight are done. A second signal stops at once.\n");
  });
  return stop;
}

function finalProblems(report: ApplyReport, { again }: ApplyMode, stop: AbortSignal): readonly Problem[] {
  const problems = report.zones.flatMap((zone) => zone.problems);
  if (!isInterrupted(report, stop)) return problems;
  const { done, not_started } = report.summary;
  const journalText = report.journal === null ? "" : ` The journal is ${report.journal}.`;
  const detail = `${count(done, "call")} done, ${not_started} not started.${journalText} ${again}`;
  return [...problems, problem("interrupted", "Interrupted", detail)];
}

function exitCode(report: ApplyReport, stop: AbortSignal): number {
  if (isInterrupted(report, stop)) return EXIT.interrupted;
  return report.converged ? EXIT.done : EXIT.error;
}
