import type { Client, SentRequest } from "../api/client.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { plain } from "../render/plain.js";
import { type Reach, withClient } from "../run/client.js";
import type { Arguments, Terminal } from "./command.js";
import { readNumber } from "./complain.js";
import { progressOn } from "./progress.js";
import { refuse } from "./show.js";

/**
 * Runs work with a client as flags and environment configure it. `--verbose` shows each request on stderr, and pauses
 * appear with the progress.
 *
 * @param otherProblems further problems to report together, when the client cannot be created
 * @returns the work's exit code, or that of a run that could not start
 */
export async function withService(
  args: Arguments,
  terminal: Terminal,
  work: (client: Client, progress: Progress) => Promise<number>,
  otherProblems: () => Promise<readonly Problem[]> = async () => [],
): Promise<number> {
  const reach = reachOf(args, terminal);
  const onCall = ({ method, path, status, ms }: SentRequest) =>
    terminal.err(`${method} ${plain(path)} → ${status} (${ms} ms)\n`);
  const { progress, onPause } = progressOn(terminal, args.on("quiet"));
  const hooks = { onPause, ...(args.on("verbose") ? { onCall } : {}) };
  const worked = reach.ok ? await withClient(reach.value, (client) => work(client, progress), hooks) : reach;
  if (worked.ok) return worked.value;
  return refuse([...worked.problems, ...(await otherProblems())], args, terminal);
}

function reachOf(args: Arguments, { environment }: Terminal): Result<Reach> {
  const numbers = readNumbers(args);
  if (!numbers.ok) return numbers;
  const baseUrl = args.text("base-url");
  const rateLimit = args.text("rate-limit");
  return ok({
    environment,
    ...numbers.value,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  });
}

function readNumbers(args: Arguments): Result<Readonly<Record<string, number>>> {
  const read = [
    { name: "concurrency", number: readNumber(args, "concurrency") },
    { name: "timeoutSeconds", number: readNumber(args, "timeout", "seconds") },
    { name: "maxWaitSeconds", number: readNumber(args, "max-wait", "seconds") },
  ];
  const problems = read.flatMap(({ number }) => (number.ok ? [] : number.problems));
  if (problems.length > 0) return failed(...problems);
  const pairs = read.flatMap(({ name, number }) =>
    number.ok && number.value !== null ? [[name, number.value] as const] : [],
  );
  return ok(Object.fromEntries(pairs));
}
