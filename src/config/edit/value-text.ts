import { isScalar, isSeq, parseDocument, Scalar } from "yaml";
import { isList, isObject, type Json } from "../../model/json.js";
import { isOdd, quoted } from "../yaml-text.js";

/** Where a value is to stand: between brackets, more characters mean something. */
export type Surroundings = "block" | "flow";

/** A value on one line, in the quotes of what it replaces where they can hold it. */
export function valueText(value: Json, where: Surroundings, like: Scalar | null = null): string {
  if (isList(value)) return `[${value.map((each) => valueText(each, "flow")).join(", ")}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(
      ([key, each]) => `${keyText(key, "flow")}: ${valueText(each, "flow")}`,
    );
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  return typeof value === "string" ? textText(value, where, like) : String(value);
}

export function keyText(key: string, where: Surroundings): string {
  return !isOdd(key) && isPlain(key, where) ? key : quoted(key);
}

function textText(text: string, where: Surroundings, like: Scalar | null): string {
  if (isOdd(text)) return quoted(text);
  const single = `'${text.replaceAll("'", "''")}'`;
  if (like?.type === Scalar.QUOTE_SINGLE) return single;
  if (like?.type === Scalar.QUOTE_DOUBLE) return quoted(text);
  if (isPlain(text, where)) return text;
  return text.includes('"') ? single : quoted(text);
}

/** Whether a text means itself without quotes. */
function isPlain(text: string, where: Surroundings): boolean {
  const doc = parseDocument(where === "flow" ? `[${text}]` : `- ${text}\n`, { version: "1.2" });
  const [item, another] = isSeq(doc.contents) ? doc.contents.items : [];
  const isClean = doc.errors.length + doc.warnings.length === 0 && !doc.comment && !doc.contents?.comment;
  return isClean && another === undefined && isScalar(item) && item.value === text && isBare(item);
}

function isBare({ type, anchor, tag, comment, commentBefore }: Scalar): boolean {
  return type === Scalar.PLAIN && !anchor && !tag && !comment && !commentBefore;
}
