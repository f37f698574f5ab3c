import type { Environment } from "../config/index.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import { LEAST_BYTES } from "../render/markdown/fit-to-size.js";
import type { FilesInput, PlanInput } from "../run/files.js";
import type { Approved } from "../run/saved-plan.js";
import type { Arguments, Terminal } from "./command.js";
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
  if (args.operands.length === 0) {
    const detail =
      "--digest holds the digest of the approved plan. Name the plan: zoneward apply plan.json --digest sha256:…";
    return failed(problem("bad_flag", "--digest needs a saved plan", detail));
  }
  if (/^sha256:[0-9a-f]{64}$/i.test(text)) return ok({ digest: text.toLowerCase(), option: "--digest" });
  const detail = `--digest is ${JSON.stringify(text)}. Pass the digest of a plan: sha256: and 64 hex digits.`;
  return failed(problem("bad_flag", "--digest is not a digest", detail));
}

interface NumberFlag {
  /** For the error about another text than a number. Absent: none. */
  readonly unit?: "seconds" | "minutes";
  readonly least?: number;
  readonly isWhole?: true;
  /** What the flag takes, for the error about a number out of range. */
  readonly takes?: string;
}

/** The flags that take a number. The client checks the ranges of those of the connection. */
const NUMBERS = {
  concurrency: {},
  timeout: { unit: "seconds" },
  "max-wait": { unit: "seconds" },
  "max-age": { unit: "minutes", least: 0, takes: "minutes, 0 or more" },
  "max-bytes": { isWhole: true, least: LEAST_BYTES, takes: `a whole number, ${LEAST_BYTES} or more` },
  "evidence-days": { isWhole: true, least: 0, takes: "a whole number of days, 0 or more" },
} satisfies Readonly<Record<string, NumberFlag>>;

/** A flag's number; null: the flag is not given. */
export function readNumber(args: Arguments, flag: keyof typeof NUMBERS): Result<number | null> {
  const { unit, least = Number.NEGATIVE_INFINITY, isWhole, takes }: NumberFlag = NUMBERS[flag];
  const text = args.text(flag);
  if (text === undefined) return ok(null);
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    const detail = `--${flag} is ${text}. Pass a number${unit === undefined ? "" : ` of ${unit}, such as 60`}.`;
    return failed(problem("bad_flag", `--${flag} is not a number`, detail));
  }
  if (value >= least && (isWhole !== true || Number.isSafeInteger(value))) return ok(value);
  return failed(problem("bad_flag", `--${flag} is out of range`, `--${flag} is ${value}. Pass ${takes}.`));
}
