import { equal as isSame, type Json } from "../../model/json.js";
import { parsedExpression } from "../parse/parse.js";
import { presentName } from "../tables/fields.js";
import type { Expression, Field, Value } from "../tree.js";
import { normalise } from "./normalise.js";

/**
 * What the engine's tree holds of an expression, for comparing: without places, parentheses and the spelling of
 * operators and literals. Of a text that is no expression, the text without the whitespace between its words.
 */
function canonical(text: string): Json {
  const parsed = parsedExpression(text);
  if (!parsed.ok) return normalise(text);
  return JSON.parse(bare({ tree: parsed.tree, spellings: parsed.spellings }, (name) => name));
}

/** A text that is the same for two nodes only if they mean the same: without old names of fields too. */
export function canonicalNode(node: Expression | Value): string {
  return bare(node, presentName);
}

/** A text that is the same for two nodes only if they are the same but for their places. */
export function exactNode(node: Expression): string {
  return bare(node, (name) => name);
}

function bare(node: object, nameOf: (field: string) => string): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === "start" || key === "end") return undefined;
    if (isField(value)) return { ...value, name: nameOf(value.name) };
    return typeof value === "bigint" ? value.toString() : value;
  });
}

function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && "as" in value && value.as === "field";
}

/**
 * Whether two texts are the same tree to the engine. What only means the same is not equal here: the other order of a
 * set, a range instead of a network. Texts that are no expressions are equal where only their whitespace differs.
 */
export function equal(one: string, other: string): boolean {
  return one === other || isSame(canonical(one), canonical(other));
}
