import path from "node:path";
import type { Client } from "../api/client.js";
import { readRegularFile } from "../disk/files.js";
import { ok, type Problem } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { isInPlanText } from "../render/review-first.js";
import { plain } from "../render/safe-text.js";
import { fileProblems } from "../run/base.js";
import { EXIT, exitCodeOf, failsTests, hasDrift } from "../run/exit-codes.js";
import { refusalsOf, runPlan, withExpiry } from "../run/plan.js";
import { writePlan } from "../run/saved-plan.js";
import { type FileKind, outTarget, writeOut } from "../run/write-files.js";
import type { Arguments, Ended, Run, Terminal } from "./command.js";
import { planInput, readNumber } from "./inputs.js";
import { readPages, tellDigest, writePages } from "./plan-pages.js";
import { withService } from "./service.js";
import { refuse, showProblems } from "./show.js";

export const plan: Run = (args, terminal) => planAbout("plan", args, terminal);
export const drift: Run = (args, terminal) => planAbout("drift", args, terminal);

/** Plans. `drift` shows only changes made outside the files. */
async function planAbout(about: "plan" | "drift", args: Arguments, terminal: Terminal): Promise<Ended> {
  const maxAge = readNumber(args, "max-age");
  if (!maxAge.ok) return maxAge;
  const pages = await readPages(args, terminal);
  if (!pages.ok) return pages;
  const input = { ...planInput(args, terminal), about };
  const startedMs = Date.now();
  let result: PlanDocument | null = null;
  const work = async (client: Client, progress: Progress): Promise<Ended> => {
    const planned = await runPlan(input, client, progress);
    if (!planned.ok) return planned;
    const document = withExpiry(planned.document, maxAge.value);
    const zones = document.zones.map(({ zone }) => zone);
    result = document;
    const unwritten = await writePages(pages.value, document, about, args, terminal);
    const isText = pages.value.onStdout === null || pages.value.onStdout === "text";
    showProblems(
      planned.problems.filter(({ code }) => !isText || !isInPlanText(code)),
      terminal,
      zones,
    );
    const out = args.text("out");
    const saved = out === undefined ? ok(null) : await writePlan(out, document, terminal);
    if (saved.ok && saved.value !== null) tellDigest(pages.value, document, terminal);
    const problems = [...unwritten, ...(saved.ok ? [] : saved.problems)];
    showProblems(problems, terminal);
    if (problems.length > 0) return EXIT.error;
    if (saved.ok && saved.value !== null && !args.on("quiet"))
      terminal.err(`Wrote ${plain(saved.value)}.${nextStep(saved.value, document, args)}\n`);
    else if (isText && about === "plan" && isApplicable(document) && !args.on("quiet"))
      terminal.err(
        "To apply it, run zoneward apply with the same flags, or save the plan first: -o plan.json.\n",
      );
    showProblems(refusalsOf(document, args.texts("fail-on")), terminal, zones);
    const code = exitCodeOf(document, args.texts("fail-on"));
    const isNews = about === "drift" ? hasDrift(document) : document.changes.length > 0;
    return code === EXIT.done && args.on("detailed-exitcode") && isNews ? EXIT.changes : code;
  };
  const ended = await withService(args, terminal, work, () => fileProblems(input));
  const code = typeof ended === "number" ? ended : await refuse(ended, args, terminal);
  const unmeasured = await tellMetrics(about, result, startedMs, args, terminal);
  showProblems(unmeasured, terminal);
  return unmeasured.length > 0 ? EXIT.error : code;
}

/** Writes the metrics file, if named, also for a run that failed to start. */
async function tellMetrics(
  about: "plan" | "drift",
  document: PlanDocument | null,
  startedMs: number,
  args: Arguments,
  terminal: Terminal,
): Promise<readonly Problem[]> {
  const file = args.text("metrics");
  if (file === undefined) return [];
  const target = await outTarget(file, METRICS, terminal.cwd);
  if (!target.ok) return target.problems;
  const { goodRunIn, metricsText } = await import("../render/metrics.js");
  const before = readRegularFile(path.resolve(terminal.cwd, target.value.named), MAX_METRICS_BYTES);
  const goodBefore = before.as === "file" ? goodRunIn(before.bytes.toString("utf8")) : null;
  const endedMs = Date.now();
  const isGood = document?.zones.every(({ status }) => status === "planned") === true;
  const text = metricsText({ about, document, isGood, durationMs: endedMs - startedMs, endedMs, goodBefore });
  // Another program may read the file at any time, so it is replaced whole.
  const outcome = await writeOut(file, { ...METRICS, text }, terminal.cwd);
  return outcome.ok ? [] : outcome.problems;
}

const METRICS: FileKind = {
  noun: "metrics",
  name: "zoneward.prom",
  called: "a file of metrics that zoneward wrote",
  recognizes: (text) => text.startsWith("# HELP zoneward_"),
};

const MAX_METRICS_BYTES = 1024 * 1024;

/** The command that applies the saved plan; empty: it cannot be applied. */
function nextStep(file: string, document: PlanDocument, args: Arguments): string {
  if (!isApplicable(document)) return "";
  return ` To apply it: ${["zoneward apply", plain(file), ...lifted(args)].join(" ")}`;
}

/** Whether all is planned, apply has something to do, and no guardrail or test refuses it. */
function isApplicable(document: PlanDocument): boolean {
  const { calls, guardrails, zones } = document;
  const isPlanned = zones.every(({ status }) => status === "planned");
  return isPlanned && calls.length > 0 && guardrails.every(({ allowed }) => allowed) && !failsTests(document);
}

/** A guardrail lifted for this run has to be lifted for apply too. */
function lifted(args: Arguments): readonly string[] {
  return args.texts("allow").map((name) => `--allow ${plain(name)}`);
}
