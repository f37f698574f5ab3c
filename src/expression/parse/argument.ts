import { BYTES, INT, IP, type Type } from "../tables/types.js";
import type { Argument, Literal } from "../tree.js";
import { parseTest } from "./comparison.js";
import { readBytes } from "./literal-bytes.js";
import { readInt } from "./literal-int.js";
import { readIp } from "./literal-ip.js";
import { parseLogic, quantifierAt } from "./logic.js";
import { isOperatorAt } from "./operator.js";
import { attempt, type Reader, Refusal, refuse, skipSpace } from "./reader.js";
import { parseValue, type TypedValue } from "./value.js";

export interface TypedArgument {
  readonly argument: Argument;
  readonly type: Type;
  readonly isEach: boolean;
}

/** What it is, is seen from its first characters where the engine sees it there; otherwise everything is tried. */
export function parseArgument(reader: Reader): TypedArgument {
  const { text, at } = reader;
  if (text[at] === '"' || (text[at] === "r" && /["#]/.test(text[at + 1] ?? ""))) {
    return literalArgument({ type: "Bytes", value: readBytes(reader) });
  }
  if (text[at] === "(" || text[at] === "!" || text.startsWith("not", at) || quantifierAt(text, at) !== null) {
    const { expression, type } = parseLogic(reader);
    return { argument: { as: "expression", expression }, type, isEach: false };
  }
  if (isSurelyName(text, at)) return valueArgument(reader, parseValue(reader));
  if (!/[A-Za-z_]/.test(text[at] ?? "")) return parseAnyLiteral(reader);
  const value = attempt(reader, parseValue);
  return value instanceof Refusal ? parseAnyLiteral(reader, value) : valueArgument(reader, value);
}

/** A letter after F, or `_`, among the first three characters of a word. */
function isSurelyName(text: string, at: number): boolean {
  return /^[0-9A-Fa-f]{0,2}[G-Zg-z_]/.test(text.slice(at, at + 3));
}

/** A value, or one comparison. */
function valueArgument(reader: Reader, value: TypedValue): TypedArgument {
  const end = reader.at;
  skipSpace(reader);
  const isComparison = isOperatorAt(reader.text, reader.at);
  reader.at = end;
  if (!isComparison)
    return { argument: { as: "value", value: value.value }, type: value.type, isEach: value.isEach };
  const { expression, type } = parseTest(reader, value);
  return { argument: { as: "expression", expression }, type, isEach: false };
}

/**
 * The engine refuses all of an argument that it can read in no way.
 *
 * @param asValue why it was no field and no call either, which says more where it begins like one
 */
function parseAnyLiteral(reader: Reader, asValue?: Refusal): TypedArgument {
  const ip = beginsLikeIp(reader) ? attempt(reader, readIp) : null;
  if (ip !== null && !(ip instanceof Refusal)) return literalArgument({ type: "Ip", value: ip });
  const int = attempt(reader, readInt);
  if (!(int instanceof Refusal)) return literalArgument({ type: "Int", value: int });
  const bytes = attempt(reader, readBytes);
  if (!(bytes instanceof Refusal)) return literalArgument({ type: "Bytes", value: bytes });
  return refuse(reader, asValue?.why ?? { code: "expected_value", type: null });
}

function beginsLikeIp({ text, at }: Reader): boolean {
  return /^[0-9a-fA-F]{0,4}[.:]/.test(text.slice(at, at + 5));
}

const literalTypes = { Bytes: BYTES, Int: INT, Ip: IP } as const;

function literalArgument(literal: Literal): TypedArgument {
  return { argument: { as: "literal", literal }, type: literalTypes[literal.type], isEach: false };
}
