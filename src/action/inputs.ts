import { GUARDRAILS } from "../model/guardrails.js";
import { failed, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";

export type StepEnvironment = Readonly<Record<string, string | undefined>>;

/** Every input and its default, as action.yml declares them. */
export const INPUTS = {
  command: "plan",
  config: "",
  zone: "",
  only: "",
  events: "",
  requests: "",
  who: "false",
  base: "",
  changed: "auto",
  guardrails: "",
  allow: "",
  "fail-on": "",
  comment: "auto",
  label: "default",
  issue: "off",
  "plan-file": "",
  "plan-digest": "",
  journal: "",
  "max-age": "",
  annotations: "true",
  "html-file": "",
  "sarif-file": "",
  "max-bytes": "60000",
  "working-directory": "",
  "api-token": "",
  "github-token": "",
} as const;

export type InputName = keyof typeof INPUTS;

/** The inputs of a step. null: an empty text, as if not given. */
export interface Inputs {
  readonly command: Choice<"command">;
  readonly config: readonly string[];
  readonly zones: readonly string[];
  readonly only: readonly string[];
  readonly events: readonly string[];
  readonly requests: readonly string[];
  readonly who: Choice<"who">;
  readonly base: string | null;
  readonly changed: Choice<"changed">;
  readonly guardrails: string | null;
  readonly allow: readonly Allowance[];
  readonly failOn: readonly string[];
  readonly comment: Choice<"comment">;
  /** Tells several plans for one repository apart. */
  readonly label: string;
  readonly issue: Choice<"issue">;
  readonly planFile: string | null;
  readonly planDigest: string | null;
  readonly journal: string | null;
  /** In minutes, as the flag takes it. */
  readonly maxAge: string | null;
  readonly annotations: boolean;
  readonly htmlFile: string | null;
  readonly sarifFile: string | null;
  readonly maxBytes: number;
  readonly workingDirectory: string;
}

const CHOICES = {
  command: ["validate", "plan", "apply", "drift", "rollback", "adopt"],
  who: ["false", "true", "role"],
  changed: ["auto", "true", "false"],
  comment: ["auto", "changes-only", "always-new", "off"],
  issue: ["auto", "off"],
  annotations: ["true", "false"],
} as const;

type Choice<Name extends keyof typeof CHOICES> = (typeof CHOICES)[Name][number];

/** The inputs, or everything wrong with them. */
export function readInputs(environment: StepEnvironment): Result<Inputs> {
  const problems: Problem[] = [];
  const text = (name: InputName) => inputText(environment, name);
  const optional = (name: InputName) => (text(name) === "" ? null : text(name));
  const checked = <T>(name: InputName, read: (text: string) => Result<T>, standIn: T): T => {
    const result = read(text(name));
    if (result.ok) return result.value;
    problems.push(...result.problems);
    return standIn;
  };
  const choice = <Name extends keyof typeof CHOICES>(name: Name): Choice<Name> =>
    checked(name, (value) => chosen(name, value), CHOICES[name][0]);
  const inputs: Inputs = {
    command: choice("command"),
    config: lines(text("config")),
    zones: lines(text("zone")),
    only: lines(text("only")),
    events: lines(text("events")),
    requests: lines(text("requests")),
    who: choice("who"),
    base: optional("base"),
    changed: choice("changed"),
    guardrails: optional("guardrails"),
    allow: checked("allow", (value) => allowancesIn(lines(value)), []),
    failOn: checked("fail-on", guardrailsIn, []),
    comment: choice("comment"),
    label: checked("label", labelIn, ""),
    issue: choice("issue"),
    planFile: optional("plan-file"),
    planDigest: checked("plan-digest", digestIn, null),
    journal: optional("journal"),
    maxAge: checked("max-age", minutesIn, null),
    annotations: choice("annotations") === "true",
    htmlFile: optional("html-file"),
    sarifFile: optional("sarif-file"),
    maxBytes: checked("max-bytes", bytesIn, 0),
    workingDirectory: text("working-directory"),
  };
  return problems.length > 0 ? failed(...problems) : ok(inputs);
}

/** The runner passes an input as `INPUT_` and its name in capitals, with dashes kept. */
export function inputText(environment: StepEnvironment, name: InputName): string {
  const value = environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? "";
  return value === "" ? INPUTS[name] : value;
}

function lines(text: string): readonly string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function chosen<Name extends keyof typeof CHOICES>(name: Name, value: string): Result<Choice<Name>> {
  const choices: readonly Choice<Name>[] = CHOICES[name];
  const match = choices.find((each) => each === value);
  if (match !== undefined) return ok(match);
  const close = suggest(value, choices);
  const advice = close === null ? "" : ` Did you mean ${close}?`;
  return failed(badInput(name, value, `it can be ${choices.join(", ")}.${advice}`));
}

function guardrailsIn(text: string): Result<readonly string[]> {
  const names: readonly string[] = GUARDRAILS;
  const wrong = lines(text).filter((name) => !names.includes(name));
  if (wrong.length === 0) return ok(lines(text));
  return failed(
    ...wrong.map((name) =>
      badInput("fail-on", name, `it takes guardrails, one per line: ${names.join(", ")}.`),
    ),
  );
}

/** A label becomes part of a hidden HTML comment and must not end it. */
function labelIn(text: string): Result<string> {
  if (/^[A-Za-z0-9](?:-?[A-Za-z0-9._])*$/.test(text) && text.length <= 64) return ok(text);
  const rule = "it takes up to 64 letters, digits, dots, underscores and single dashes.";
  return failed(badInput("label", text, rule));
}

function digestIn(text: string): Result<string | null> {
  if (text === "") return ok(null);
  if (DIGEST.test(text)) return ok(text.toLowerCase());
  return failed(badInput("plan-digest", text, "it takes the digest of a plan: sha256: and 64 hex digits."));
}

function minutesIn(text: string): Result<string | null> {
  if (text === "") return ok(null);
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) return ok(text);
  return failed(badInput("max-age", text, "it takes a number of minutes."));
}

