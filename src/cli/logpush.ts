import { failed, type Problem, problem } from "../model/problem.js";
import { plain } from "../render/safe-text.js";
import { EXIT } from "../run/exit-codes.js";
import { type Answered, askAbout, findJob, type MeantJob } from "../run/logpush.js";
import type { Arguments, Run, Terminal } from "./command.js";
import { planInput } from "./inputs.js";
import { readSubcommand } from "./operands.js";
import { withService } from "./service.js";
import { showProblems } from "./show.js";

/** Asks the service about a declared job's destination. Each call is shown before it is sent. */
export const run: Run = async (args, terminal) => {
  const [word, job = ""] = args.operands;
  const read = readSubcommand("logpush", word, ["challenge", "check"]);
  if (!read.ok) return read;
  const verb = read.value;
  if (job === "") {
    const detail = `Pass the name of the job in the files: zoneward logpush ${verb} JOB.`;
    return failed(problem("bad_operand", "Missing argument JOB", detail));
  }
  return withService(args, terminal, async (client) => {
    const target = await findJob(verb, job, args.text("dataset") ?? null, planInput(args, terminal), client);
    if (!target.ok) return target;
    const isJson = args.text("format") === "json";
    if (!isJson) terminal.out(sending(target.value));
    const refused = verb === "challenge" ? await agree(args, terminal) : null;
    if (refused !== null) return failed(refused);
    const answers = await askAbout(target.value, client);
    if (!answers.ok) return answers;
    const { zone, dataset, warnings } = target.value;
    if (isJson) terminal.out(`${JSON.stringify({ zone, job, dataset, calls: answers.value }, null, 2)}\n`);
    else terminal.out(answers.value.map((each) => `${answerText(each, verb)}\n`).join(""));
    showProblems(warnings, terminal);
    return answers.value.every(({ valid }) => valid === true) ? EXIT.done : EXIT.error;
  });
};

function sending({ zone, job, dataset, calls }: MeantJob): string {
  const where = dataset === "" ? "" : `, ${plain(dataset)}`;
  const lines = calls.map(
    ({ method, path, shown }) => `  ${method} ${plain(path)} ${plain(JSON.stringify(shown))}`,
  );
  return `Job ${plain(JSON.stringify(job))} of ${plain(zone)}${where}. Sending:\n${lines.join("\n")}\n`;
}

/** Asks first, as the service writes a file into the bucket. Null: confirmed. */
async function agree(args: Arguments, terminal: Terminal): Promise<Problem | null> {
  if (args.on("yes")) return null;
  if (!terminal.interactive) {
    const detail =
      "The service would write a token file to the destination, and there is no terminal to ask on. Pass --yes. Nothing was sent.";
    return problem("no_yes", "Confirmation needed", detail);
  }
  const answer = await terminal.ask(
    "The service writes a token file to the destination. Type yes to continue: ",
  );
  return answer?.trim() === "yes"
    ? null
    : problem("no_yes", "Not confirmed", "The answer was not yes. Nothing was sent.");
}

function answerText({ path, valid, message, filename }: Answered, verb: string): string {
  const why = message === "" ? "" : `: ${plain(message)}`;
  if (verb === "challenge") {
    if (valid !== true) return `The service wrote no token${why}.`;
    if (filename === null) return `No token is needed${why}.`;
    return `The token is in ${plain(filename)} at the destination. Set the content of that file as ownership_challenge, through \${secret:…}.`;
  }
  const subject = path.endsWith("/validate") ? "The token is" : "The destination is";
  const how = valid === true ? "good" : valid === false ? "not accepted" : "unknown: the service did not say";
  return `${subject} ${how}${why}.`;
}
