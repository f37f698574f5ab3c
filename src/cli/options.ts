import type { Client, Sent } from "../api/client.js";
import type { Environment } from "../config/index.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { plain } from "../render/plain.js";
import { type Reach, withClient } from "../run/client.js";
import type { FilesInput, PlanInput } from "../run/files.js";
import type { Approved } from "../run/saved-plan.js";
import { readShard, type Shard } from "../run/shard.js";
import type { Arguments, Terminal } from "./command.js";
import { readNumber } from "./complain.js";
import { readInput } from "./operands.js";
import { pausesOn, refuse } from "./show.js";

/** The desired-state files: those that flags name, or else the environment. */
export function configOf(args: Arguments, { ZONEWARD_CONFIG: usual = "" }: Environment): readonly string[] {
  const named = args.texts("config");
  return named.length > 0 || usual === "" ? named : [usual];
}

/** Which files, as the flags say. What `-` stands for is read once. */
export function filesInput(args: Arguments, terminal: Terminal): FilesInput {
  const { cwd, environment, redactor } = terminal;
  let typed: Promise<Result<string>> | null = null;
  return {
    config: configOf(args, environment),
    guardrails: args.text("guardrails"),
    cwd,
    environment,
    today: args.text("today"),
    hide: (values) => redactor.add(values),
    readInput: () => (typed ??= readInput(terminal)),
  };
}

/** What to plan, as the flags say. */
export function planInput(args: Arguments, terminal: Terminal): PlanInput {
  return {
    ...filesInput(args, terminal),
    zones: args.texts("zone"),
    only: args.texts("only"),
    base: args.text("base"),
    changedOver: args.on("changed") ? 0 : undefined,
    events: args.texts("events"),
    requests: args.texts("requests"),
    input: terminal.bytes,
    allow: args.texts("allow"),
    failOn: args.texts("fail-on"),
    who: args.on("who")
      ? { show: args.text("who") === "role" ? "role" : "names", since: args.text("since") }
      : undefined,
  };
}

/**
 * Work with a client that flags and environment lead to the service; `--verbose` shows each request on stderr, and
 * a pause that the service makes necessary is told of where progress is.
 *
 * @param run the shard whose part of the limit of requests it is, and what is wrong besides, where the service cannot be
 * reached: all is told at once
 * @returns the exit code of the work, or that of a run that could not begin
 */
export async function withService(
  args: Arguments,
  terminal: Terminal,
  work: (client: Client) => Promise<number>,
  run: {
    readonly shard?: Shard | undefined;
    readonly otherProblems?: () => Promise<readonly Problem[]>;
  } = {},
): Promise<number> {
  const reach = reachOf(args, terminal, run.shard);
  const onCall = ({ method, path, status, ms }: Sent) =>
    terminal.err(`${method} ${plain(path)} → ${status} (${ms} ms)\n`);
  const told = {
    onPause: pausesOn(terminal, args.on("quiet")),
    ...(args.on("verbose") ? { onCall } : {}),
  };
  const worked = reach.ok ? await withClient(reach.value, work, told) : reach;
  if (worked.ok) return worked.value;
  return refuse([...worked.problems, ...((await run.otherProblems?.()) ?? [])], args, terminal);
}

/** How to reach the service, as the flags say. */
function reachOf(args: Arguments, { environment }: Terminal, shard?: Shard): Result<Reach> {
  const numbers = readNumbers(args);
  if (!numbers.ok) return numbers;
  const baseUrl = args.text("base-url");
  const rateLimit = args.text("rate-limit");
  return ok({
    environment,
    ...numbers.value,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(shard === undefined ? {} : { shards: shard.of }),
  });
}

const NUMBERS = {
  concurrency: "concurrency",
  timeout: "timeoutSeconds",
  "max-wait": "maxWaitSeconds",
} as const;

function readNumbers(args: Arguments): Result<Readonly<Record<string, number>>> {
  const read = Object.entries(NUMBERS).map(([flag, name]) => ({ name, number: readNumber(args, flag) }));
  const problems = read.flatMap(({ number }) => (number.ok ? [] : number.problems));
  if (problems.length > 0) return failed(...problems);
  const given = read.flatMap(({ name, number }) =>
    number.ok && number.value !== null ? [[name, number.value] as const] : [],
  );
  return ok(Object.fromEntries(given));
}

/** Which part of the zones is meant; undefined: all. */
export function shardIn(args: Arguments, environment: Environment): Result<Shard | undefined> {
  const written = args.text("shard");
  return written === undefined ? ok(undefined) : readShard(written, environment);
}

/** How much is read of what runs in the zones. */
export function impactReading(args: Arguments): Result<PlanInput["impact"]> {
  if (args.on("no-impact")) return ok(0);
  const pages = readNumber(args, "impact-pages");
  if (!pages.ok) return pages;
  if (pages.value === null) return ok(undefined);
  if (Number.isInteger(pages.value) && pages.value >= 1) return ok(pages.value);
  const detail = `--impact-pages is ${pages.value}; it takes a whole number of pages, from 1 up. For none, say --no-impact.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}

/** Which saved plan was approved; null: that is not said. */
export function approvedPlan(args: Arguments): Result<Approved | null> {
  const text = args.text("digest");
  if (text === undefined) return ok(null);
  if (args.operands.length === 0)
    return failed(
      problem(
        "bad_flag",
        "No saved plan",
        "--digest says which saved plan was approved. Name its file: zoneward apply plan.json --digest sha256:…",
      ),
    );
  if (/^sha256:[0-9a-f]{64}$/i.test(text)) return ok({ digest: text.toLowerCase(), option: "--digest" });
  const detail = `--digest is ${JSON.stringify(text)}; it takes the digest of a plan: sha256: and 64 hex digits.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}

/** How many minutes a plan may be old; null: any number. */
export function maxAgeMinutes(args: Arguments): Result<number | null> {
  const minutes = readNumber(args, "max-age");
  if (!minutes.ok || minutes.value === null || minutes.value >= 0) return minutes;
  const detail = `--max-age is ${minutes.value}; it takes minutes, from 0 up.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}
