import { rememberedText } from "../../model/remembered.js";
import { parsedExpression } from "../parse/parse.js";
import type { Bytes, Expression } from "../tree.js";
import { questionOf } from "./questions.js";

/**
 * Whether no request matches both expressions, as they ask for different texts, or different starts, of one field.
 * `coverage` works out what else tells them apart, and takes far longer. False: they may have requests in common.
 */
export function areApart(a: string, b: string): boolean {
  return startsIn(a).some((one) =>
    startsIn(b).some((other) => one.field === other.field && !meet(one, other)),
  );
}

/** What a field has to begin with, or to be, wherever an expression matches. */
interface Start {
  /** With its indexes. */
  readonly field: string;
  readonly text: Bytes;
  readonly isWhole: boolean;
}

const startsIn = rememberedText((text): readonly Start[] => {
  const parsed = parsedExpression(text);
  return parsed.ok ? startsOf(parsed.tree) : [];
});

function startsOf(tree: Expression): readonly Start[] {
  if (tree.as === "and") return tree.items.flatMap(startsOf);
  const question = tree.as === "comparison" ? questionOf(tree) : null;
  if (question === null || question.through.length > 0 || question.of.as !== "field") return [];
  const { of, asks } = question;
  const field = JSON.stringify([of.name, of.indexes]);
  if (asks.as === "starts_with") return [{ field, text: asks.text, isWhole: false }];
  if (asks.as !== "order" || asks.operator !== "eq" || asks.right.type !== "Bytes") return [];
  return [{ field, text: asks.right.value, isWhole: true }];
}

function meet(one: Start, other: Start): boolean {
  const [longer, shorter] = one.text.length >= other.text.length ? [one, other] : [other, one];
  return longer.text.startsWith(shorter.text) && (!shorter.isWhole || longer.text === shorter.text);
}
