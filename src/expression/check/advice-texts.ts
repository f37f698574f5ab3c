import type { Bytes, Comparison, Place, Value } from "../tree.js";

/** A text that a value is compared with. */
export interface TextCompared {
  /** The field. */
  readonly name: string;
  /** `lower` or `upper`, if the field is looked at through it. */
  readonly through: "lower" | "upper" | null;
  /** Where the text would have to be in the value. */
  readonly how: "equals" | "begins" | "ends" | "within" | "wildcard";
  readonly text: Bytes;
  readonly place: Place;
}

/** The texts of a comparison that has to fail where its text cannot be. */
export function textsCompared({ left, test, start, end }: Comparison): readonly TextCompared[] {
  const place = { start, end };
  switch (test.as) {
    case "is_true":
      return affixCompared(left, place);
    case "order":
      return test.operator === "eq" && test.right.type === "Bytes"
        ? compared(left, "equals", test.right.value, place)
        : [];
    case "in":
      return test.ranges.flatMap((range) =>
        range.type === "Bytes" ? compared(left, "equals", range.value, place) : [],
      );
    case "contains":
      return compared(left, "within", test.right, place);
    case "wildcard":
      return compared(left, "wildcard", test.pattern, place);
    default:
      return [];
  }
}

/** `starts_with` and `ends_with`. */
function affixCompared(value: Value, place: Place): readonly TextCompared[] {
  if (value.as !== "call" || (value.name !== "starts_with" && value.name !== "ends_with")) return [];
  const [source, affix] = value.args;
  if (source?.as !== "value" || affix?.as !== "literal" || affix.literal.type !== "Bytes") return [];
  return compared(source.value, value.name === "starts_with" ? "begins" : "ends", affix.literal.value, place);
}

function compared(
  value: Value,
  how: TextCompared["how"],
  text: Bytes,
  place: Place,
): readonly TextCompared[] {
  if (value.as === "field") return [{ name: value.name, through: null, how, text, place }];
  const [source] = value.args;
  if ((value.name !== "lower" && value.name !== "upper") || source?.as !== "value") return [];
  const name = source.value.as === "field" ? source.value.name : "";
  return [{ name, through: value.name, how, text, place }];
}
