import { suggest } from "../model/did-you-mean.js";
import { GUARDRAILS } from "../model/guardrails.js";
import { allOf, failed, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";

export type StepEnvironment = Readonly<Record<string, string | undefined>>;

const COMMANDS = ["validate", "plan", "apply", "drift", "rollback", "adopt"] as const;
type Command = (typeof COMMANDS)[number];

/** Reads the text of an input. The name is for the message. */
type Read<T> = (text: string, name: string) => Result<T>;

/** @param by the commands that use the input; null: all */
function input<const Name extends string, T>(
  name: Name,
  byDefault: string,
  read: Read<T>,
  by: readonly Command[] | null = null,
) {
  return { name, byDefault, read, by };
}

/** Every input of action.yml except the tokens, with its default. */
export const TABLE = {
  command: input("command", "plan", oneOf(COMMANDS)),
  config: input("config", "", list),
  zones: input("zone", "", list),
  only: input("only", "", list),
  events: input("events", "", list, ["plan", "drift", "apply"]),
  requests: input("requests", "", list, ["plan", "drift"]),
  who: input("who", "false", oneOf(["false", "true", "role"]), ["plan", "drift", "adopt"]),
  base: input("base", "", optional),
  changed: input("changed", "auto", oneOf(["auto", "true", "false"]), ["plan", "apply"]),
  guardrails: input("guardrails", "", optional),
  allow: input("allow", "", allowancesIn),
  failOn: input("fail-on", "", guardrailsIn),
  comment: input("comment", "auto", oneOf(["auto", "changes-only", "always-new", "off"])),
  /** Tells several plans for one repository apart. */
  label: input("label", "default", labelIn),
  issue: input("issue", "off", oneOf(["auto", "off"]), ["drift"]),
  planFile: input("plan-file", "", optional),
  planDigest: input("plan-digest", "", digestIn, ["apply", "rollback"]),
  journal: input("journal", "", optional, ["rollback"]),
  maxAge: input("max-age", "", minutesIn),
  annotations: input("annotations", "true", oneOf(["true", "false"])),
  htmlFile: input("html-file", "", optional),
  sarifFile: input("sarif-file", "", optional),
  maxBytes: input("max-bytes", "60000", bytesIn),
  workingDirectory: input("working-directory", "", ok),
} as const;

type Table = typeof TABLE;
export type InputName = Table[keyof Table]["name"] | "api-token" | "github-token";
export const INPUT_NAMES: readonly InputName[] = [
  ...Object.values(TABLE).map(({ name }) => name),
  "api-token",
  "github-token",
];

/** The inputs of a step. null: an empty text, as if not given. */
export type Inputs = {
  readonly [Key in keyof Table]: Table[Key]["read"] extends Read<infer T> ? T : never;
};

/** The inputs, or everything wrong with them. */
export function readInputs(environment: StepEnvironment): Result<Inputs> {
  const results = Object.values(TABLE).map(({ name, byDefault, read }) =>
    read(inputText(environment, name) || byDefault, name),
  );
  const values = allOf(results);
  if (!values.ok) return values;
  const entries = Object.keys(TABLE).map((key, index) => [key, values.value[index]] as const);
  return ok(Object.fromEntries(entries) as Inputs); // each row of the table reads its own value
}

/** The runner passes an input as `INPUT_` and its name in capitals, with dashes kept. */
export function inputText(environment: StepEnvironment, name: InputName): string {
  return environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? "";
}

function optional(text: string): Result<string | null> {
  return ok(text === "" ? null : text);
}

function list(text: string): Result<readonly string[]> {
  return ok(linesOf(text));
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function oneOf<const Choice extends string>(choices: readonly Choice[]): Read<Choice> {
  return (value, name) => {
    const match = choices.find((each) => each === value);
    if (match !== undefined) return ok(match);
    const close = suggest(value, choices);
    const advice = close === null ? "" : ` Did you mean ${close}?`;
    return failed(badInput(name, value, `it can be ${choices.join(", ")}.${advice}`));
  };
}

function guardrailsIn(text: string, name: string): Result<readonly string[]> {
  const guardrails: readonly string[] = GUARDRAILS;
  const lines = linesOf(text);
  const wrong = lines.filter((line) => !guardrails.includes(line));
  if (wrong.length === 0) return ok(lines);
  const rule = `it takes guardrails, one per line: ${guardrails.join(", ")}.`;
  return failed(...wrong.map((line) => badInput(name, line, rule)));
}

/** A label becomes part of a hidden HTML comment and must not end it. */
function labelIn(text: string, name: string): Result<string> {
  if (/^[A-Za-z0-9](?:-?[A-Za-z0-9._])*$/.test(text) && text.length <= 64) return ok(text);
  const rule = "it takes up to 64 letters, digits, dots, underscores and single dashes.";
  return failed(badInput(name, text, rule));
}

function digestIn(text: string, name: string): Result<string | null> {
  if (text === "") return ok(null);
  if (DIGEST.test(text)) return ok(text.toLowerCase());
  return failed(badInput(name, text, "it takes the digest of a plan: sha256: and 64 hex digits."));
}

function minutesIn(text: string, name: string): Result<number | null> {
  if (text === "") return ok(null);
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) return ok(Number(text));
  return failed(badInput(name, text, "it takes a number of minutes."));
}

/** A GitHub comment has 65,536 characters at most, and the markers around the plan need some of them. */
const BYTES = { least: 2_000, most: 65_000 } as const;

function bytesIn(text: string, name: string): Result<number> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= BYTES.least && value <= BYTES.most) return ok(value);
  const rule = `it takes a whole number from ${BYTES.least} to ${BYTES.most}, as a comment can hold.`;
  return failed(badInput(name, text, rule));
}

