import { Composer, CST, type Document, Lexer, Parser, visit, type YAMLError } from "yaml";
import { oddBlankIn } from "../model/invisible-characters.js";
import { lastIndexWhere } from "../model/last-index-where.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import { lineStarts, type PlaceOf } from "./place.js";

/** How deep a file may nest. The parser recurses, and its stack is limited. */
const MAX_DEPTH = 40;

/** Later syntax errors are usually echoes of the first ones. */
const MAX_PROBLEMS = 20;

const OPTIONS = {
  version: "1.2",
  merge: false,
  prettyErrors: false,
  strict: true,
  // Otherwise the library reads types of YAML 1.1 (!!binary, !!set, !!timestamp) where a file has their tags.
  resolveKnownTags: false,
  // The library's check is quadratic in the keys of a map. toValue() has a linear check.
  uniqueKeys: false,
} as const;

/** Parses a text as one YAML 1.2 document. All syntax errors come out together. */
export function readSyntax(text: string, at: PlaceOf): Result<Document.Parsed> {
  const report = (offset: number, code: string, detail: string): Problem => {
    return {
      code,
      severity: "error",
      summary: "Invalid YAML",
      detail,
      at: at(offset, ""),
    };
  };
  const control = CONTROL.exec(text);
  if (control !== null) return failed(report(control.index, "control_character", controlAdvice(control[0])));
  const { doc, extraDoc: another, unclosed, deepAt } = compose(text);
  if (deepAt !== null) return failed(report(deepAt, "too_deep", TOO_DEEP));
  const problems = [
    ...unclosed.map((offset) => report(offset, "yaml_not_closed", bracketAdvice(text.charAt(offset)))),
    ...onceALine(
      withoutEchoes(errorsOf(doc, unclosed.length > 0), text)
        .slice(0, MAX_PROBLEMS)
        .map((error) => {
          const { offset, detail } = explained(error, doc, text);
          return report(offset, `yaml_${error.code.toLowerCase()}`, detail);
        }),
    ),
    ...(another === undefined ? [] : [report(another.range[0], "yaml_multiple_docs", SEVERAL_DOCUMENTS)]),
    ...(isOtherVersion(doc)
      ? [report(0, "yaml_version", "Only YAML 1.2 is read. Remove the %YAML line.")]
      : []),
  ];
  return problems.length === 0 ? ok(doc) : failed(...problems.slice(0, MAX_PROBLEMS));
}

/** All texts, numbers and flags of a file, as YAML reads them. A quoted text may spell some characters in another way. */
export function valuesIn(text: string): readonly string[] {
  const values: string[] = [];
  visit(compose(text).doc, { Scalar: (_, { value }) => void values.push(String(value)) });
  return values;
}

/** Characters that YAML 1.2 does not call printable, and a carriage return alone. The parser takes both for text. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;

function controlAdvice(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `A control character (U+${code}) stands here. Remove it, or write it as an escape in double quotes. Where there are many, the file is not saved as UTF-8 text.`;
}

const TOO_DEEP = `This is nested more than ${MAX_DEPTH} levels deep, and nothing here has to be. Remove some of the levels.`;
const SEVERAL_DOCUMENTS = "The file has more than one document. Put each into a file of its own.";

function bracketAdvice(open: string): string {
  const close = open === "{" ? "}" : "]";
  return `Nothing closes this ${open}. Write ${close} where it ends, and indent every line up to it, with spaces.`;
}

interface Composed {
  readonly doc: Document.Parsed;
  readonly extraDoc: Document.Parsed | undefined;
  /** Offsets of brackets that are never closed. */
  readonly unclosed: readonly number[];
  /** Where the text nests too deep. The rest is not read. */
  readonly deepAt: number | null;
}

/** Like the library's parseDocument(), with a check of brackets and depth between its two stages. */
function compose(text: string): Composed {
  const { tokens, ...seen } = parse(text);
  const [doc, extraDoc] = new Composer(OPTIONS).compose(tokens, true, text.length);
  if (doc === undefined) throw new Error("the composer was told to give a document for an empty stream too");
  return { doc, extraDoc, ...seen };
}

interface Parsed extends Omit<Composed, "doc" | "extraDoc"> {
  readonly tokens: readonly CST.Token[];
}

function parse(text: string): Parsed {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const unclosed: number[] = [];
  let open: number[] = [];
  let isText = false;
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    if (isText) isText = false;
    else if (lexeme === CST.SCALAR) isText = true;
    else if (lexeme === "[" || lexeme === "{") open.push(offset);
    else if (lexeme === "]" || lexeme === "}") open.pop();
    else if (lexeme === CST.FLOW_END) {
      unclosed.push(...open.slice(-1));
      open = [];
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    // The stack also has the document and possibly a scalar.
    if (parser.stack.length > MAX_DEPTH + 2) return { tokens, unclosed, deepAt: offset };
  }
  unclosed.push(...open.slice(-1));
  tokens.push(...parser.end());
  return { tokens, unclosed, deepAt: null };
}

