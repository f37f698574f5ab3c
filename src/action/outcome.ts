import type { Problem } from "../model/problem.js";
import type { ReadyReport } from "../model/readiness.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { hasDrift } from "../render/undeclared.js";
import type { About } from "../render/words.js";
import type { Adoption } from "../run/adopt.js";
import { EXIT, type Signals } from "../run/exit.js";
import type { Redactor } from "../run/redact.js";
import type { Inputs, StepEnvironment } from "./inputs.js";
import type { Runner } from "./runner.js";
import type { WorkflowRun } from "./workflow-run.js";

/** What has come of the command. */
export interface Outcome {
  readonly command: Inputs["command"];
  /** As the command line has it. */
  readonly code: number;
  /** What was planned, or was to be applied; null: nothing was. */
  readonly document: PlanDocument | null;
  /** Why nothing could be planned, or what went wrong while it was carried out. */
  readonly problems: readonly Problem[];
  /** What this step itself has to say about how it was called. */
  readonly remarks: readonly Problem[];
  readonly planFile: string | null;
  readonly applied: Applied | null;
  /** Whether what reports could block. Absent: nobody asked. */
  readonly ready?: ReadyReport;
  /** What became of what was changed outside the files. Absent: nobody wanted it written into them. */
  readonly adoption?: Adoption;
}

/** What an apply or a rollback did. */
export interface Applied {
  readonly done: number;
  readonly failed: number;
  readonly notStarted: number;
  readonly converged: boolean;
  /** How many zones are as they were to be, and how many are not. */
  readonly zonesConverged: number;
  readonly zonesFailed: number;
  /** null: nothing was sent. */
  readonly journal: string | null;
}

/** What a step works with. */
export interface StepContext {
  readonly inputs: Inputs;
  readonly run: WorkflowRun;
  readonly runner: Runner;
  readonly signals: Signals;
  /** The folder that the files are named from. */
  readonly cwd: string;
  readonly environment: StepEnvironment;
  /** What nothing that is written shows. More of it becomes known while files are read. */
  readonly redactor: Redactor;
}

export function nothingDone(command: Inputs["command"], code: number, problems: readonly Problem[]): Outcome {
  return { command, code, document: null, problems, remarks: [], planFile: null, applied: null };
}

/** How the document is to be shown: what was carried out, all of it, as what was done. */
export function aboutOf({ command, applied }: Pick<Outcome, "command" | "applied">): About {
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

/** What the steps after this one are told of the plan and of what was done. What is not known is empty. */
export function outputsOf({
  command,
  code,
  document,
  planFile,
  applied,
  adoption,
}: Outcome): Partial<Record<OutputName, string>> {
  // Of zones in which nothing was changed outside, an adoption makes no plan.
  const withoutPlan = adoption !== undefined && code === EXIT.done ? { drift: "false" } : {};
  return {
    ...(document === null ? withoutPlan : ofPlan(document, command)),
    "plan-file": planFile ?? "",
    journal: applied?.journal ?? "",
    "exit-code": String(code),
  };
}

/** Of what could not be planned nobody knows whether it has changes: then there are some, or nobody can tell. */
function ofPlan(document: PlanDocument, command: Outcome["command"]): Partial<Record<OutputName, string>> {
  const { summary, changes, digest, zones } = document;
  if (zones.length > 0 && zones.every(({ status }) => status === "failed")) return {};
  const failed = zones.filter(({ status }) => status !== "planned");
  const toldOf = (isThere: boolean) => (isThere || failed.length === 0 ? String(isThere) : "");
  const isDrift = aboutOf({ command, applied: null }) === "drift" ? hasDrift(document) : driftIn(document);
  return {
    changes: toldOf(changes.length > 0),
    "to-create": String(summary.create),
    "to-update": String(summary.update),
    "to-delete": String(summary.delete),
    weakens: String(summary.effects.weakens),
    effect: worstEffect(document) ?? (failed.length > 0 ? "" : "none"),
    drift: isDrift === null ? "" : toldOf(isDrift),
    digest,
  };
}

/** Null: nobody can tell. There is no base, or none was found and not all zones were read. */
function driftIn({ base, summary }: PlanDocument): boolean | null {
  const { drift, conflict, mixed } = summary.origins;
  const isFound = drift + conflict + mixed > 0;
  const isAll = (summary.as_in_base ?? 0) === 0;
  return base === undefined || !(isFound || isAll) ? null : isFound;
}

/** The worst first: what cannot be decided may be the worst. */
const EFFECTS = ["weakens", "unknown", "mixed", "neutral", "strengthens"] as const;

function worstEffect({ summary }: PlanDocument): string | null {
  return EFFECTS.find((effect) => summary.effects[effect] > 0) ?? null;
}
