import { type Document, isAlias, isNode, isScalar, type Node, visit } from "yaml";
import { secretKeys } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { isCredentialName } from "../model/credential-names.js";
import { suggest } from "../model/did-you-mean.js";
import { isObject, type Json, partsOf } from "../model/json.js";
import { rememberedText } from "../model/remembered.js";

/** Keys whose values are always sensitive. */
const keys = kinds.flatMap(({ fields }) => secretKeys(fields, "always"));

/** The other keys. `challenge_ttl` only looks like the name of a credential. */
const plainKeys: ReadonlySet<string> = new Set(
  kinds.flatMap(({ fields }) => Object.keys(fields).filter((key) => !keys.includes(key))),
);

export function isSensitiveKey(key: string | number): boolean {
  return keys.includes(String(key));
}

/** The texts under sensitive keys. An alias can repeat them elsewhere. */
export function sensitiveTextsIn(value: Json, isSensitive = false): readonly string[] {
  if (typeof value === "string") return isSensitive ? [value] : [];
  if (!isObject(value)) return partsOf(value).flatMap((item) => sensitiveTextsIn(item, isSensitive));
  return Object.entries(value).flatMap(([key, part]) =>
    sensitiveTextsIn(part, isSensitive || isSensitiveKey(key)),
  );
}

/** Whether a text may hold a sensitive value: `destination_conf:s3://…` lacks the blank behind its colon. */
export function mentionsSensitiveKey(text: string): boolean {
  return keys.some((key) => text.includes(key));
}

/** Start and end offsets in a text. */
export type Range = readonly [start: number, end: number];

/**
 * A file's text with sensitive values as stars. The parsed file gives `ranges`. The rest goes by the look of the text,
 * so it also works for invalid YAML and misspelt keys.
 */
export function redacted(text: string, ranges: readonly Range[] = []): string {
  const shown = redactedLines(text.split("\n"))
    .join("\n")
    .replace(SECRET_DEFAULT, (_, before: string, value: string) => before + stars(value));
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start < done) continue;
    parts.push(shown.slice(done, start), stars(shown.slice(start, end)));
    done = end;
  }
  return parts.join("") + shown.slice(done);
}

/** The ranges of the values of sensitive keys, with the targets of aliases. */
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

/** The default of a secret is a secret too. */
const SECRET_DEFAULT = /(\$\{secret:\w*:-)([^}\n]*)/g;

/** A value that only refers to a secret. */
const REFERENCE = /\$\{(?:env|secret):\w+\}/;
const WHOLE_REFERENCE = new RegExp(`^${REFERENCE.source}$`);
const REFERENCE_HERE = new RegExp(`^\\s*(["']?)${REFERENCE.source}\\1(?=\\s*$|\\s*[,}]|\\s+#)`);

/** Which of the next lines belong to the value of a sensitive key. */
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

/** A line that begins with a key or a list item does not continue a value. */
const KEY = /^[\s,{[\]}]*(?:-\s|["']?[\w.-]+["']?\s*:(?=[\s"'{[\d]|$))/;

function indentOf(line: string): number {
  return /^[\s-]*/.exec(line)?.[0].length ?? 0;
}

/** Sensitive keys that are written as words. */
const IN_WORDS = new RegExp(`(?:${keys.map((key) => key.replaceAll("_", "\\s+")).join("|")})\\w*["']?`, "i");

const WORD = /(["']?)([\w.-]+)\1(\s*:)?/g;

interface SensitiveStart {
  readonly start: number;
  readonly isValue: boolean;
}

/**
 * Where the first sensitive value of a line begins, or a comment that may hold an old value; else the end of the line.
 * The result is remembered, since the files of a fleet repeat the same lines.
 */
const sensitiveStart = rememberedText((line): SensitiveStart => {
  let isAfterReference = false;
  for (const { 0: whole, 2: name = "", 3: colon, index } of line.matchAll(WORD)) {
    const end = index + whole.length;
    const rest = line.slice(end);
    // No key has such a name, but a file may hold a credential there. `secret:` is also part of a reference.
    const isCredential =
      colon !== undefined &&
      isCredentialName(name, "parameter") &&
      !plainKeys.has(name) &&
      !line.slice(0, index).endsWith("${");
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

/** Without a value on the key's line, the value is on the next line. */
function restAfter(value: string, deeperThan: number): Rest {
  const text = value.replace(/^\s*(?:[&!]\S*\s*)*/, "");
  const [by = ""] = text;
  if (by === '"' || by === "'") return closes(text.slice(1), by) ? NO_REST : { as: "quoted", by };
  return { as: "indented", deeperThan, isNext: /^[|>#]|^$/.test(text) };
}

/** Whether a text has an unescaped closing quote. */
function closes(text: string, quote: string): boolean {
  return text.replace(quote === '"' ? /\\./g : /''/g, "").includes(quote);
}

function stars(text: string): string {
  return text.replace(/[^\s]/g, "*");
}