/** The errors without echoes of an unclosed bracket, and with one error for the point after which nothing parses. */
function errorsOf(doc: Document.Parsed, isOpen: boolean): readonly YAMLError[] {
  const errors = [...doc.errors, ...doc.warnings].filter(
    ({ message }) => !isOpen || !/^Flow |flow-(map|seq)-end/.test(message),
  );
  const lost = errors.findIndex(isAfterAll);
  return errors.filter((error, index) => index === lost || !isAfterAll(error));
}

/**
 * One wrongly indented line makes the parser report the lines below it too. The first such error stands for all lines
 * up to the end of the wrong line's block. An error for a tab stands for the whole file.
 */
function withoutEchoes(errors: readonly YAMLError[], text: string): readonly YAMLError[] {
  const lines = text.split("\n");
  const starts = lineStarts(text);
  const lineOf = ({ pos: [offset] }: YAMLError) => lastIndexWhere(starts, (start) => start <= offset);
  const tab = errors.find(({ code }) => code === "TAB_AS_INDENT");
  const firstTab = tab === undefined ? Number.POSITIVE_INFINITY : lineOf(tab);
  let end = -1;
  return errors
    .toSorted((a, b) => a.pos[0] - b.pos[0])
    .filter((error) => {
      const line = lineOf(error);
      if (error === tab || !isOfLayout(error)) return true;
      if (line >= firstTab - 1 || line < end) return false;
      end = endOfEchoes(lines, line);
      return true;
    });
}

/** Errors that a wrong column or a missing blank leads to. */
function isOfLayout({ code, message }: YAMLError): boolean {
  switch (code) {
    case "TAB_AS_INDENT":
    case "BAD_INDENT":
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY":
      return true;
    case "MISSING_CHAR":
      return /^(Sequence item without|Implicit map keys)/.test(message);
    case "UNEXPECTED_TOKEN":
      return /^Not a YAML token|block-seq-ind/.test(message);
    default:
      return false;
  }
}

/** The first line below a wrong line that is indented no deeper than the wrong line and the line above it. */
function endOfEchoes(lines: readonly string[], wrong: number): number {
  const above = lines.slice(0, wrong).findLastIndex(isWritten);
  const least = Math.min(...[lines[wrong], lines[above]].map((line) => indentOf(line ?? "")));
  const end = lines.findIndex((line, index) => index > wrong && isWritten(line) && indentOf(line) <= least);
  return end === -1 ? lines.length : end;
}

