import { stat } from "node:fs/promises";
import path from "node:path";
import { DEFAULT_CONFIG, usualConfig } from "../config/files.js";
import { fileAt } from "../disk/place.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import { EXIT, type Signals } from "../run/exit.js";
import { Redactor } from "../run/redact.js";
import { adopt } from "./adopt.js";
import { apply } from "./apply.js";
import { tellPullRequest } from "./comment.js";
import { type Inputs, idleInputs, readInputs, type StepEnvironment } from "./inputs.js";
import { tellIssue } from "./issue.js";
import { nothingDone, type Outcome, type StepContext } from "./outcome.js";
import { drift, plan, validate } from "./plan.js";
import { proposeAdoption } from "./pull-request.js";
import { report, say, sayAlone } from "./report.js";
import { rollback } from "./rollback.js";
import { hasCredential, openRunner, type Runner, secretsIn } from "./runner.js";
import { outcomeInInputs } from "./spelling.js";
import { type Permitted, permitted, readWorkflowRun, type WorkflowRun } from "./workflow-run.js";

/** What a step has of its process. */
export interface Host {
  readonly env: StepEnvironment;
  readonly cwd: string;
  /** To the log. */
  readonly write: (text: string) => void;
  /** From now on signals are heard. */
  readonly signals: () => Signals;
}

/** Carries out the step that the environment describes, and gives the exit code. */
export async function runStep(host: Host): Promise<number> {
  const redactor = new Redactor(secretsIn(host.env), (values) => runner.mask(values));
  const runner = openRunner(host.env, host.write, (text) => redactor.in(text));
  runner.mask(secretsIn(host.env));
  const code = await step(host, runner, redactor).catch((error) => unforeseen(error, runner));
  return code === EXIT.done ? 0 : 1;
}

/** Inputs and event → what may be done → the command → log, annotations, outputs, summary → comment, issue or pull request. */
async function step(
  { env, cwd: started, signals }: Host,
  runner: Runner,
  redactor: Redactor,
): Promise<number> {
  const inputs = readInputs(env);
  const run = await readWorkflowRun(env, started);
  if (!inputs.ok || !run.ok)
    return refuse(
      [inputs, run].flatMap((each) => (each.ok ? [] : each.problems)),
      runner,
    );
  const cwd = await workingDirectory(inputs.value, run.value);
  const may = permitted(inputs.value, run.value, hasCredential(env));
  if (!cwd.ok || !may.ok)
    return refuse(
      [cwd, may].flatMap((each) => (each.ok ? [] : each.problems)),
      runner,
    );

  // Said and not left open: an apply would ask the file of its plan instead.
  const config = inputs.value.config.length > 0 ? inputs.value.config : [await usualConfig(cwd.value)];
  const context: StepContext = {
    inputs: { ...inputs.value, config },
    run: run.value,
    runner,
    signals: signals(),
    cwd: cwd.value,
    environment: env,
    redactor,
  };
  const outcome = await report(outcomeInInputs(await outcomeOf(may.value, context)), context);
  const problems = [
    ...(await tellPullRequest(outcome, context)),
    ...(await tellIssue(outcome, context)),
    ...(await proposeAdoption(outcome, context)),
  ];
  say(problems, context);
  if (!hasErrors(problems)) return outcome.code;
  // Of an output that is set twice, the last one counts.
  await runner.outputs({ "exit-code": String(EXIT.error) });
  return EXIT.error;
}

async function outcomeOf({ command, instead }: Permitted, context: StepContext): Promise<Outcome> {
  const commands = { validate, plan, apply, drift, rollback, adopt };
  const outcome = await commands[command](context);
  const told = [...(instead === null ? [] : [insteadOf(instead)]), ...idleInputs(context.inputs)];
  return { ...outcome, remarks: [...told, ...outcome.remarks] };
}

function insteadOf(why: string): Problem {
  return { ...problem("validated_only", "Checked only, not planned", why), severity: "warning" };
}

async function workingDirectory(
  { workingDirectory: named }: Inputs,
  run: WorkflowRun,
): Promise<Result<string>> {
  const folder = path.resolve(run.workspace, named);
  if ((await fileAt(path.join(folder, DEFAULT_CONFIG))) === null) {
    const detail = `The input working-directory is ${named}, and a link on the way to it leads out of the repository. Name a folder that is in it.`;
    return failed(problem("bad_input", "An input that cannot be used", detail));
  }
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return ok(folder);
  const detail = `The input working-directory is ${named || "empty"}, and ${folder} is no folder. Is the repository checked out?`;
  return failed(problem("bad_input", "An input that cannot be used", detail));
}

async function refuse(problems: readonly Problem[], runner: Runner): Promise<number> {
  await sayAlone(nothingDone("validate", EXIT.error, problems), runner);
  return EXIT.error;
}

/** A mistake of the program. Who reads the log of a workflow can do nothing with a stack. */
async function unforeseen(error: unknown, runner: Runner): Promise<number> {
  const what = error instanceof Error ? error.message : String(error);
  const detail = `This is a mistake in zoneward, or of the machine that it runs on, not in the files: ${what}. If an apply was under way, its journal says what was done.`;
  // It is in the log first. The files for outputs and summary may be what fails.
  return refuse([problem("unforeseen", "Something that was not foreseen", detail)], runner).catch(
    () => EXIT.error,
  );
}
