import { type Document, isAlias, isNode, isScalar, type Node, visit } from "yaml";
import { secretKeys } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { isCredentialName } from "../model/credential-names.js";
import { rememberedText } from "../model/remembered.js";
import { suggest } from "../model/suggest.js";

/** Keys whose values are sensitive wherever they come from. */
const keys = kinds.flatMap(({ fields }) => secretKeys(fields, "always"));

export function isSensitiveKey(key: string | number): boolean {
  return keys.includes(String(key));
}

/** Whether a text may have a sensitive value in it: `destination_conf:s3://…`, where a blank was forgotten. */
export function mentionsSensitiveKey(text: string): boolean {
  return keys.some((key) => text.includes(key));
}

/** From one offset in a text up to another. */
export type Range = readonly [start: number, end: number];

/**
 * A file's text for showing lines of it: sensitive values are stars. What the structure of the file says of them is in
 * `ranges`; the rest goes by the look of the text, so that it also holds for text that is no YAML and for keys that are
 * misspelt.
 */
export function redacted(text: string, ranges: readonly Range[] = []): string {
  const lines = text.split("\n");
  // Large files have few lines that are not the same, and most have nothing to hide in any.
  const isClear = [...new Set(lines)].every((line) => {
    const { start, isValue } = sensitiveStart(line);
    return start === line.length && !isValue;
  });
  const shown = (isClear ? text : redactedLines(lines).join("\n")).replace(
    SECRET_DEFAULT,
    (_, before: string, value: string) => before + stars(value),
  );
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start < done) continue;
    parts.push(shown.slice(done, start), stars(shown.slice(start, end)));
    done = end;
  }
  return parts.join("") + shown.slice(done);
}

/** Where a document has the values of sensitive keys, or what an alias in their place stands for. */
export function sensitiveRanges(doc: Document.Parsed): readonly Range[] {
  const anchored = new Map<string, Node>();
  const values: unknown[] = [];
  visit(doc, {
    Pair(_, { key, value }) {
      if (isScalar(key) && isSensitiveKey(String(key.value))) values.push(value);
    },
    Node(_, node) {
      if ("anchor" in node && typeof node.anchor === "string") anchored.set(node.anchor, node);
    },
  });
  return values
    .map((value) => (isAlias(value) ? anchored.get(value.source) : value))
    .flatMap((value): readonly Range[] => {
      if (!isNode(value) || !value.range) return [];
      if (isScalar(value) && WHOLE_REFERENCE.test(String(value.value))) return [];
      return [[value.range[0], value.range[1]]];
    });
}

/** The default of a secret is one too, wherever it stands. */
const SECRET_DEFAULT = /(\$\{secret:\w*:-)([^}\n]*)/g;

/** A value that only says where the secret is. */
const REFERENCE = /\$\{(?:env|secret):\w+\}/;
const WHOLE_REFERENCE = new RegExp(`^${REFERENCE.source}$`);
const REFERENCE_HERE = new RegExp(`^\\s*(["']?)${REFERENCE.source}\\1(?=\\s*$|\\s*[,}]|\\s+#)`);

/** Which lines after one with a sensitive key are still its value. */
type Rest =
  | { readonly as: "none" }
  | { readonly as: "indented"; readonly deeperThan: number; readonly isNext: boolean }
  | { readonly as: "quoted"; readonly by: string };

const NO_REST: Rest = { as: "none" };

function redactedLines(lines: readonly string[]): readonly string[] {
  let rest = NO_REST;
  return lines.map((line) => {
    if (rest.as === "quoted") {
      if (closes(line, rest.by)) rest = NO_REST;
      return stars(line);
    }
    if (line.trim() === "") return line;
    if (rest.as === "indented" && (rest.isNext || indentOf(line) > rest.deeperThan || !KEY.test(line))) {
      rest = { ...rest, isNext: rest.isNext && !/\w/.test(line) };
      return stars(line);
    }
    const { start, isValue } = sensitiveStart(line);
    rest = isValue ? restAfter(line.slice(start), indentOf(line)) : NO_REST;
    return start === line.length ? line : line.slice(0, start) + stars(line.slice(start));
  });
}

/** A line that begins with a key or a list item does not continue the value before it. */
const KEY = /^[\s,{[\]}]*(?:-\s|["']?[\w.-]+["']?\s*:(?=[\s"'{[\d]|$))/;

function indentOf(line: string): number {
  return /^[\s-]*/.exec(line)?.[0].length ?? 0;
}

/** Sensitive keys that were written as words. */
const IN_WORDS = new RegExp(`(?:${keys.map((key) => key.replaceAll("_", "\\s+")).join("|")})\\w*["']?`, "i");

const WORD = /(["']?)([\w.-]+)\1(\s*:)?/g;

interface SensitiveStart {
  readonly start: number;
  readonly isValue: boolean;
}

/**
 * Where on a line the first sensitive value begins, or a comment that may say what it was before; else its end. Files of a
 * fleet have the same lines over and over.
 */
const sensitiveStart = rememberedText((line): SensitiveStart => {
  let isAfterReference = false;
  for (const { 0: whole, 2: name = "", 3: colon, index } of line.matchAll(WORD)) {
    const end = index + whole.length;
    const rest = line.slice(end);
    // No key has it, and somebody may have put a credential there all the same; `secret:` is a part of a reference too.
    const isCredential =
      colon !== undefined && isCredentialName(name, "parameter") && !line.slice(0, index).endsWith("${");
    const isLike = colon === undefined ? isSensitiveKey(name) : isLikeSensitiveKey(name);
    if (!isLike && !isCredential) continue;
    if (!REFERENCE_HERE.test(rest)) return { start: end, isValue: true };
    isAfterReference = true;
  }
  const words = IN_WORDS.exec(line);
  if (words !== null) return { start: words.index + words[0].length, isValue: true };
  const comment = line.search(/\s#/);
  return { start: isAfterReference && comment !== -1 ? comment : line.length, isValue: false };
});

function isLikeSensitiveKey(name: string): boolean {
  const word = name.toLowerCase();
  return suggest(word, keys) !== null || (word.length > 5 && keys.some((key) => key.includes(word)));
}

/** A key without a value on its line has it on the next. */
function restAfter(value: string, deeperThan: number): Rest {
  const text = value.replace(/^\s*(?:[&!]\S*\s*)*/, "");
  const [by = ""] = text;
  if (by === '"' || by === "'") return closes(text.slice(1), by) ? NO_REST : { as: "quoted", by };
  return { as: "indented", deeperThan, isNext: /^[|>#]|^$/.test(text) };
}

/** Whether a quote that stands for no quote is in a text. */
function closes(text: string, quote: string): boolean {
  return text.replace(quote === '"' ? /\\./g : /''/g, "").includes(quote);
}

function stars(text: string): string {
  return text.replace(/[^\s]/g, "*");
}