/** Neither empty nor a comment. */
function isWritten(line: string): boolean {
  return /^\s*[^\s#]/.test(line);
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** The place of an error, and what to do about it. What the line shows is more helpful than the parser's message. */
function explained(
  error: YAMLError,
  doc: Document.Parsed,
  text: string,
): { readonly offset: number; readonly detail: string } {
  const offset = offsetOf(error, doc, text);
  if (error.code === "TAB_AS_INDENT") return { offset, detail: tabAdvice(text) };
  if (!isOfLayout(error)) return { offset, detail: adviceOn(error) };
  const start = text.lastIndexOf("\n", error.pos[0] - 1) + 1;
  const lines = text.slice(0, start).split("\n").slice(0, -1);
  const [line = ""] = text.slice(start).split("\n", 1);
  const indent = indentOf(line);
  const [layout = ""] = LAYOUT.exec(line) ?? [];
  const blank = oddBlankIn(line.charAt(layout.length));
  if (blank !== null) {
    const detail = `${blank} stands here, which is no blank to YAML. Write a plain one.`;
    return { offset: start + layout.length, detail };
  }
  if (/^-[^\s-].*:(\s|$)/.test(line.slice(indent)))
    return { offset: start + indent, detail: 'An item of a list has a blank after its "-". Write one.' };
  const columns = columnsAbove(lines);
  const [above = ""] = lines.filter(isWritten).slice(-1);
  const isBelow = /:\s*(#.*)?$/.test(above) && indent > (columns[0] ?? 0);
  const isElsewhere = columns.length > 0 && !columns.includes(indent) && !isBelow;
  if (!isElsewhere || !/^[\w"'-]/.test(line.slice(indent))) return { offset, detail: adviceOn(error) };
  const near = columns.slice(0, MAX_COLUMNS).map((column) => column + 1);
  const last = near.pop() ?? 1;
  const words = near.length === 0 ? `${last}` : `${near.join(", ")} or ${last}`;
  const detail = `The indentation fits nothing above: this line begins in column ${indent + 1}, and what is above it in column ${words}. The keys of a map all start in one column, and so do the items of a list.`;
  return { offset: start + indent, detail };
}

const MAX_COLUMNS = 4;

/** The part of a line before its value: indentation, dashes, a key. */
const LAYOUT = /^ *(?:- *)*(?:["']?[\w.*-]+["']?:)? */;

/** The columns in which the next line could start, nearest first. An item of a list gives two: its dash and its key. */
function columnsAbove(lines: readonly string[]): readonly number[] {
  const columns: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines.toReversed()) {
    const indent = indentOf(line);
    if (!isWritten(line) || indent >= least) continue;
    const [dashes = ""] = /^(?:- +)*/.exec(line.slice(indent)) ?? [];
    if (dashes !== "") columns.push(indent + dashes.length);
    columns.push(indent);
    least = indent;
    if (indent === 0) break;
  }
  return columns;
}

function tabAdvice(text: string): string {
  const more = (text.match(/^ *\t/gm)?.length ?? 1) - 1;
  const where = more < 1 ? "" : `, here and on ${more === 1 ? "1 more line" : `${more} more lines`}`;
  return `A tab stands where only spaces may${where}. Indent with spaces.`;
}

/** One mistake can lead to an error for each word of its line. Give the same advice once per line. */
function onceALine(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ at, detail }) => {
    const key = `${at?.line} ${detail}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function isAfterAll({ message }: YAMLError): boolean {
  return / in YAML stream/.test(message);
}

/** A text without its closing quote is shown where it begins, not where the file ends. */
function offsetOf({ message, pos: [offset] }: YAMLError, doc: Document.Parsed, text: string): number {
  if (!message.startsWith("Missing closing"))
    return offset + (/^ +(?=\S)/.exec(text.slice(offset, offset + 200))?.[0].length ?? 0);
  let start = offset;
  visit(doc, {
    Scalar: (_, { range }) => {
      if (range && range[0] < offset) start = range[0];
    },
  });
  return start;
}

function isOtherVersion({ directives }: Document.Parsed): boolean {
  return directives.yaml.explicit === true && directives.yaml.version !== "1.2";
}

/**
 * What a syntax error means and what to do about it. The parser's message is kept where it is clear and quotes
 * nothing of the file, which may be a secret.
 */
function adviceOn({ code, message }: YAMLError): string {
  switch (code) {
    case "TAG_RESOLVE_FAILED":
    case "BAD_COLLECTION_TYPE":
      return "This tag is not used here. Remove it.";
    case "BAD_DIRECTIVE":
      return `${message}. Remove the line: no file here needs one that begins with %.`;
    case "BAD_SCALAR_START":
      return `${message.replace("Plain value", "A text without quotes")}. Put the whole text in quotes.`;
    case "BAD_ALIAS":
      return "An anchor (&) or an alias (*) without a name stands here. If it is a text, put it in quotes.";
    case "BAD_DQ_ESCAPE":
      return "YAML has no such escape. In double quotes a backslash is written \\\\; in single quotes it is just itself.";
    case "BAD_INDENT":
      return indentAdvice(message);
    case "BLOCK_AS_IMPLICIT_KEY":
      return 'Is this one text? Then put it in quotes: a ":" before a blank or the line\'s end makes a map, and a map begins on a line of its own.';
    case "MULTILINE_IMPLICIT_KEY":
      return NO_KEY;
    case "KEY_OVER_1024_CHARS":
      return "This key has more than 1024 characters. Shorten it.";
    case "BLOCK_IN_FLOW":
      return "This does not fit between brackets. Is a comma or a bracket missing? Inside { } and [ ], maps and lists have brackets too.";
    case "ALIAS_PROPS":
    case "MULTIPLE_ANCHORS":
    case "MULTIPLE_TAGS":
      return `${message}. Remove what is too much.`;
    case "MISSING_CHAR":
      return missingAdvice(message);
    case "UNEXPECTED_TOKEN":
      return unexpectedAdvice(message);
    default:
      return `${message}.`;
  }
}

const NO_KEY =
  'This is no key: a key has ": " after it, on the same line. Is the colon missing, or the space after it?';

function indentAdvice(message: string): string {
  const collection = /^All (mapping|sequence) items/.exec(message)?.[1];
  if (collection === undefined) return `${message}.`;
  return `The indentation fits nothing above. ${collection === "mapping" ? "The keys of a map" : "The items of a list"} all start in one column.`;
}

function missingAdvice(message: string): string {
  if (message.startsWith("Missing closing"))
    return "Nothing closes this quote. Write it once more where the text ends.";
  if (message.startsWith("Missing directives"))
    return "A line that begins with % stands before this. Remove that line.";
  if (message.startsWith("Implicit map keys")) return NO_KEY;
  if (message.startsWith("Block collection")) return "What follows --- begins on a line of its own.";
  if (message.startsWith("Missing ,")) return "A comma is missing before this.";
  if (message.startsWith("Comments")) return "Put a space before the #, or the whole text in quotes.";
  return `${message}.`;
}

function unexpectedAdvice(message: string): string {
  if (/at node end$/.test(message)) {
    return "The value has ended before this. If it belongs to it, put the whole value in double quotes.";
  }
  if (/flow-(map|seq)-end/.test(message)) return "This bracket closes nothing. Remove it.";
  if (/^Unexpected (,|empty item) in/.test(message)) return "Nothing stands before this comma. Remove it.";
  if (/^Not a YAML token/.test(message))
    return "This belongs to nothing here. If it is a text, put it in quotes, on the line of its key.";
  if (/^Block scalar header/.test(message))
    return "The text begins on the line after this | or >. Move it there.";
  if (/block-seq-ind on same line with key/.test(message))
    return 'A list begins on a line of its own, each item after "- ".';
  if (/in YAML stream/.test(message))
    return "This belongs to nothing above it. Check the indentation of the lines before.";
  return `${message}.`;
}