/** A GitHub comment has 65,536 characters at most, and the markers around the plan need some of them. */
const BYTES = { least: 2_000, most: 65_000 } as const;

function bytesIn(text: string): Result<number> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= BYTES.least && value <= BYTES.most) return ok(value);
  return failed(
    badInput(
      "max-bytes",
      text,
      `it takes a whole number from ${BYTES.least} to ${BYTES.most}, as a comment can hold.`,
    ),
  );
}

function badInput(name: InputName, value: string, rule: string): Problem {
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
function allowancesIn(lines: readonly string[]): Result<readonly Allowance[]> {
  const read = lines.map(allowanceIn);
  const problems = read.flatMap((each) => (each.ok ? [] : each.problems));
  return problems.length > 0
    ? failed(...problems)
    : ok(read.flatMap((each) => (each.ok ? [each.value] : [])));
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
export function idleInputs(inputs: Inputs): readonly Problem[] {
  const { command } = inputs;
  return USES.filter(({ isGiven, by }) => isGiven(inputs) && !by.includes(command)).map(({ input, by }) => {
    const detail = `The input ${input} has no effect on the command ${command}. It is for ${by.join(", ")}.`;
    return warning("idle_input", "Input without effect", detail);
  });
}

interface Use {
  readonly input: InputName;
  readonly isGiven: (inputs: Inputs) => boolean;
  readonly by: readonly Inputs["command"][];
}

const USES: readonly Use[] = [
  { input: "changed", isGiven: ({ changed }) => changed === "true", by: ["plan", "apply"] },
  {
    input: "events",
    isGiven: ({ events }) => events.length > 0,
    by: ["plan", "drift", "apply"],
  },
  { input: "requests", isGiven: ({ requests }) => requests.length > 0, by: ["plan", "drift"] },
  { input: "who", isGiven: ({ who }) => who !== "false", by: ["plan", "drift", "adopt"] },
  { input: "issue", isGiven: ({ issue }) => issue === "auto", by: ["drift"] },
  { input: "plan-digest", isGiven: ({ planDigest }) => planDigest !== null, by: ["apply", "rollback"] },
  { input: "journal", isGiven: ({ journal }) => journal !== null, by: ["rollback"] },
];
