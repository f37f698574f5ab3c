import type { Problem } from "../model/problem.js";
import { type NamedOption, type Spelling, textOf } from "../model/sentence.js";
import type { InputName } from "./inputs.js";
import type { Outcome } from "./outcome.js";

/**
 * How a step of a workflow names the program's options: by its inputs.
 *
 * @param digest of the plan that it is about, for which alone a guardrail can be lifted; null: of none that is known yet
 */
export function inputsOf(digest: string | null): Spelling {
  return (option, begins) => {
    const input = INPUT_OF.get(option.flag ?? "");
    if (input === undefined) return null;
    const verb = option.isAdvice === true ? (input === "api-token" ? "give " : "set ") : "";
    const of =
      option.command === undefined || option.isAdvice === true ? "" : `the command ${option.command} with `;
    const named = `${verb}${of}the input ${input}${valueIn(option, digest)}`;
    return begins ? named.charAt(0).toUpperCase() + named.slice(1) : named;
  };
}

const INPUT_OF: ReadonlyMap<string, InputName> = new Map([
  ["allow", "allow"],
  ["api-token", "api-token"],
  ["base", "base"],
  ["changed", "changed"],
  ["config", "config"],
  ["events", "events"],
  ["fail-on", "fail-on"],
  ["guardrails", "guardrails"],
  ["max-age", "max-age"],
  ["only", "only"],
  ["out", "plan-file"],
  ["requests", "requests"],
  ["zone", "zone"],
]);

function valueIn({ flag, value, isAdvice }: NamedOption, digest: string | null): string {
  if (value === undefined) return "";
  if (flag === "allow") return `: ${value}@${digest ?? "DIGEST, with the digest that the plan shows"}`;
  return isAdvice === true ? `: ${value}` : ` ${value}`;
}

/** How what has come of a command names options. */
export function spellingOf({ document }: Outcome): Spelling {
  return inputsOf(document?.digest ?? null);
}

/** Problems in the words of a workflow. */
export function inInputs(problems: readonly Problem[], digest: string | null): readonly Problem[] {
  const spelling = inputsOf(digest);
  return problems.map(({ sentences, ...each }) =>
    sentences === undefined ? each : { ...each, detail: textOf(sentences, spelling) },
  );
}

/** An outcome whose problems are; its document was made so. */
export function outcomeInInputs(outcome: Outcome): Outcome {
  const digest = outcome.document?.digest ?? null;
  return {
    ...outcome,
    problems: inInputs(outcome.problems, digest),
    remarks: inInputs(outcome.remarks, digest),
  };
}
