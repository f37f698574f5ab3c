import { wildcardTexts } from "../evaluate/compare.js";
import type { ByteSet } from "../regex/byte-set.js";
import { readRegex } from "../regex/read.js";
import type { Regex } from "../regex/tree.js";
import { renderBytes } from "../spelling/render.js";
import type { Bytes, Comparison, Test, TextRange, Value } from "../tree.js";
import { fromBytes, toUpper } from "../value.js";

/** A likely mistake in a literal, judged by the field and the operator. */
export interface LiteralRule {
  readonly applies: (compared: Compared, needed: Needed) => boolean;
  /** Why the comparison never holds, as the beginning of a sentence. */
  readonly never?: string;
  /** Otherwise, the actual effect, in full sentences. */
  readonly code?: string;
  readonly message?: (compared: Compared) => string;
  /** The fix, as sentences. */
  readonly instead?: string;
}

/** The first rule that applies is reported. */
export const literalRules: readonly LiteralRule[] = [
  {
    applies: ({ name }, { text }) => name === "http.host" && /[/\s]/.test(text),
    never: "`http.host` has only the host name, without scheme and path",
  },
  {
    applies: ({ by, literal, name }) =>
      !isPattern(by) && literal.includes("*") && isStarSurelyMeant(name, by, literal),
    code: "expression_literal_star",
    message: ({ by, name, literal }) =>
      by === "eq" || by === "ne" || by === "in"
        ? `For \`${by}\`, a \`*\` is only a star. Write a pattern with \`wildcard\`: \`${name} wildcard ${renderBytes(literal)}\`.`
        : `For \`${by}\`, a \`*\` is only a star. Remove it: ${FOLLOWS[by] ?? ""}`,
  },
  {
    applies: ({ by, literal }) => isWildcard(by) && literal.includes("?") && !/[?&][^=*]*=/.test(literal),
    code: "expression_literal_question_mark",
    message: () => "In a wildcard pattern, `?` is only a question mark. Write `*` for any text.",
  },
  {
    applies: ({ name }, needed) => isPath(name) && isBeginning(needed) && !needed.text.startsWith("/"),
    never: "A path always begins with `/`, and this string does not",
  },
  {
    applies: ({ name }, needed) =>
      /^(?:raw\.)?http\.request\.uri$/.test(name) && isBeginning(needed) && !needed.text.startsWith("/"),
    never: "This field has only the path and the query, so it begins with `/`, and this string does not",
    instead: "For a URL with scheme and host, use `http.request.full_uri`.",
  },
  {
    applies: ({ name, by, through }, needed) =>
      /^(?:raw\.)?http\.request\.full_uri$/.test(name) &&
      isBeginning(needed) &&
      !SCHEMES.some((scheme) =>
        canBegin(
          by === "wildcard" || through === "upper" ? needed.text.toLowerCase() : needed.text,
          needed,
          scheme,
        ),
      ),
    never: "A full URI begins with `http://` or `https://`, and this string does not",
  },
  {
    applies: ({ name }, { text }) => isPath(name) && text.includes("?"),
    never: "A path never has a `?`",
    instead: "For the text after it, use `http.request.uri.query`.",
  },
  {
    applies: ({ name }, { how, text }) =>
      /^(?:raw\.)?http\.request\.uri\.query$/.test(name) &&
      how !== "within" &&
      how !== "ends" &&
      text.startsWith("?"),
    code: "expression_query_with_mark",
    message: () => "This field has the query without its `?`. Remove the `?`.",
  },
  {
    applies: ({ name }, { text }) => name.endsWith("http.request.uri.path.extension") && text.includes("."),
    never: "The extension comes without its dot",
  },
  {
    applies: ({ name, through, by }, { how, text }) =>
      isCountry(name) && through === null && by !== "wildcard" && how === "equals" && /^[a-z]{2}$/.test(text),
    never: "Country codes are uppercase",
  },
  {
    applies: ({ name }, { how, text }) => isCountry(name) && how === "equals" && toUpper(text) === "UK",
    never: "The code of the United Kingdom is `GB`",
  },
  {
    applies: ({ name }, { how, text }) => isCountry(name) && how === "equals" && text.length > 2,
    never: "Codes of countries have two letters",
  },
  {
    applies: ({ name, through, by }, { how, text }) =>
      name === "http.request.method" &&
      through === null &&
      by !== "wildcard" &&
      how === "equals" &&
      METHODS.test(text) &&
      text !== toUpper(text),
    code: "expression_method_case",
    message: ({ literal }) => `Methods are uppercase. Write ${renderBytes(toUpper(literal))}.`,
  },
  {
    applies: ({ through, by }, { text }) => through === "lower" && by !== "wildcard" && /[A-Z]/.test(text),
    never: "`lower` gives no uppercase letters",
    instead: "Write it in lowercase.",
  },
  {
    applies: ({ through, by }, { text }) => through === "upper" && by !== "wildcard" && /[a-z]/.test(text),
    never: "`upper` gives no lowercase letters",
    instead: "Write it in uppercase.",
  },
];

const FOLLOWS: { readonly [by in Compared["by"]]?: string } = {
  starts_with: "any text may follow.",
  ends_with: "any text may come before.",
  contains: "any text may be around it.",
};

const SCHEMES = ["http://", "https://"];

/** Browsers write these in upper case, whatever the page says. `patch` stays as written. */
const METHODS = /^(?:delete|get|head|options|post|put)$/i;

function isPath(name: string): boolean {
  return name === "http.request.uri.path" || name === "raw.http.request.uri.path";
}

