import type { Client, SentRequest } from "../api/client.js";
import { allOf, failed, ok, type Problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { plain } from "../render/safe-text.js";
import { type Reach, withClient } from "../run/client.js";
import type { Arguments, Ended, Terminal } from "./command.js";
import { readNumber } from "./inputs.js";
import { progressOn } from "./progress.js";

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
  work: (client: Client, progress: Progress) => Promise<Ended>,
  otherProblems: () => Promise<readonly Problem[]> = async () => [],
): Promise<Ended> {
  const reach = reachOf(args, terminal);
  const onCall = ({ method, path, status, ms }: SentRequest) =>
    terminal.err(`${method} ${plain(path)} → ${status} (${ms} ms)\n`);
  const { progress, onPause } = progressOn(terminal, args.on("quiet"));
  const hooks = { onPause, ...(args.on("verbose") ? { onCall } : {}) };
  const worked = reach.ok ? await withClient(reach.value, (client) => work(client, progress), hooks) : reach;
  if (worked.ok) return worked.value;
  return failed(...worked.problems, ...(await otherProblems()));
}

function reachOf(args: Arguments, { environment }: Terminal): Result<Reach> {
  const numbers = allOf([
    readNumber(args, "concurrency"),
    readNumber(args, "timeout"),
    readNumber(args, "max-wait"),
  ]);
  if (!numbers.ok) return numbers;
  const [concurrency, timeoutSeconds, maxWaitSeconds] = numbers.value.map((each) => each ?? undefined);
  const [baseUrl, rateLimit] = [args.text("base-url"), args.text("rate-limit")];
  return ok({ environment, concurrency, timeoutSeconds, maxWaitSeconds, baseUrl, rateLimit });
}
