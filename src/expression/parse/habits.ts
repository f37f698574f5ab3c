import { fieldTypes } from "../tables/fields.js";
import { functions } from "../tables/functions.js";
import { wordAt } from "./word.js";

/** What people write where a value should stand after an operator, and what to write instead; null: none of it. */
export function habitAt(text: string, start: number): string | null {
  const before = text.slice(Math.max(0, start - MOST_CHARS), start);
  const there = text.slice(start, start + MOST_CHARS);
  for (const { after, writes, say } of habits) {
    const operator = after.exec(before);
    const written = operator === null ? null : writes.exec(there);
    if (operator !== null && written !== null) return say(written, operator[1] ?? "");
  }
  return computed(text, start);
}

const MOST_CHARS = 80;

interface Habit {
  /** What stands before it; its first group is the operator. */
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
    say: () => "`<>` is no operator. Write `!=` or `ne`.",
  },
  {
    after: /\b(wildcard)[ \r\n]+$/,
    writes: /^strict\b/,
    say: () => "The two words stand the other way round: write `strict wildcard`.",
  },
  {
    after: /(\bcontains|\bwildcard|\bmatches|~|\beq|==|\bne|!=|[lg][te]|[<>]=?)[ \r\n]*$/,
    writes: /^(?:\(\s*("[^"]*")\s*\)|\[\s*("[^"]*")\s*\]|\{\s*("[^"]*")\s*\})/,
    say: ([, round, square, braced], operator) =>
      `\`${operator}\` takes one value, as it is, without anything around it: \`${operator} ${round ?? square ?? braced}\`.`,
  },
  {
    after: EQUALITY,
    writes: /^[([{]/,
    say: (_written, operator) =>
      `\`${operator}\` takes one value. Several are written as a set, with \`in\` in its place: \`in {"a" "b"}\`.`,
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
      `\`${operator}\` takes one pattern in double quotes. Several go into one: \`${operator} "a|b"\`.`,
  },
  {
    after: ANYTHING,
    writes: /^\\+["']/,
    say: () =>
      "The backslash belongs to the JSON, Terraform or shell text that the expression comes from. In the expression itself the quote stands alone.",
  },
  {
    after: /[0-9a-fA-F]$/,
    writes: /^[ ]*-[ ]*[0-9a-fA-F:.]+/,
    say: () => "A range of addresses is written with two dots: `192.0.2.1..192.0.2.10`.",
  },
];

/** A field or a call. */
function computed(text: string, start: number): string | null {
  const name = /^[A-Za-z_][\w.]*/.exec(wordAt(text, start))?.[0] ?? "";
  const isCall = text.startsWith("(", start + name.length);
  if (isCall ? functions.has(name) : fieldTypes.has(name) && !/^(?:true|false)$/.test(name)) {
    const what = isCall ? "call of a function" : "field";
    return `\`${name}\` is a ${what}. Two fields cannot be compared with each other: after an operator stands a value that is written out.`;
  }
  return null;
}