function isCountry(name: string): boolean {
  return name === "ip.src.country" || name === "ip.geoip.country";
}

function isWildcard(by: Compared["by"]): boolean {
  return by === "wildcard" || by === "strict wildcard";
}

function isPattern(by: Compared["by"]): boolean {
  return isWildcard(by) || by === "matches";
}

/** Whether the text has to be at the start of the value. */
function isBeginning({ how, text }: Needed): boolean {
  return how === "equals" || (how === "begins" && text !== "");
}

function canBegin(text: string, { how }: Needed, scheme: string): boolean {
  return text.startsWith(scheme) || (how === "begins" && scheme.startsWith(text));
}

/** Stars do not occur in hosts, methods and country codes. They may occur in URLs, in headers and in attacks. */
function isStarSurelyMeant(name: string, by: Compared["by"], literal: string): boolean {
  if (/^(?:http\.host|http\.request\.method|ip\.(?:src|geoip)\.country)$/.test(name)) return true;
  if (!/^(?:raw\.)?http\.(?:request\.(?:uri|full_uri|uri\.path)|user_agent|referer)$/.test(name))
    return false;
  if (by === "contains") return /^\*[^*/]*\w[^*/]*\*$|^\/[^*]*\w[^*]*\/\*$/.test(literal);
  return /\w/.test(literal) || literal === "/*" || literal === "*";
}

/** A literal that a value is compared with. */
export interface Compared {
  /** The field. */
  readonly name: string;
  /** Whether the value is an element of a list or map, or the result of another function. */
  readonly mayBeMissing: boolean;
  /** `lower` or `upper`, if the field is wrapped in it. */
  readonly through: "lower" | "upper" | null;
  readonly by: By;
  readonly literal: Bytes;
  /** The texts that the value needs for the comparison to hold (`ne`: to fail). */
  readonly needs: readonly Needed[];
  /** The comparison, or the element of its set. */
  readonly place: TextRange;
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

interface Needed {
  /** The position of the text in the value. */
  readonly how: "equals" | "begins" | "ends" | "within";
  readonly text: Bytes;
}

/** The literals of a comparison, one for each element of a set. Empty: the needed texts are unknown. */
export function literalsOf(comparison: Comparison): readonly Compared[] {
  const { left, test, start, end } = comparison;
  const place = { start, end };
  switch (test.as) {
    case "is_true":
      return affixCompared(left, place);
    case "in":
      return test.ranges.flatMap((element) =>
        element.type === "Bytes" ? comparedLiteral(left, "in", element.value, element) : [],
      );
    default:
      return comparedByTest(left, test, place);
  }
}

function comparedByTest(left: Value, test: Test, place: TextRange): readonly Compared[] {
  switch (test.as) {
    case "order":
      return test.right.type === "Bytes" && (test.operator === "eq" || test.operator === "ne")
        ? comparedLiteral(left, test.operator, test.right.value, place)
        : [];
    case "contains":
      return comparedLiteral(left, "contains", test.right, place);
    case "matches":
      return comparedLiteral(left, "matches", test.pattern, place);
    case "wildcard":
      return comparedLiteral(left, test.caseless ? "wildcard" : "strict wildcard", test.pattern, place);
    default:
      return [];
  }
}

/** `starts_with` and `ends_with`. */
function affixCompared(value: Value, place: TextRange): readonly Compared[] {
  if (value.as !== "call" || (value.name !== "starts_with" && value.name !== "ends_with")) return [];
  const [source, affix] = value.args;
  if (source?.as !== "value" || affix?.as !== "literal" || affix.literal.type !== "Bytes") return [];
  return comparedLiteral(source.value, value.name, affix.literal.value, place);
}

function comparedLiteral(
  value: Value,
  by: By,
  literal: Bytes,
  { start, end }: TextRange,
): readonly Compared[] {
  const shared = { by, literal, needs: neededFor(by, literal), place: { start, end } };
  if (value.as === "field") return [{ ...fieldOf(value), through: null, ...shared }];
  const [source] = value.args;
  if ((value.name !== "lower" && value.name !== "upper") || source?.as !== "value") return [];
  return [{ ...fieldOf(source.value), through: value.name, ...shared }];
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
      return wildcardNeeds(wildcardTexts(literal));
  }
}

/** The texts between the stars of a wildcard pattern, as needs. */
function wildcardNeeds(texts: readonly Bytes[]): readonly Needed[] {
  const last = texts.length - 1;
  if (last === 0) return texts.map((text) => ({ how: "equals", text }));
  return texts.map((text, index) => ({
    how: index === 0 ? "begins" : index === last ? "ends" : "within",
    text,
  }));
}

/** The texts that a value needs to match a regular expression: those outside of optional parts. */
function regexTexts(pattern: Bytes): readonly Needed[] {
  const parsed = readRegex(fromBytes(pattern) ?? pattern);
  return parsed.ok ? runsOf(flat(parsed.regex)) : [];
}

function flat(regex: Regex): readonly Regex[] {
  return regex.as === "sequence" ? regex.items.flatMap(flat) : [regex];
}

/** Runs of adjacent bytes, and whether a run touches an end of the text. */
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

function isEdge(item: Regex, edge: "text_start" | "text_end"): boolean {
  return item.as === "assert" && item.assertion === edge;
}

function onlyByte(set: ByteSet): Bytes | null {
  return set !== 0n && (set & (set - 1n)) === 0n ? String.fromCharCode(set.toString(2).length - 1) : null;
}
