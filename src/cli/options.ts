import type { Environment } from "../config/index.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import { DEFAULT_BYTES, LEAST_BYTES } from "../render/markdown/fit-to-size.js";
import type { FilesInput, PlanInput } from "../run/files.js";
import type { Approved } from "../run/saved-plan.js";
import type { Arguments, Terminal } from "./command.js";
import { readNumber } from "./complain.js";
import { readInput } from "./operands.js";

/** The desired-state files: from flags, else from the environment. */
export function configOf(args: Arguments, { ZONEWARD_CONFIG: usual = "" }: Environment): readonly string[] {
  const paths = args.texts("config");
  return paths.length > 0 || usual === "" ? paths : [usual];
}

/** The files to read. Standard input is read once, however often `-` is named. */
export function filesInput(args: Arguments, terminal: Terminal): FilesInput {
  const { cwd, environment, redactor } = terminal;
  let typed: Promise<Result<string>> | null = null;
  return {
    config: configOf(args, environment),
    guardrails: args.text("guardrails"),
    cwd,
    environment,
    hide: (values) => redactor.add(values),
    readInput: () => (typed ??= readInput(terminal)),
  };
}

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
    who: args.on("who") ? (args.text("who") === "role" ? "role" : "names") : undefined,
    impact: args.on("no-impact") ? "none" : undefined,
  };
}

/** The approved digest; null: not given. */
export function approvedPlan(args: Arguments): Result<Approved | null> {
  const text = args.text("digest");
  if (text === undefined) return ok(null);
  if (args.operands.length === 0)
    return failed(
      problem(
        "bad_flag",
        "--digest needs a saved plan",
        "--digest holds the digest of the approved plan. Name the plan: zoneward apply plan.json --digest sha256:…",
      ),
    );
  if (/^sha256:[0-9a-f]{64}$/i.test(text)) return ok({ digest: text.toLowerCase(), option: "--digest" });
  const detail = `--digest is ${JSON.stringify(text)}. Pass the digest of a plan: sha256: and 64 hex digits.`;
  return failed(problem("bad_flag", "--digest is not a digest", detail));
}

/** The maximum age of a plan in minutes; null: any. */
export function maxAgeMinutes(args: Arguments): Result<number | null> {
  const minutes = readNumber(args, "max-age", "minutes");
  if (!minutes.ok || minutes.value === null || minutes.value >= 0) return minutes;
  const detail = `--max-age is ${minutes.value}. Pass minutes, 0 or more.`;
  return failed(problem("bad_flag", "--max-age is out of range", detail));
}

/** The size limit of a plan in Markdown. A GitHub comment has room for 65,536 characters, additions included. */
export function maxBytesOf(args: Arguments): Result<number> {
  const limit = readNumber(args, "max-bytes");
  if (!limit.ok) return limit;
  const bytes = limit.value ?? DEFAULT_BYTES;
  if (Number.isSafeInteger(bytes) && bytes >= LEAST_BYTES) return ok(bytes);
  const detail = `--max-bytes is ${bytes}. Pass a whole number, ${LEAST_BYTES} or more.`;
  return failed(problem("bad_flag", "--max-bytes is out of range", detail));
}
