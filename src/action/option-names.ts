import type { Problem } from "../model/problem.js";
import { type NamedOption, type Spelling, textOf } from "../model/sentence.js";
import { INPUT_NAMES } from "./inputs.js";
import type { StepOutcome } from "./outcome.js";

/**
 * Names the program's options by the inputs of a workflow step.
 *
 * @param digest of the plan in question, the only one that a guardrail can be lifted for; null: not known yet
 */
export function inputsOf(digest: string | null): Spelling {
  return (option, begins) => {
    const input = inputOf(option.flag);
    if (input === undefined) return null;
    const verb = option.isAdvice === true ? (input === "api-token" ? "give " : "set ") : "";
    const of =
      option.command === undefined || option.isAdvice === true ? "" : `the command ${option.command} with `;
    const text = `${verb}${of}the input ${input}${valueIn(option, digest)}`;
    return begins ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  };
}

/** The flags that have an input have the same name, except one. */
function inputOf(flag: string | undefined): string | undefined {
  return flag === "out" ? "plan-file" : INPUT_NAMES.find((name) => name === flag);
}

function valueIn({ flag, value, isAdvice }: NamedOption, digest: string | null): string {
  if (value === undefined) return "";
  if (flag === "allow") return `: ${value}@${digest ?? "DIGEST, with the digest that the plan shows"}`;
  return isAdvice === true ? `: ${value}` : ` ${value}`;
}

export function spellingOf({ document }: StepOutcome): Spelling {
  return inputsOf(document?.digest ?? null);
}

/** Problems in the words of a workflow. */
export function inInputs(problems: readonly Problem[], digest: string | null): readonly Problem[] {
  const spelling = inputsOf(digest);
  return problems.map(({ sentences, ...rest }) =>
    sentences === undefined ? rest : { ...rest, detail: textOf(sentences, spelling) },
  );
}

/** An outcome with its problems in the words of a workflow. Its document already is. */
export function outcomeInInputs(outcome: StepOutcome): StepOutcome {
  const digest = outcome.document?.digest ?? null;
  return {
    ...outcome,
    problems: inInputs(outcome.problems, digest),
    remarks: inInputs(outcome.remarks, digest),
  };
}
