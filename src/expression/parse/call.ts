import { parameterAt, type Signature, takes } from "../tables/functions.js";
import { BYTES, isSameType, type Type } from "../tables/types.js";
import type { Argument } from "../tree.js";
import { parseArgument, type TypedArgument } from "./argument.js";
import { deeper, expect, isEnd, type Reader, refuse, skipSpace } from "./reader.js";
import type { Refused } from "./refusal.js";

/** The arguments of a function, after its name, and what it gives for them. */
export function parseCall(
  reader: Reader,
  name: string,
  signature: Signature,
): { readonly args: readonly Argument[]; readonly type: Type } {
  skipSpace(reader);
  deeper(reader, reader.at);
  expect(reader, "(");
  skipSpace(reader);
  const given: TypedArgument[] = [];
  while (!isEnd(reader) && reader.text[reader.at] !== ")") {
    if (given.length > 0) expect(reader, ",");
    skipSpace(reader);
    const start = reader.at;
    const next = parseArgument(reader);
    const why = argumentProblem(name, signature, given, next);
    if (why !== null) refuse(reader, why, start, reader.at);
    given.push(next);
    skipSpace(reader);
  }
  if (given.length < signature.least) refuse(reader, { code: "argument_count", name });
  expect(reader, ")");
  reader.depth -= 1;
  return { args: given.map(({ argument }) => argument), type: returned(signature, given) };
}

/** Why the argument cannot follow those before it, or null. */
function argumentProblem(
  name: string,
  signature: Signature,
  before: readonly TypedArgument[],
  { argument, type, isEach }: TypedArgument,
): Refused | null {
  const index = before.length;
  if (isEach && index > 0) return { code: "argument_each", name };
  const parameter = parameterAt(signature, index);
  if (parameter === undefined) return { code: "argument_count", name };
  const kind = argument.as === "literal" ? "literal" : "field";
  if (parameter.kind !== "any" && parameter.kind !== kind) return { code: "argument_kind", name, index };
  const first = signature.returns === "same" ? (before[0]?.type ?? null) : null;
  const isRight = first === null ? takes(parameter, type) : isSameType(type, first);
  if (!isRight) return { code: "argument_type", name, index, type, first };
  if (parameter.range === null || argument.as !== "literal" || argument.literal.type !== "Int") return null;
  const [least, most] = parameter.range;
  const isInRange = argument.literal.value >= least && argument.literal.value <= most;
  return isInRange ? null : { code: "argument_value", name, index };
}

/** With `[*]` in its first argument a function is called for each element. */
function returned(signature: Signature, [first]: readonly TypedArgument[]): Type {
  const one = signature.returns === "same" ? (first?.type ?? BYTES) : signature.returns;
  return first?.isEach === true ? { is: "Array", of: one } : one;
}
