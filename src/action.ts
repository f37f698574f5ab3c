import { stat } from "node:fs/promises";
import path from "node:path";
import { apply } from "./action/apply.js";
import { tellPullRequest } from "./action/comment.js";
import { type Inputs, idleInputs, readInputs } from "./action/inputs.js";
import { tellIssue } from "./action/issue.js";
import { nothingDone, type Outcome, type StepContext } from "./action/outcome.js";
import { drift, plan, validate } from "./action/plan.js";
import { report, say, sayAlone } from "./action/report.js";
import { hasCredential, openRunner, secretsIn } from "./action/runner.js";
import { outcomeInInputs } from "./action/spelling.js";
import { type Permitted, permitted, readWorkflowRun, type WorkflowRun } from "./action/workflow-run.js";
import { DEFAULT_CONFIG } from "./config/files.js";
import { fileAt } from "./disk/place.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "./model/problem.js";
import { EXIT, end, signalsOf } from "./process.js";
import { Redactor } from "./run/redact.js";

const { env } = process;
const redactor = new Redactor(secretsIn(env), (values) => runner.mask(values));
const runner = openRunner(
  env,
  (text) => void process.stdout.write(text),
  (text) => redactor.in(text),
);
runner.mask(secretsIn(env));
const code = await step().catch(unforeseen);
await end(process, code === EXIT.done ? 0 : 1);

/** Inputs and event → what may be done → the command → log, annotations, outputs, summary → comment or issue. */
async function step(): Promise<number> {
  const inputs = readInputs(env);
  const run = await readWorkflowRun(env, process.cwd());
  if (!inputs.ok || !run.ok) return refuse([inputs, run].flatMap((each) => (each.ok ? [] : each.problems)));
  const cwd = await workingDirectory(inputs.value, run.value);
  const may = permitted(inputs.value, run.value, hasCredential(env));
  if (!cwd.ok || !may.ok) return refuse([cwd, may].flatMap((each) => (each.ok ? [] : each.problems)));

  const context: StepContext = {
    inputs: inputs.value,
    run: run.value,
    runner,
    signals: signalsOf(process),
    cwd: cwd.value,
    environment: env,
    redactor,
  };
  const outcome = await report(outcomeInInputs(await outcomeOf(may.value, context)), context);
  const problems = [...(await tellPullRequest(outcome, context)), ...(await tellIssue(outcome, context))];
  say(problems, context);
  if (!hasErrors(problems)) return outcome.code;
  // Of an output that is set twice, the last one counts.
  await runner.outputs({ "exit-code": String(EXIT.error) });
  return EXIT.error;
}

async function outcomeOf({ command, instead }: Permitted, context: StepContext): Promise<Outcome> {
  const commands = { validate, plan, apply, drift };
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

async function refuse(problems: readonly Problem[]): Promise<number> {
  await sayAlone(nothingDone("validate", EXIT.error, problems), runner);
  return EXIT.error;
}

/** A mistake of the program. Who reads the log of a workflow can do nothing with a stack. */
async function unforeseen(error: unknown): Promise<number> {
  const what = error instanceof Error ? error.message : String(error);
  const detail = `This is a mistake in zoneward, or of the machine that it runs on, not in the files: ${what}. If an apply was under way, its journal says what was done.`;
  // It is in the log first. The files for outputs and summary may be what fails.
  return refuse([problem("unforeseen", "Something that was not foreseen", detail)]).catch(() => EXIT.error);
}
