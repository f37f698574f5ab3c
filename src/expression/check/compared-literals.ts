import { fromBytes } from "../bytes.js";
import { wildcardTexts } from "../evaluate/compare.js";
import type { ByteSet } from "../regex/byte-set.js";
import { readRegex } from "../regex/read.js";
import type { Regex } from "../regex/tree.js";
import type { Bytes, Comparison, Place, Test, Value } from "../tree.js";

/** A literal that a value is compared with. */
export interface Compared {
  /** The field. */
  readonly name: string;
  /** Whether it is one of a list or a map, or what another function gives. */
  readonly mayBeMissing: boolean;
  /** `lower` or `upper`, if the field is looked at through it. */
  readonly through: "lower" | "upper" | null;
  readonly by: By;
  readonly literal: Bytes;
  /** What the value has to have so that the comparison holds (`ne`: so that it does not). */
  readonly needs: readonly Needed[];
  /** The comparison, or the element of its set. */
  readonly place: Place;
}

type By =
  | "eq"
  | "ne"
  | "in"
  | "starts_with"
  | "ends_with"
  | "contains"
  | "matches"
  | "wildcard"
  | "strict wildcard";

export interface Needed {
  /** Where the text has to be in the value. */
  readonly how: "equals" | "begins" | "ends" | "within";
  readonly text: Bytes;
}

/** The literals of a comparison, an element of a set each; none where what they have to be is not known. */
export function literalsOf(comparison: Comparison): readonly Compared[] {
  const { left, test, start, end } = comparison;
  const place = { start, end };
  switch (test.as) {
    case "is_true":
      return affixCompared(left, place);
    case "in":
      return test.ranges.flatMap((element) =>
        element.type === "Bytes" ? compared(left, "in", element.value, element) : [],
      );
    default:
      return comparedByTest(left, test, place);
  }
}

function comparedByTest(left: Value, test: Test, place: Place): readonly Compared[] {
  switch (test.as) {
    case "order":
      return test.right.type === "Bytes" && (test.operator === "eq" || test.operator === "ne")
        ? compared(left, test.operator, test.right.value, place)
        : [];
    case "contains":
      return compared(left, "contains", test.right, place);
    case "matches":
      return compared(left, "matches", test.pattern, place);
    case "wildcard":
      return compared(left, test.caseless ? "wildcard" : "strict wildcard", test.pattern, place);
    default:
      return [];
  }
}

/** `starts_with` and `ends_with`. */
function affixCompared(value: Value, place: Place): readonly Compared[] {
  if (value.as !== "call" || (value.name !== "starts_with" && value.name !== "ends_with")) return [];
  const [source, affix] = value.args;
  if (source?.as !== "value" || affix?.as !== "literal" || affix.literal.type !== "Bytes") return [];
  return compared(source.value, value.name, affix.literal.value, place);
}

function compared(value: Value, by: By, literal: Bytes, { start, end }: Place): readonly Compared[] {
  const rest = { by, literal, needs: neededFor(by, literal), place: { start, end } };
  if (value.as === "field") return [{ ...fieldOf(value), through: null, ...rest }];
  const [source] = value.args;
  if ((value.name !== "lower" && value.name !== "upper") || source?.as !== "value") return [];
  return [{ ...fieldOf(source.value), through: value.name, ...rest }];
}

function fieldOf(value: Value): Pick<Compared, "name" | "mayBeMissing"> {
  return value.as === "field"
    ? { name: value.name, mayBeMissing: value.indexes.length > 0 }
    : { name: "", mayBeMissing: true };
}

function neededFor(by: By, literal: Bytes): readonly Needed[] {
  switch (by) {
    case "eq":
    case "ne":
    case "in":
      return [{ how: "equals", text: literal }];
    case "starts_with":
      return [{ how: "begins", text: literal }];
    case "ends_with":
      return [{ how: "ends", text: literal }];
    case "contains":
      return [{ how: "within", text: literal }];
    case "matches":
      return regexTexts(literal);
    case "wildcard":
    case "strict wildcard":
      return around(wildcardTexts(literal));
  }
}

/** What a pattern needs by the texts between its stars. */
function around(texts: readonly Bytes[]): readonly Needed[] {
  const last = texts.length - 1;
  if (last === 0) return texts.map((text) => ({ how: "equals", text }));
  return texts.map((text, index) => ({
    how: index === 0 ? "begins" : index === last ? "ends" : "within",
    text,
  }));
}

/** Texts that a value has to have so that a regular expression is found in it: those outside of all that is optional. */
function regexTexts(pattern: Bytes): readonly Needed[] {
  const read = readRegex(fromBytes(pattern) ?? pattern);
  return read.ok ? runsOf(flat(read.regex)) : [];
}

function flat(regex: Regex): readonly Regex[] {
  return regex.as === "sequence" ? regex.items.flatMap(flat) : [regex];
}

/** Bytes that stand side by side, with the ends of the whole text. */
function runsOf(items: readonly Regex[]): readonly Needed[] {
  const runs: Needed[] = [];
  let text = "";
  let isAtStart = false;
  const close = (isAtEnd: boolean) => {
    const how = isAtStart ? (isAtEnd ? "equals" : "begins") : isAtEnd ? "ends" : "within";
    if (text !== "" || how === "equals") runs.push({ how, text });
    text = "";
    isAtStart = false;
  };
  for (const [index, item] of items.entries()) {
    const byte = item.as === "byte" ? onlyByte(item.of) : null;
    if (byte !== null) text += byte;
    else {
      close(isEdge(item, "text_end"));
      isAtStart = index === 0 && isEdge(item, "text_start");
    }
  }
  close(false);
  return runs;
}

function isEdge(item: Regex, what: "text_start" | "text_end"): boolean {
  return item.as === "assert" && item.what === what;
}

function onlyByte(set: ByteSet): Bytes | null {
  return set !== 0n && (set & (set - 1n)) === 0n ? String.fromCharCode(set.toString(2).length - 1) : null;
}
