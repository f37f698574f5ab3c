import { fromBytes } from "../bytes.js";
import { fieldType } from "../tables/fields.js";
import { signatureOf } from "../tables/functions.js";
import type { Type } from "../tables/types.js";
import type { Index, Value } from "../tree.js";
import { parseCall } from "./call.js";
import { readBytes } from "./literal-bytes.js";
import { readInt } from "./literal-int.js";
import { attempt, expect, type Reader, Refusal, readIf, refuse, skipSpace } from "./reader.js";

export interface TypedValue {
  readonly value: Value;
  readonly type: Type;
  /** Whether it has `[*]`: the type is that of one of many then. */
  readonly isEach: boolean;
}

/** A field or a call, with its indexes. */
export function parseValue(reader: Reader): TypedValue {
  const start = reader.at;
  const name = readName(reader);
  const type = fieldType(name);
  if (type !== undefined)
    return parseIndexes(reader, { as: "field", name, indexes: [], start, end: reader.at }, type);
  const signature = signatureOf(name);
  if (signature === undefined) return refuse(reader, { code: "unknown_name", name }, start, reader.at);
  const call = parseCall(reader, name, signature);
  return parseIndexes(
    reader,
    { as: "call", name, args: call.args, indexes: [], start, end: reader.at },
    call.type,
  );
}

function readName(reader: Reader): string {
  const start = reader.at;
  do {
    const part = reader.at;
    while (/[A-Za-z0-9_]/.test(reader.text[reader.at] ?? "")) reader.at += 1;
    if (reader.at === part) refuse(reader, { code: "expected_name" });
  } while (readIf(reader, "."));
  return reader.text.slice(start, reader.at);
}

function parseIndexes(reader: Reader, value: Value, type: Type): TypedValue {
  const indexes: Index[] = [];
  let current = type;
  while (reader.text[reader.at] === "[") {
    const start = reader.at;
    const index = readIndex(reader);
    current =
      elementOf(current, index) ??
      refuse(reader, { code: "unsupported_index", type: current }, start, reader.at);
    indexes.push(index);
  }
  const isEach = indexes.some(({ as }) => as === "each");
  return { value: { ...value, indexes, end: reader.at }, type: current, isEach };
}

function readIndex(reader: Reader): Index {
  reader.at += 1;
  skipSpace(reader);
  const index = readKey(reader);
  skipSpace(reader);
  expect(reader, "]");
  return index;
}

function readKey(reader: Reader): Index {
  if (readIf(reader, "*")) return { as: "each" };
  const start = reader.at;
  if (reader.text[start] === '"') {
    const spellings = reader.spellings.length;
    const key = fromBytes(readBytes(reader));
    reader.spellings.length = spellings;
    return key === null ? refuse(reader, { code: "index_not_utf8" }, start, reader.at) : { as: "key", key };
  }
  const at = attempt(reader, readInt);
  if (at instanceof Refusal) return refuse(reader, { code: "invalid_index" });
  if (at < 0n || at > MOST_INDEX) refuse(reader, { code: "index_too_large" }, start, reader.at);
  return { as: "at", at: Number(at) };
}

const MOST_INDEX = 2n ** 32n - 1n;

function elementOf(type: Type, index: Index): Type | null {
  if (!("of" in type)) return null;
  if (index.as === "each") return type.of;
  return type.is === (index.as === "at" ? "Array" : "Map") ? type.of : null;
}
