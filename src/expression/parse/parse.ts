import { requireText } from "../../model/arguments.js";
import { rememberedText } from "../../model/remembered.js";
import { type ExpressionProblem, problemOf } from "../problem.js";
import type { Expression } from "../tree.js";
import { parseLogic } from "./grammar.js";
import { isEnd, type Reader, Refusal, readerOf, refuse, type Spelling } from "./reader.js";

/** A text that is an expression, or the first mistake that keeps it from being one. */
export type Parsed =
  | { readonly ok: true; readonly tree: Expression }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/**
 * An expression as wirefilter reads it, the service's engine: reading and checking of types in one go, up to the first
 * mistake, which is shown where the engine shows it.
 */
export function parse(text: string): Parsed {
  const parsed = parseText(text);
  return parsed.ok ? { ok: true, tree: parsed.tree } : parsed;
}

/**
 * The same, read once for each text, with what the engine's own tree tells apart besides. Everybody has the same
 * result, so that nobody may change it; the library's users get their own by `parse`.
 */
export const parsedExpression = rememberedText(parseText);

function parseText(text: string): Spelt | (Parsed & { readonly ok: false }) {
  requireText(text, "An expression");
  const reader = readerOf(text);
  try {
    return { ok: true, tree: parseFilter(reader), spellings: reader.spellings };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return { ok: false, problem: problemOf(text, refusal) };
  }
}

interface Spelt {
  readonly ok: true;
  readonly tree: Expression;
  readonly spellings: readonly Spelling[];
}

function parseFilter(reader: Reader): Expression {
  const { expression, type } = parseLogic(reader);
  if (type.is !== "Bool") refuse(reader, { code: "not_boolean", type });
  if (!isEnd(reader)) refuse(reader, { code: "left_over" });
  return expression;
}
