import type { Terminal } from "../cli/command.js";
import type { Problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
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
}

/** What an apply did. */
export interface Applied {
  readonly done: number;
  readonly failed: number;
  readonly notStarted: number;
  readonly converged: boolean;
  /** null: nothing was sent. */
  readonly journal: string | null;
}

/** What a step works with. */
export interface Surroundings {
  readonly inputs: Inputs;
  readonly run: WorkflowRun;
  readonly runner: Runner;
  /** What commands see: without what belongs to the run itself. */
  readonly terminal: Terminal;
  readonly environment: StepEnvironment;
  /** Takes out of a text what nobody may see. */
  readonly hide: (text: string) => string;
}

export function nothingDone(command: Inputs["command"], code: number, problems: readonly Problem[]): Outcome {
  return { command, code, document: null, problems, remarks: [], planFile: null, applied: null };
}

/** How the document is to be shown. */
export function aboutOf({ command }: Pick<Outcome, "command">): "plan" | "drift" {
  return command === "drift" ? "drift" : "plan";
}
