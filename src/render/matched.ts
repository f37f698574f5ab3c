import { jsonText } from "../model/json-text.js";
import type { Palette } from "./palette.js";
import { plain } from "./safe-text.js";

/** The answer of a CSP value or an expression for one URL. */
export interface Matched {
  readonly subject: string;
  readonly outcome: string;
  readonly isGood: boolean;
  /** Full sentences. */
  readonly why: readonly string[];
  /** The answer as JSON. */
  readonly record: { readonly [name: string]: unknown };
}

/** `OUTCOME  URL`, and the reasons below. */
export function matchedText(matched: readonly Matched[], colors: Palette): string {
  const width = matched.reduce((most, { outcome }) => Math.max(most, outcome.length), 0);
  return matched
    .map(({ subject, outcome, isGood, why }) => {
      const paint = isGood ? colors.stronger : colors.weaker;
      const head = `${paint(outcome)}${" ".repeat(width - outcome.length)}  ${plain(subject)}`;
      return [head, ...why.map((each) => `  ${plain(each)}`)].map((line) => `${line}\n`).join("");
    })
    .join("");
}

export function matchedJson(matched: readonly Matched[]): string {
  return jsonText({ results: matched.map(({ record }) => record) });
}
