import type { Client } from "../api/client.js";
import { ok, type Problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { plain } from "../render/plain.js";
import { hasDrift } from "../render/undeclared.js";
import { fileProblems } from "../run/base.js";
import { EXIT } from "../run/exit.js";
import { failsTests, refusalsOf, runPlan, withExpiry } from "../run/plan.js";
import { writePlan } from "../run/saved-plan.js";
import type { Arguments, Run, Terminal } from "./command.js";
import { maxAgeMinutes, planInput } from "./options.js";
import { readPages, writePages } from "./plan-pages.js";
import { withService } from "./service.js";
import { progressOn, refuse, showProblems } from "./show.js";

export const plan: Run = (args, terminal) => planAbout("plan", args, terminal);
export const drift: Run = (args, terminal) => planAbout("drift", args, terminal);

/** Plans, and shows all that would change, or only what was changed outside the files. */
async function planAbout(about: "plan" | "drift", args: Arguments, terminal: Terminal): Promise<number> {
  const maxAge = maxAgeMinutes(args);
  if (!maxAge.ok) return refuse(maxAge.problems, args, terminal);
  const pages = await readPages(args, terminal);
  if (!pages.ok) return refuse(pages.problems, args, terminal);
  const input = { ...planInput(args, terminal), about };
  const startedMs = Date.now();
  let made: PlanDocument | null = null;
  const work = async (client: Client): Promise<number> => {
    const planned = await runPlan(input, client, progressOn(terminal, args.on("quiet")));
    if (!planned.ok) return refuse(planned.problems, args, terminal);
    const document = withExpiry(planned.document, maxAge.value);
    made = document;
    const unwritten = await writePages(pages.value, document, about, args, terminal);
    showProblems(planned.problems, terminal, zonesOf(document));
    const out = args.text("out");
    const written = out === undefined ? ok(null) : await writePlan(out, document, terminal);
    const isText = pages.value.shown === null || pages.value.shown === "text";
    const problems = [...unwritten, ...(written.ok ? [] : written.problems)];
    showProblems(problems, terminal);
    if (problems.length > 0) return EXIT.error;
    if (written.ok && written.value !== null && !args.on("quiet"))
      terminal.err(`Wrote ${plain(written.value)}.${nextStep(written.value, document, args)}\n`);
    else if (isText && about === "plan" && isApplicable(document) && !args.on("quiet"))
      terminal.err(
        "To carry it out: zoneward apply with the same flags; or save it first with -o plan.json.\n",
      );
    const refused = refusalsOf(document, args.texts("fail-on"));
    showProblems(refused, terminal);
    return planExitCode(document, about, refused.length > 0, args.on("detailed-exitcode"));
  };
  const code = await withService(args, terminal, work, () => fileProblems(input));
  const untold = await tellMetrics(about, made, startedMs, args, terminal);
  showProblems(untold, terminal);
  return untold.length > 0 ? EXIT.error : code;
}

/** For who watches many runs, where a file for it is named: also of one that could not begin. */
async function tellMetrics(
  about: "plan" | "drift",
  document: PlanDocument | null,
  startedMs: number,
  args: Arguments,
  terminal: Terminal,
): Promise<readonly Problem[]> {
  const file = args.text("metrics");
  if (file === undefined) return [];
  const { writeMetrics } = await import("./metrics.js");
  const endedMs = Date.now();
  const isGood = document?.zones.every(({ status }) => status === "planned") === true;
  const run = { about, document, isGood, durationMs: endedMs - startedMs, endedMs };
  const written = await writeMetrics(file, run, terminal);
  return written.ok ? [] : written.problems;
}

/** What is done with a plan in a file, as a further sentence; none where nothing can be. */
function nextStep(file: string, document: PlanDocument, args: Arguments): string {
  if (!isApplicable(document)) return "";
  return ` To carry it out: ${["zoneward apply", plain(file), ...lifted(args)].join(" ")}`;
}

/** Whether apply would have something to do, and neither a guardrail nor a test stands in its way. */
function isApplicable(document: PlanDocument): boolean {
  const { calls, guardrails } = document;
  return calls.length > 0 && guardrails.every(({ allowed }) => allowed) && !failsTests(document);
}

function zonesOf({ zones }: PlanDocument): readonly string[] {
  return zones.map(({ zone }) => zone);
}

/** What is lifted for one run is lifted for the next only if that says so too. */
function lifted(args: Arguments): readonly string[] {
  return args.texts("allow").map((name) => `--allow ${plain(name)}`);
}

/** What a plan that was shown comes to. */
export function planExitCode(
  document: PlanDocument,
  about: "plan" | "drift",
  isRefused: boolean,
  detailed: boolean,
): number {
  if (document.zones.some((zone) => zone.status !== "planned") || failsTests(document)) return EXIT.error;
  if (isRefused) return EXIT.refused;
  const isNews = about === "drift" ? hasDrift(document) : document.changes.length > 0;
  return detailed && isNews ? EXIT.changes : EXIT.done;
}
