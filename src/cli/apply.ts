import type { Client } from "../api/client.js";
import { ok, type Problem, problem, unquoted } from "../model/problem.js";
import type { ApplyReport, Progress } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { STAYING } from "../plan/undo/messages.js";
import { palette } from "../render/palette.js";
import { count, plain } from "../render/plain.js";
import { type ReportWords, reportJson, reportText } from "../render/report.js";
import { WORDS } from "../render/words.js";
import {
  guardrailWarnings,
  isInterrupted,
  runAlone,
  secretsMissing,
  standingProblems,
} from "../run/apply.js";
import { fileProblems } from "../run/base.js";
import { EXIT } from "../run/exit.js";
import { type Planned, runPlan } from "../run/plan.js";
import { planView, showPlan } from "../run/plan-formats.js";
import { savedPlan, withSaved } from "../run/saved-plan.js";
import type { Arguments, Run, Terminal } from "./command.js";
import { approvedPlan, configOf, maxAgeMinutes, planInput } from "./options.js";
import { withService } from "./service.js";
import { progressOn, refuse, showProblems } from "./show.js";

const APPLY: ApplyMode = {
  refusing: true,
  about: "plan",
  heading: "Apply",
  outcome: "as declared",
  doing: "Apply",
  yes: "Say --yes, or apply a saved plan.",
  again: "Run zoneward apply again: it plans from what is live, and makes only the calls that are left.",
};

const APPLY_SAVED: ApplyMode = {
  ...APPLY,
  again: "Apply the same plan again: it makes only the calls that are left, unless something else has moved.",
};

export const run: Run = async (args, terminal) => {
  const maxAge = maxAgeMinutes(args);
  if (!maxAge.ok) return refuse(maxAge.problems, args, terminal);
  const approved = approvedPlan(args);
  if (!approved.ok) return refuse(approved.problems, args, terminal);
  const [file] = args.operands;
  const saved =
    file === undefined ? ok(null) : await savedPlan(file, terminal.cwd, maxAge.value, approved.value);
  if (!saved.ok) return refuse(saved.problems, args, terminal);
  if (saved.value !== null && args.on("changed") && saved.value.inputs.changed !== true)
    return refuse([madeOfAll(file)], args, terminal);
  // A saved plan says what it was made of, unless this command does.
  const config = saved.value === null ? configOf(args, terminal.environment) : args.texts("config");
  const input = { ...planInput(args, terminal), config };
  const work = async (client: Client): Promise<number> => {
    const progress = progressOn(terminal, args.on("quiet"));
    const planned = await runPlan(withSaved(input, saved.value), client, progress);
    if (!planned.ok) return refuse(unquotedFor(args, planned.problems), args, terminal);
    const mode = saved.value === null ? APPLY : APPLY_SAVED;
    return carryOut(planned, mode, { saved: saved.value, args, terminal, progress });
  };
  return withService(args, terminal, work, () => fileProblems(input));
};

function madeOfAll(file = ""): Problem {
  const detail = `${file} was made of all zones, and is applied as it was made. Make the plan with --changed, or leave --changed out here.`;
  return problem("bad_flag", "A saved plan is applied as it was made", detail);
}

/** Whoever wrote the plan's file has said which files to read, and is not to be shown what stands in them. */
function unquotedFor(args: Arguments, problems: readonly Problem[]): readonly Problem[] {
  if (args.operands.length === 0 || args.texts("config").length > 0) return problems;
  return problems.map((each) => ({ ...each, at: unquoted(each.at) }));
}

/** What a plan is carried out for. */
export interface ApplyMode extends ReportWords {
  /** Whether guardrails stand in the way, or only say something. */
  readonly refusing: boolean;
  /** What the plan is shown as. */
  readonly about: "plan" | "rollback";
  /** What it is called in the question. */
  readonly doing: string;
  /** How to say yes where nobody can be asked. */
  readonly yes: string;
  /** How to go on after an interruption. */
  readonly again: string;
  /** What else is to be done once something was sent. Absent: nothing. */
  readonly besides?: string;
}

interface Circumstances {
  /** A plan that was approved. */
  readonly saved: PlanDocument | null;
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly progress: Progress;
}

