import type { Problem } from "../model/problem.js";
import type { ReadyReport } from "../model/readiness.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { About } from "../render/words.js";
import type { Adoption } from "../run/adopt.js";
import type { Signals } from "../run/end-process.js";
import { EXIT, hasDrift } from "../run/exit-codes.js";
import type { Redactor } from "../run/redact.js";
import type { Inputs, StepEnvironment } from "./inputs.js";
import type { Runner } from "./runner.js";
import type { WorkflowRun } from "./workflow-run.js";

/** The outcome of a command. */
export interface StepOutcome {
  readonly command: Inputs["command"];
  /** The exit code, as on the command line. */
  readonly code: number;
  /** The plan; null: nothing was planned. */
  readonly document: PlanDocument | null;
  /** Why planning failed, or what failed during apply. */
  readonly problems: readonly Problem[];
  /** Warnings of the step itself about its inputs. */
  readonly remarks: readonly Problem[];
  readonly planFile: string | null;
  readonly applied: Applied | null;
  /** Whether policies that only report could block. Absent: not asked. */
  readonly ready?: ReadyReport;
  /** The adoption of drift. Absent: another command. */
  readonly adoption?: Adoption;
}

export interface Applied {
  readonly done: number;
  readonly failed: number;
  readonly notStarted: number;
  readonly converged: boolean;
  /** Zones that are as planned, and zones that are not. */
  readonly zonesConverged: number;
  readonly zonesFailed: number;
  /** null: nothing was sent. */
  readonly journal: string | null;
}

export interface StepContext {
  readonly inputs: Inputs;
  readonly run: WorkflowRun;
  readonly runner: Runner;
  readonly signals: Signals;
  /** Paths of files are relative to this folder. */
  readonly cwd: string;
  readonly environment: StepEnvironment;
  /** Redacts everything written. Reading files adds secrets to it. */
  readonly redactor: Redactor;
}

export function nothingDone(
  command: Inputs["command"],
  code: number,
  problems: readonly Problem[],
): StepOutcome {
  return { command, code, document: null, problems, remarks: [], planFile: null, applied: null };
}

/** How to show the document: a plan that was carried out completely is shown as applied. */
export function aboutOf({ command, applied }: Pick<StepOutcome, "command" | "applied">): About {
  if (command === "drift" || command === "adopt") return "drift";
  if (command === "rollback") return "rollback";
  return applied?.converged === true ? "applied" : "plan";
}

/** Every output, as action.yml declares them. */
export const OUTPUTS = [
  "changes",
  "to-create",
  "to-update",
  "to-delete",
  "weakens",
  "effect",
  "drift",
  "digest",
  "plan-file",
  "journal",
  "exit-code",
  "html-file",
  "sarif-file",
  "comment-url",
  "pull-request-url",
] as const;

type OutputName = (typeof OUTPUTS)[number];

/** Outputs for later steps. Unknown values are empty. */
export function outputsOf({
  command,
  code,
  document,
  planFile,
  applied,
  adoption,
}: StepOutcome): Partial<Record<OutputName, string>> {
  // An adoption makes no plan of zones without drift.
  const withoutPlan = adoption !== undefined && code === EXIT.done ? { drift: "false" } : {};
  return {
    ...(document === null ? withoutPlan : ofPlan(document, command)),
    "plan-file": planFile ?? "",
    journal: applied?.journal ?? "",
    "exit-code": String(code),
  };
}

/** While a zone is not planned, "no changes" is unknown, and so empty. */
function ofPlan(
  document: PlanDocument,
  command: StepOutcome["command"],
): Partial<Record<OutputName, string>> {
  const { summary, changes, digest, zones } = document;
  if (zones.length > 0 && zones.every(({ status }) => status === "failed")) return {};
  const failed = zones.filter(({ status }) => status !== "planned");
  const outputOf = (isThere: boolean) => (isThere || failed.length === 0 ? String(isThere) : "");
  const isDrift = aboutOf({ command, applied: null }) === "drift" ? hasDrift(document) : driftIn(document);
  return {
    changes: outputOf(changes.length > 0),
    "to-create": String(summary.create),
    "to-update": String(summary.update),
    "to-delete": String(summary.delete),
    weakens: String(summary.effects.weakens),
    effect: EFFECTS.find((each) => summary.effects[each] > 0) ?? (failed.length > 0 ? "" : "none"),
    drift: isDrift === null ? "" : outputOf(isDrift),
    digest,
  };
}

/** Null: unknown, as there is no base, or no drift was found and some zones were not read. */
function driftIn({ base, summary }: PlanDocument): boolean | null {
  const { drift, conflict, mixed } = summary.origins;
  const isFound = drift + conflict + mixed > 0;
  const isAll = (summary.as_in_base ?? 0) === 0;
  return base === undefined || !(isFound || isAll) ? null : isFound;
}

/** The worst first. `unknown` may be as bad as `weakens`. */
const EFFECTS = ["weakens", "unknown", "mixed", "neutral", "strengthens"] as const;
