import { jsonText } from "../model/json-text.js";
import { hasErrors, type Problem, type Span } from "../model/problem.js";
import { problemRecord } from "./problems.js";

/** A text that was looked at on its own, and what there is to say about it. */
export interface Checked {
  readonly text: string;
  /** Where it begins. */
  readonly at: Span;
  readonly problems: readonly Problem[];
  /** What it could have besides: nothing is wrong without. */
  readonly advice: readonly { readonly code: string; readonly message: string }[];
}

/** Checked texts for programs. */
export function checkedJson(checked: readonly Checked[]): string {
  const results = checked.map(({ text, problems, advice }) => ({
    text,
    ok: !hasErrors(problems),
    problems: problems.map(problemRecord),
    advice,
  }));
  const all = results.flatMap(({ problems }) => problems);
  return jsonText({ ok: results.every(({ ok }) => ok), problems: all, results });
}
