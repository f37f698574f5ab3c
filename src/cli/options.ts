import { Client } from "../api/client.js";
import { connectionFrom } from "../api/connect.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { plain } from "../render/plain.js";
import { readBase } from "../run/base.js";
import { type PlanInput, readDesired } from "../run/files.js";
import { DEFAULT_BYTES, LEAST_BYTES } from "../run/plan-formats.js";
import type { Arguments, Terminal } from "./command.js";

/** What to plan, as the flags say. */
export function planInput(args: Arguments, { cwd, environment, hiding }: Terminal): PlanInput {
  return {
    config: args.texts("config"),
    zones: args.texts("zone"),
    guardrails: args.text("guardrails"),
    base: args.text("base"),
    allow: args.texts("allow"),
    failOn: args.texts("fail-on"),
    cwd,
    environment,
    hide: (values) => hiding.add(values),
  };
}

/** What is wrong with the files, for a run that cannot begin anyway: all problems are told at once. */
export async function fileProblems(args: Arguments, terminal: Terminal): Promise<readonly Problem[]> {
  const input = planInput(args, terminal);
  const { secrets } = await readBase(input.base, input);
  const { problems } = await readDesired(input, "plan", secrets);
  return problems;
}

/** A client from flags and environment. `--verbose` shows each request on stderr. */
export function connect(args: Arguments, terminal: Terminal): Result<Client> {
  const numbers = readNumbers(args);
  if (!numbers.ok) return numbers;
  const baseUrl = args.text("base-url");
  const rateLimit = args.text("rate-limit");
  const flags = {
    ...numbers.value,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
  const connection = connectionFrom(flags, terminal.environment);
  return connection.ok ? ok(clientOf(connection.value, args, terminal)) : connection;
}

function clientOf(
  connection: ConstructorParameters<typeof Client>[0],
  args: Arguments,
  terminal: Terminal,
): Client {
  if (!args.on("verbose")) return new Client(connection);
  return new Client(connection, {
    onCall: ({ method, path, status, ms }) =>
      terminal.err(`${method} ${plain(path)} → ${status} (${ms} ms)\n`),
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

/** The number that a flag has; null: it is not given. */
export function readNumber(args: Arguments, flag: string): Result<number | null> {
  const text = args.text(flag);
  if (text === undefined) return ok(null);
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return ok(value);
  return failed(
    problem("bad_flag", "A flag that is not a number", `--${flag} is ${text}; it takes a number.`),
  );
}

/** How many minutes a plan may be old; null: any number. */
export function maxAgeMinutes(args: Arguments): Result<number | null> {
  const minutes = readNumber(args, "max-age");
  if (!minutes.ok || minutes.value === null || minutes.value >= 0) return minutes;
  const detail = `--max-age is ${minutes.value}; it takes minutes, from 0 up.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}

/** How long a plan in Markdown may be. Comments at GitHub may have 65,536 characters, with what others add. */
export function maxBytesOf(args: Arguments): Result<number> {
  const given = readNumber(args, "max-bytes");
  if (!given.ok) return given;
  const bytes = given.value ?? DEFAULT_BYTES;
  if (Number.isSafeInteger(bytes) && bytes >= LEAST_BYTES) return ok(bytes);
  const detail = `--max-bytes is ${bytes}; it takes a whole number from ${LEAST_BYTES} up.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}
