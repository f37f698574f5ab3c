import { stat } from "node:fs/promises";
import path from "node:path";
import { DEFAULT_CONFIG, usualConfig } from "../config/files.js";
import { fileAt } from "../disk/place.js";
import {
  allOf,
  failed,
  hasErrors,
  ok,
  type Problem,
  problem,
  type Result,
  warning,
} from "../model/problem.js";
import type { Signals } from "../run/end-process.js";
import { EXIT } from "../run/exit-codes.js";
import { Redactor } from "../run/redact.js";
import { adopt } from "./adopt.js";
import { apply } from "./apply.js";
import { tellPullRequest } from "./comment-on-pull.js";
import { type Inputs, idleInputs, readInputs, type StepEnvironment } from "./inputs.js";
import { tellIssue } from "./issue.js";
import { outcomeInInputs } from "./option-names.js";
import { nothingDone, type StepContext, type StepOutcome } from "./outcome.js";
import { drift, plan, validate } from "./plan.js";
import { proposeAdoption } from "./propose-adoption.js";
import { report, say, sayAlone } from "./report.js";
import { rollback } from "./rollback.js";
import { hasCredential, openRunner, type Runner, secretsIn } from "./runner.js";
import { type Permitted, permitted, readWorkflowRun, type WorkflowRun } from "./workflow-run.js";

/** The process of a step. */
export interface Host {
  readonly env: StepEnvironment;
  readonly cwd: string;
  /** Writes to the log. */
  readonly write: (text: string) => void;
  /** Starts listening to signals. */
  readonly signals: () => Signals;
}

/** Runs the step that the environment describes, and returns the exit code. */
export async function runStep(host: Host): Promise<number> {
  const redactor = new Redactor(secretsIn(host.env), (values) => runner.mask(values));
  const runner = openRunner(host.env, host.write, (text) => redactor.in(text));
  runner.mask(secretsIn(host.env));
  const code = await step(host, runner, redactor).catch((error) => unforeseen(error, runner));
  return code === EXIT.done ? 0 : 1;
}

/** Inputs and event → permitted command → outcome → log, annotations, outputs, summary → posts on GitHub. */
async function step(
  { env, cwd: startDir, signals }: Host,
  runner: Runner,
  redactor: Redactor,
): Promise<number> {
  const asked = allOf([readInputs(env), await readWorkflowRun(env, startDir)]);
  if (!asked.ok) return refuse(asked.problems, runner);
  const [inputs, run] = asked.value;
  const may = allOf([await workingDirectory(inputs, run), permitted(inputs, run, hasCredential(env))]);
  if (!may.ok) return refuse(may.problems, runner);
  const [cwd, command] = may.value;

  // Always explicit: apply would otherwise use the files that its plan names.
  const config = inputs.config.length > 0 ? inputs.config : [await usualConfig(cwd)];
  const context: StepContext = {
    inputs: { ...inputs, config },
    run,
    runner,
    signals: signals(),
    cwd,
    environment: env,
    redactor,
  };
  const outcome = await report(outcomeInInputs(await outcomeOf(command, context)), context);
  const problems = [
    ...(await tellPullRequest(outcome, context)),
    ...(await tellIssue(outcome, context)),
    ...(await proposeAdoption(outcome, context)),
  ];
  say(problems, context);
  if (!hasErrors(problems)) return outcome.code;
  // GitHub keeps the last value of an output that is set twice.
  await runner.outputs({ "exit-code": String(EXIT.error) });
  return EXIT.error;
}

async function outcomeOf({ command, instead }: Permitted, context: StepContext): Promise<StepOutcome> {
  const commands = { validate, plan, apply, drift, rollback, adopt };
  const outcome = await commands[command](context);
  const remarks = [
    ...(instead === null ? [] : [warning("validated_only", "Validated only, not planned", instead)]),
    ...idleInputs(context.inputs.command, context.environment),
  ];
  return { ...outcome, remarks: [...remarks, ...outcome.remarks] };
}

async function workingDirectory(
  { workingDirectory: input }: Inputs,
  run: WorkflowRun,
): Promise<Result<string>> {
  const folder = path.resolve(run.workspace, input);
  if ((await fileAt(path.join(folder, DEFAULT_CONFIG))) === null) {
    const detail = `The input working-directory ${input} is behind a link that leads out of the repository. Name a folder inside it.`;
    return failed(problem("bad_input", "Invalid input", detail));
  }
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) return ok(folder);
  const detail = `The input working-directory is ${input || "empty"}, and ${folder} is not a folder. Check out the repository first.`;
  return failed(problem("bad_input", "Invalid input", detail));
}

async function refuse(problems: readonly Problem[], runner: Runner): Promise<number> {
  await sayAlone(nothingDone("validate", EXIT.error, problems), runner);
  return EXIT.error;
}

/** Reports a bug without its stack, which would not help the reader of a workflow's log. */
async function unforeseen(error: unknown, runner: Runner): Promise<number> {
  const message = error instanceof Error ? error.message : String(error);
  const detail = `This is a bug in zoneward or a fault of the machine, not of the files: ${message}. If an apply was running, its journal lists the completed calls.`;
  // The log comes first: the files for outputs and summary may be the cause.
  return refuse([problem("unforeseen", "Internal error", detail)], runner).catch(() => EXIT.error);
}