function badInput(name: string, value: string, rule: string): Problem {
  return problem("bad_input", "Invalid input", `The input ${name} is ${JSON.stringify(value)}; ${rule}`);
}

/** A guardrail lifted for one plan. */
interface Allowance {
  readonly guardrail: string;
  readonly digest: string;
}

/** A digest in any case, as people write it. */
const DIGEST = /^sha256:[0-9a-f]{64}$/i;

/** `NAME@sha256:DIGEST`, one per line: an approval holds only for the plan that was reviewed. */
function allowancesIn(text: string): Result<readonly Allowance[]> {
  return allOf(linesOf(text).map(allowanceIn));
}

function allowanceIn(line: string): Result<Allowance> {
  const [, guardrail = "", digest = ""] = /^([^@]*)(?:@(.*))?$/s.exec(line) ?? [];
  const names: readonly string[] = GUARDRAILS;
  if (!names.includes(guardrail))
    return failed(badAllowance(line, `it is not a guardrail. Guardrails are ${names.join(", ")}.`));
  if (DIGEST.test(digest)) return ok({ guardrail, digest: digest.toLowerCase() });
  const why =
    "it names no plan, so it would lift the guardrail for every later plan too. Write NAME@sha256:DIGEST, with the digest that the plan shows.";
  return failed(badAllowance(line, why));
}

function badAllowance(line: string, rule: string): Problem {
  return problem("bad_input", "Invalid input", `The input allow has ${JSON.stringify(line)}; ${rule}`);
}

/** The guardrails lifted for this plan, each once. */
export function liftedFor(digest: string, allowances: readonly Allowance[]): readonly string[] {
  return [...new Set(allowances.filter((each) => each.digest === digest).map(({ guardrail }) => guardrail))];
}

/** Warnings about allowances for other plans. */
export function idleFor(digest: string, allowances: readonly Allowance[]): readonly Problem[] {
  return allowances
    .filter((each) => each.digest !== digest)
    .map(({ guardrail, digest: otherDigest }) => {
      const detail = `${guardrail} was lifted for the plan ${otherDigest}, and this plan is ${digest}. Review this plan, and lift the guardrail for it if intended.`;
      return warning("allowance_for_another_plan", "Guardrail lifted for another plan", detail);
    });
}

type PlanOf = Pick<PlanDocument, "digest" | "base" | "inputs">;

/**
 * The guardrails lifted for a plan. Its base must be a commit: otherwise, a change that is reverted and made again has
 * the same digest, and the old approval would count for it.
 */
export function liftedForPlan(plan: PlanOf, allowances: readonly Allowance[]): readonly string[] {
  return isOfCommit(plan) ? liftedFor(plan.digest, allowances) : [];
}

/** Warnings about allowances that lift nothing for a plan. */
export function idleForPlan(plan: PlanOf, allowances: readonly Allowance[]): readonly Problem[] {
  const uncounted = isOfCommit(plan) ? [] : liftedFor(plan.digest, allowances);
  return [...idleFor(plan.digest, allowances), ...uncounted.map(withoutCommit)];
}

/** A base that could not be read is still named in the digest. Drift needs no base. */
function isOfCommit({ base, inputs }: PlanOf): boolean {
  return inputs.about === "drift" || (base ?? inputs.base)?.startsWith("git:") === true;
}

function withoutCommit(guardrail: string): Problem {
  const detail = `The approval of ${guardrail} does not count, because the base of this plan is not a commit. Set the input base to git:COMMIT. Otherwise a change that is reverted and made again would have the same digest and approval.`;
  return warning("allowance_without_commit", "Approval needs a git base", detail);
}

/** Warnings about inputs that the command ignores. */
export function idleInputs(command: Command, environment: StepEnvironment): readonly Problem[] {
  return Object.values(TABLE).flatMap(({ name, byDefault, by }) => {
    if (by === null || by.includes(command)) return [];
    if (["", "false", byDefault].includes(inputText(environment, name))) return [];
    const detail = `The input ${name} has no effect on the command ${command}. It is for ${by.join(", ")}.`;
    return [warning("idle_input", "Input without effect", detail)];
  });
}