/** Shows what was planned, asks, carries it out, and tells what came of it. */
export async function carryOut(
  planned: Planned,
  mode: ApplyMode,
  { saved, args, terminal, progress }: Circumstances,
): Promise<number> {
  const json = args.text("format") === "json";
  const { document } = planned;
  // Nobody is asked about a plan that they were not shown.
  const isAsking = terminal.interactive && saved === null && !args.on("yes");
  const isShown = !json && (isAsking || !args.on("quiet"));
  if (isShown)
    terminal.out(showPlan(document, terminal.colors.out, args.on("verbose"), mode.about, terminal.columns));
  const lifted = isShown ? [] : guardrailWarnings(document, mode.refusing); // the plan as text says it itself
  // Errors come with the report, and before the question.
  const warnings = planned.problems.filter((each) => isAsking || each.severity !== "error");
  const zones = document.zones.map(({ zone }) => zone);
  showProblems([...warnings, ...lifted], terminal, zones);

  const standing = mode.refusing ? standingProblems(document) : [];
  if (standing.length > 0) {
    const errors = planned.problems.filter((each) => each.severity === "error");
    const code = errors.length > 0 ? EXIT.error : EXIT.refused;
    return refuse([...errors, ...standing], args, terminal, code, zones);
  }
  const missing = secretsMissing(planned);
  if (missing.length > 0) {
    const errors = planned.problems.filter((each) => each.severity === "error");
    return refuse([...errors, ...missing], args, terminal, EXIT.error, zones);
  }
  const agreed = await agree(document, saved !== null || args.on("yes"), mode, terminal);
  if (agreed !== null) {
    // Who is asked has seen them before the question.
    const errors = planned.problems.filter((each) => !isAsking && each.severity === "error");
    return refuse([...errors, agreed.why], args, terminal, agreed.code, zones);
  }

  const stop = stopOn(terminal);
  const onJournal = (file: string) => terminal.err(`Journal: ${file}\n`);
  const ran = await runAlone(planned, saved, terminal.cwd, { stop, progress, onJournal });
  if (!ran.ok) return refuse(ran.problems, args, terminal);
  const report = ran.value;
  if (json) terminal.out(reportJson(report));
  else {
    const view = planView(document, mode.about);
    const text = reportText(report, view, palette(terminal.colors.out), narrowed(mode, document));
    terminal.out(`${args.on("quiet") ? "" : "\n"}${text}`);
  }
  showProblems(afterwards(report, mode, stop), terminal, zones);
  const { done, failed, not_started } = report.summary;
  if (mode.besides !== undefined && done > 0 && !json && !args.on("quiet")) terminal.err(`${mode.besides}\n`);
  const canGoOn = report.zones.some((zone) => !zone.converged && helpsAgain(zone));
  if (failed + not_started > 0 && canGoOn && !isInterrupted(report, stop)) terminal.err(`${mode.again}\n`);
  return exitCode(report, stop);
}

/** Of a zone in which not all was meant, the rest may be otherwise; on the way back, so may what others have changed. */
function narrowed(mode: ApplyMode, { inputs, diagnostics }: PlanDocument): ApplyMode {
  const only = inputs.only === undefined ? "" : " in what --only names";
  const staying = mode.about === "rollback" && diagnostics.some(({ code }) => STAYING.has(code));
  return { ...mode, outcome: `${mode.outcome}${only}${staying ? ", but for what stays" : ""}` };
}

/** Whether the same again helps: not where, as its problems say, only a new plan does, or other files. */
function helpsAgain({ problems }: ApplyReport["zones"][number]): boolean {
  return !problems.some(({ code }) => code.startsWith("stale_") || code === "not_read_back");
}

/** Null: a yes to the plan, given before, not needed because nothing would be sent, or now. Else why not. */
async function agree(
  document: PlanDocument,
  given: boolean,
  mode: ApplyMode,
  terminal: Terminal,
): Promise<{ readonly why: Problem; readonly code: number } | null> {
  const calls = document.calls.length;
  if (given || calls === 0) return null;
  if (!terminal.interactive) {
    const detail = `There is no terminal to ask on, so ${count(calls, "call")} would go out unseen. ${mode.yes} Nothing was written.`;
    return { why: problem("no_yes", "No terminal to confirm on", detail), code: EXIT.error };
  }
  const answer = await terminal.ask(`${questionOf(document, mode)} Type yes to go on: `);
  if (answer?.trim() === "yes") return null;
  if (answer === null)
    return { why: problem("interrupted", "Interrupted", "Nothing was written."), code: EXIT.interrupted };
  return {
    why: problem("no_yes", "Not applied", "The answer was not yes. Nothing was written."),
    code: EXIT.error,
  };
}

/** `Create 1 and update 2 objects in shop.example.com, with 4 calls?` */
function questionOf({ summary, changes, calls }: PlanDocument, { doing, about }: ApplyMode): string {
  const { verbs } = WORDS[about];
  const kinds = (["create", "update", "delete"] as const).filter((each) => summary[each] > 0);
  const done = kinds.map((each) => `${verbs[each]} ${summary[each]}`);
  const many = kinds.reduce((sum, each) => sum + summary[each], 0);
  const objects = `${listed(done)} ${many === 1 ? "object" : "objects"}`;
  const zones = [...new Set(changes.flatMap(({ zone, taken_over }) => (taken_over === true ? [] : zone)))];
  const where = zones.length === 1 ? plain(zones[0] ?? "") : count(zones.length, "zone");
  const what = kinds.length === 0 ? "" : `: ${objects} in ${where}`;
  return `${doing}${what}, with ${count(calls.length, "call")}?`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function stopOn(terminal: Terminal): AbortSignal {
  const stop = terminal.signals.caught();
  stop.addEventListener("abort", () => {
    terminal.err("Stopping after the calls in flight. A second signal stops at once.\n");
  });
  return stop;
}

function afterwards(report: ApplyReport, { again }: ApplyMode, stop: AbortSignal): readonly Problem[] {
  const problems = report.zones.flatMap((zone) => zone.problems);
  if (!isInterrupted(report, stop)) return problems;
  const { done, not_started } = report.summary;
  const written = report.journal === null ? "" : ` What was done is in ${report.journal}.`;
  const detail = `${count(done, "call")} done, ${not_started} not started.${written} ${again}`;
  return [...problems, problem("interrupted", "Interrupted", detail)];
}

function exitCode(report: ApplyReport, stop: AbortSignal): number {
  if (isInterrupted(report, stop)) return EXIT.interrupted;
  return report.converged ? EXIT.done : EXIT.error;
}
