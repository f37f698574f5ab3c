import { cutEnd } from "../../model/cut.js";
import { suggest } from "../../model/did-you-mean.js";
import { blankName, codePointText } from "../../model/invisible-characters.js";
import { fieldTypes } from "../tables/fields.js";
import { functions } from "../tables/functions.js";
import { describeType, type Type } from "../tables/types.js";
import { callMeantBy, fieldMeantBy } from "../tables/usual-names.js";
import type { TextRange } from "../tree.js";

const BYTE_ORDER_MARK = "\ufeff";

/** The hint for a common mistake at this place. Null: none applies. */
export function misplacedHint(text: string, start: number): string | null {
  const sign = text.charAt(start);
  if (sign === "'") return "Strings have double quotes. Replace the single quotes.";
  if (/[\u2018-\u201f\u00ab\u00bb]/.test(sign))
    return `\`${sign}\` is a typographic quote. Write a straight \`"\`.`;
  if (sign === BYTE_ORDER_MARK)
    return "An invisible byte-order mark (U+FEFF) stands here. Save the text as UTF-8 without it.";
  if (/[\u200b-\u200d\u2060]/.test(sign)) return "An invisible character stands here. Remove it.";
  if (sign === "\t") return "A tab is not allowed inside an expression. Write a space.";
  if (/[^\S \r\n]/.test(sign)) {
    const blank = blankName(sign) ?? "space";
    return `A ${blank} (${codePointText(sign)}) is not allowed inside an expression. Write a plain space.`;
  }
  if (sign === ",")
    return "Do not use commas between conditions or elements of a set. Remove the comma, or write a space.";
  if (text.startsWith("=~", start)) return "`=~` is not an operator. Write `~` or `matches`.";
  if (/^\\["']/.test(text.slice(start, start + 2))) return habitAt(text, start);
  if (sign === "=") return "`=` and `===` are not operators. Write `==` or `eq`.";
  if (sign === "#" || text.startsWith("//", start))
    return "Comments are not allowed in an expression. Remove the comment.";
  return null;
}

export function unknownName(name: string, text: string, start: number): string {
  if (/^(?:and|or|xor)$/.test(name)) return `No condition stands before \`${name}\`. Add it.`;
  if (/^(?:true|false|not|any|all)$/i.test(name) && name !== name.toLowerCase()) {
    return `Keywords are lowercase. Write \`${name.toLowerCase()}\`.`;
  }
  const isQuantifier = name === "any" || name === "all";
  const after = start + name.length;
  if (isQuantifier && blankName(text.charAt(after)) !== null) return misplacedHint(text, after) ?? "";
  if (isQuantifier) return `\`${name}\` needs parentheses. Write \`${name}(… eq …)\`.`;
  if (/^[0-9.]+$/.test(name)) return "A comparison begins with a field. Write `cf.edge.server_port eq 443`.";
  if (name.toLowerCase() === "if") return "The language has no `if`. Write the condition alone.";
  const isCall = /^[ \r\n]*\(/.test(text.slice(start + name.length, start + name.length + 20));
  if (isOperator(name)) return misplacedOperator(name, isCall);
  return isCall ? unknownFunction(name) : unknownField(name);
}

function unknownFunction(name: string): string {
  const unknown = `No function \`${name.slice(0, MOST_SHOWN)}\` exists.`;
  if (name.length > MOST_SHOWN) return unknown;
  const habit = callMeantBy(name);
  if (habit !== null) return `${unknown} ${habit}`;
  const near = suggest(name, [...functions.keys(), "any", "all"]) ?? suggest(name, fieldTypes.keys());
  return near === null ? unknown : `${unknown} Did you mean \`${near}\`?`;
}

/** The message for an unknown field, with the likely intended one. */
export function unknownField(name: string): string {
  const unknown = `No field \`${name.slice(0, MOST_SHOWN)}\` exists.`;
  if (name.length > MOST_SHOWN) return unknown;
  const near = fieldMeantBy(name) ?? suggest(name, fieldTypes.keys()) ?? suggest(name, functions.keys());
  if (near === null) return unknown;
  return `${unknown} Did you mean \`${near}\`?${near === "ssl" ? IT_IS_BOOLEAN : ""}`;
}

const MOST_SHOWN = 80;

const IT_IS_BOOLEAN = " It is true for https. Write it alone or after `not`.";

function misplacedOperator(name: string, isCall: boolean): string {
  return isCall && name !== "in"
    ? `\`${name}\` is an operator. Write it between the field and the value: \`http.host ${name} "…"\`.`
    : `No field stands before \`${name}\`. Write one in each comparison, also after \`not\`: \`not http.host in {"a"}\`.`;
}

const OPERATORS = [
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "in",
  "contains",
  "matches",
  "wildcard",
  "strict wildcard",
];

export function isOperator(word: string): boolean {
  return OPERATORS.includes(word);
}

/** Words of other languages. */
const FOREIGN: Readonly<Record<string, string>> = {
  is: 'Write `eq "…"`.',
  like: "Write `wildcard`, with `*` for anything.",
  has: "Write `contains`.",
  includes: "Write `contains`.",
  starts_with: 'Write it as a function: `starts_with(http.request.uri.path, "/api/")`.',
  startswith: 'Write it as a function: `starts_with(http.request.uri.path, "/api/")`.',
  ends_with: 'Write it as a function: `ends_with(http.request.uri.path, ".js")`.',
  endswith: 'Write it as a function: `ends_with(http.request.uri.path, ".js")`.',
  and: "Complete the condition before it.",
  or: "Complete the condition before it.",
};

/** The message where an operator is missing. */
export function missingOperator(type: string, text: string, start: number): string {
  if (start >= text.trimEnd().length) {
    return `A value of the type ${type} is not a condition. Compare it, as in \`http.host eq "example.com"\`.`;
  }
  const hint = misplacedHint(text, start);
  if (hint !== null) return hint;
  const sign = text.charAt(start);
  if (text.startsWith("!~", start))
    return 'The operator `!~` does not exist. Write `not` before the field: `not http.host ~ "…"`.';
  if (sign === "(") return "A field takes no arguments. Compare it with an operator, such as `eq`.";
  if (sign === ")") return `A value of the type ${type} is not a condition. Compare it before the \`)\`.`;
  const word = /^[\w]+/.exec(text.slice(start, start + 40))?.[0] ?? wordAt(text, start);
  if (/^(?:["{$]|[0-9])/.test(word))
    return "No operator stands before the value. Add one, such as `eq` or `in`.";
  const lower = word.toLowerCase();
  if (lower === "not") return afterNot(text, start);
  if (OPERATORS.includes(lower)) return `Operators are lowercase. Write \`${lower}\`.`;
  const advice = FOREIGN[lower] ?? null;
  if (advice !== null) return `\`${word}\` is not an operator here. ${advice}`;
  const near = suggest(word, OPERATORS);
  return near === null
    ? `\`${word}\` is not an operator. Use one of ${OPERATORS.join(", ")}.`
    : `\`${word}\` is not an operator. Did you mean \`${near}\`?`;
}

/** `http.host not …`. */
function afterNot(text: string, start: number): string {
  const next = /^not[ \r\n]+([a-z=!~]+(?: wildcard)?)/i.exec(text.slice(start, start + 40))?.[1] ?? "in";
  if (/^(?:eq|==?|equals?)$/i.test(next))
    return "`not` cannot follow a field. Write `ne` or `!=` for not equal.";
  const operator = OPERATORS.includes(next) || next === "~" ? next : "in";
  const example = operator === "in" ? "not ip.src in {…}" : `not http.host ${operator} "…"`;
  return `\`not ${operator}\` does not exist. Write \`not\` before the field, as in \`${example}\`.`;
}

/** The message for text after a complete condition. */
export function leftOver(text: string, start: number): string {
  const after = text.slice(start, start + 80).trimStart();
  const at = start + text.slice(start).search(/[^ \r\n]/);
  const hint = misplacedHint(text, at);
  if (
    after.startsWith("==") ||
    /^(?:eq|ne|in|lt|le|gt|ge|contains|matches|(?:strict )?wildcard)\b|^[!<>~]=?/.test(after)
  ) {
    return "The value before this is already true or false. Write it alone, or with `not` before it.";
  }
  if (after.startsWith("'")) return "This quote closes nothing. Remove it; strings have double quotes.";
  if (hint !== null) return hint;
  if (
    /\$[a-z0-9_.]+$/.test(text.slice(Math.max(0, start - 60), start)) &&
    after === text.slice(start, start + 80)
  ) {
    return "Write the name of a list in lowercase letters, digits and `_`.";
  }
  if (after.startsWith(")")) return "This `)` closes no parenthesis. Remove it.";
  const word = /^[A-Za-z]+/.exec(after)?.[0] ?? "";
  if (/^(?:and|or|xor|not)$/i.test(word) && word !== word.toLowerCase()) {
    return `Operators are lowercase. Write \`${word.toLowerCase()}\`.`;
  }
  if (/^[&|^]/.test(after))
    return `A single \`${after.charAt(0)}\` is not an operator between conditions. Write \`${after.charAt(0).repeat(2)}\`.`;
  if (after.startsWith('"')) return 'A second value follows. Write several as a set: `in {"a" "b"}`.';
  if (isMidWord(text, start)) {
    const word = wordAround(text, start);
    return `\`${wordAt(text, start)}\` does not belong to the value before it. If \`${word}\` is one text, put it in double quotes: "${word}".`;
  }
  if (/^[.\-0-9]/.test(after))
    return `\`${wordAt(after, 0)}\` does not belong to the value before it. Remove it.`;
  return (
    swallowing(text, start) ?? `No operator stands before \`${wordAt(after, 0)}\`. Add \`and\` or \`or\`.`
  );
}

/** A string that lacks its closing quote ends at the opening quote of the next string. */
export function swallowing(text: string, start: number): string | null {
  if (!/[\w.]/.test(text.charAt(start))) return null;
  const [string] = /"(?:[^"\\]|\\.)*\s(?:[^"\\]|\\.)*"$/.exec(text.slice(0, start)) ?? [];
  if (string === undefined) return null;
  return `A closing \`"\` is missing: the string \`${cutEnd(string, MOST_STRING_CHARS)}\` ends only here. Write the \`"\` where its text ends.`;
}

const MOST_STRING_CHARS = 30;

/** The message at the end of the text, or for an invalid argument. */
export function missingValue(type: Type | null, text: string, start: number): string {
  if (type === null) {
    const hint = misplacedHint(text, start);
    if (hint !== null) return hint;
    const word = wordAt(text, start);
    return word === "" || word === ")"
      ? "An argument is missing. Write it here."
      : `\`${word}\` is not an argument. Write a field, a call, a string in double quotes, a number or an IP address.`;
  }
  if (isInSet(text, start)) return "The expression ends inside a set. Add the missing `}`.";
  return `The expression ends after the operator. Add a value of the type ${describeType(type)}.`;
}

/** Whether an earlier `{` is still open. */
export function isInSet(text: string, start: number): boolean {
  return start > 0 && text.lastIndexOf("{", start - 1) > text.lastIndexOf("}", start - 1);
}

/** The hint for a common mistake where a value should follow an operator. Null: none applies. */
export function habitAt(text: string, start: number): string | null {
  const before = text.slice(Math.max(0, start - MOST_CHARS), start);
  const there = text.slice(start, start + MOST_CHARS);
  for (const { after, writes, say } of habits) {
    const operator = after.exec(before);
    const written = operator === null ? null : writes.exec(there);
    if (operator !== null && written !== null) return say(written, operator[1] ?? "");
  }
  return null;
}

const MOST_CHARS = 80;

interface Habit {
  /** The text before it. Its first group is the operator. */
  readonly after: RegExp;
  readonly writes: RegExp;
  readonly say: (written: RegExpExecArray, operator: string) => string;
}

const ANYTHING = /(?:)/;
const EQUALITY = /(\beq|==|\bne|!=)[ \r\n]*$/;
const PARTIAL = /(\bcontains|\bwildcard)[ \r\n]*$/;
const REGEX = /(\bmatches|~)[ \r\n]*$/;

const habits: readonly Habit[] = [
  {
    after: /<$/,
    writes: /^>/,
    say: () => "`<>` is not an operator. Write `!=` or `ne`.",
  },
  {
    after: /\b(wildcard)[ \r\n]+$/,
    writes: /^strict\b/,
    say: () => "The two words are in the wrong order. Write `strict wildcard`.",
  },
  {
    after: /(\bcontains|\bwildcard|\bmatches|~|\beq|==|\bne|!=|[lg][te]|[<>]=?)[ \r\n]*$/,
    writes: /^(?:\(\s*("[^"]*")\s*\)|\[\s*("[^"]*")\s*\]|\{\s*("[^"]*")\s*\})/,
    say: ([, round, square, braced], operator) =>
      `\`${operator}\` takes one value without brackets. Write \`${operator} ${round ?? square ?? braced}\`.`,
  },
  {
    after: EQUALITY,
    writes: /^[([{]/,
    say: (_written, operator) =>
      `\`${operator}\` takes one value. For several, write \`in\` and a set: \`in {"a" "b"}\`.`,
  },
  {
    after: PARTIAL,
    writes: /^[([{]/,
    say: (_written, operator) =>
      `\`${operator}\` takes one text. Write a condition for each, with \`or\` between them; \`in {"a" "b"}\` compares with whole texts.`,
  },
  {
    after: REGEX,
    writes: /^[([{]/,
    say: (_written, operator) =>
      `\`${operator}\` takes one pattern in double quotes. Join several into one: \`${operator} "a|b"\`.`,
  },
  {
    after: ANYTHING,
    writes: /^\\+["']/,
    say: () =>
      "Remove the backslash before the quote. It belongs to the JSON, Terraform or shell text that the expression comes from.",
  },
  {
    after: /[0-9a-fA-F]$/,
    writes: /^[ ]*-[ ]*[0-9a-fA-F:.]+/,
    say: () => "A range of addresses has two dots. Write `192.0.2.1..192.0.2.10`.",
  },
];

/** The word at this place, or the sign. */
export function wordAt(text: string, start: number): string {
  const word = /^[^\s"'(){}[\],]+/.exec(text.slice(start, start + MOST_WORD_CHARS));
  return word?.[0] ?? text.charAt(start);
}

const MOST_WORD_CHARS = 80;

/** Whether the place is inside a word. The engine may stop in the middle of one. */
export function isMidWord(text: string, at: number): boolean {
  return at > 0 && /\w/.test(text.charAt(at - 1)) && /\w/.test(text.charAt(at));
}

/** The whole word at this place. */
export function placeAround(text: string, at: number): TextRange {
  const before = isMidWord(text, at)
    ? /[\w.:/-]+$/.exec(text.slice(Math.max(0, at - MOST_WORD_CHARS), at))
    : null;
  const start = at - (before?.[0].length ?? 0);
  return { start, end: at + wordAt(text, at).length };
}

export function wordAround(text: string, at: number): string {
  const { start, end } = placeAround(text, at);
  return text.slice(start, end);
}
