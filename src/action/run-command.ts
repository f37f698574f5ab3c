import { type Arguments, EXIT, type Terminal } from "../cli/command.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { problemRecord } from "../render/problems.js";

/** Flags by their names, without those that are null or empty. */
export type Flags = Readonly<Record<string, string | readonly string[] | null>>;

/** What a command said on standard output, as JSON, the plan that it made, and its exit code. */
export interface Said {
  readonly code: number;
  readonly value: Json;
  /** null: none was made. */
  readonly document: PlanDocument | null;
}

/** Runs a command of the command line in this process. What it says besides goes to the terminal's `err`. */
export async function runCommand(
  name: keyof typeof COMMANDS,
  operands: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<Said> {
  const said: string[] = [];
  const plans: PlanDocument[] = [];
  const caught: AbortSignal[] = [];
  const run = await COMMANDS[name]();
  const running = run(argumentsOf(operands, { ...flags, format: "json" }), {
    ...terminal,
    out: (text) => void said.push(text),
    onPlan: (document) => void plans.push(document),
    catchSignals() {
      const signal = terminal.catchSignals();
      caught.push(signal);
      return signal;
    },
  });
  // Of commands that write to the service, the signal is caught, and they say themselves how far they came.
  const code = await Promise.race([running, terminal.interrupted.then(() => null)]);
  if (code === null) return { code: EXIT.interrupted, value: INTERRUPTED, document: null };
  const value: Json = JSON.parse(said.join("") || "null");
  // A call that failed while the run was cancelled may have failed for that.
  const isCancelled = code !== EXIT.done && caught.some(({ aborted }) => aborted);
  return { code: isCancelled ? EXIT.interrupted : code, value, document: plans.at(-1) ?? null };
}

/** Of the commands those that a step can run: the others stay out of its bundle. */
const COMMANDS = {
  validate: async () => (await import("../cli/validate.js")).run,
  plan: async () => (await import("../cli/plan.js")).plan,
  drift: async () => (await import("../cli/plan.js")).drift,
  apply: async () => (await import("../cli/apply.js")).run,
} as const;

const INTERRUPTED = {
  ok: false,
  problems: [
    problemRecord(
      problem("interrupted", "Interrupted", "It was stopped before anything was written to the service."),
    ),
  ],
};

function argumentsOf(operands: readonly string[], flags: Flags): Arguments {
  const given = new Map(Object.entries(flags).map(([name, value]) => [name, [value ?? []].flat()]));
  const texts = (flag: string) => given.get(flag) ?? [];
  return { operands, texts, text: (flag) => texts(flag).at(-1), on: (flag) => texts(flag).length > 0 };
}

/** The problems of `{ "ok": …, "problems": […] }`, which a command says when it could not do its work; else null. */
export function problemsIn(value: Json): readonly Problem[] | null {
  if (!isObject(value) || !isList(value.problems) || typeof value.ok !== "boolean") return null;
  return value.problems.flatMap((each) => (isObject(each) ? [problemIn(each)] : []));
}

function problemIn({ code, severity, summary, detail, source, pointer }: JsonObject): Problem {
  return {
    code: String(code),
    severity: severity === "warning" ? "warning" : "error",
    summary: String(summary),
    detail: String(detail),
    at: isObject(source) ? placeIn(source, pointer) : null,
  };
}

/** The line itself is not said. */
function placeIn({ file, line, column }: JsonObject, pointer: Json | undefined): Problem["at"] {
  return {
    file: String(file),
    line: Number(line),
    column: Number(column),
    pointer: String(pointer),
    text: "",
  };
}
