import { Composer, CST, type Document, Lexer, Parser, visit, type YAMLError } from "yaml";
import { firstOfEach } from "../model/group-by.js";
import { oddBlankIn } from "../model/invisible-characters.js";
import { lastIndexWhere } from "../model/last-index-where.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
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
  const report = (offset: number, code: string, [summary, detail]: Advice): Problem => {
    return problem(code, summary, detail, at(offset, ""));
  };
  const control = CONTROL.exec(text);
  if (control !== null) return failed(report(control.index, "control_character", controlAdvice(control[0])));
  const conflict = CONFLICT.exec(text);
  if (conflict !== null) return failed(report(conflict.index, "merge_conflict", MERGE_CONFLICT));
  const hcl = HCL.exec(text);
  if (hcl !== null) return failed(report(hcl.index, "hcl_file", HCL_FILE));
  const { doc, extraDoc: another, unclosed, deepAt } = compose(text);
  if (deepAt !== null) return failed(report(deepAt, "too_deep", TOO_DEEP));
  const errors = errorsOf(doc, unclosed.length > 0);
  // A string that never ends swallows the bracket that would close.
  const isOpenString = errors.some(({ message }) => message.startsWith("Missing closing"));
  const problems = [
    ...(isOpenString ? [] : unclosed).map((offset) =>
      report(offset, "yaml_not_closed", bracketAdvice(text.charAt(offset))),
    ),
    ...onceALine(
      withoutEchoes(errors, text)
        .slice(0, MAX_PROBLEMS)
        .map((error) => {
          const { offset, advice } = explained(error, doc, text);
          return report(offset, `yaml_${error.code.toLowerCase()}`, advice);
        }),
    ),
    ...(another === undefined ? [] : [report(another.range[0], "yaml_multiple_docs", SEVERAL_DOCUMENTS)]),
    ...(isOtherVersion(doc)
      ? [
          report(0, "yaml_version", [
            "Unsupported YAML version",
            "Only YAML 1.2 is read. Remove the %YAML line.",
          ]),
        ]
      : []),
  ];
  return problems.length === 0 ? ok(doc) : failed(...problems.slice(0, MAX_PROBLEMS));
}

type Advice = readonly [summary: string, detail: string];

/** All texts, numbers and flags of a file, as YAML reads them. A quoted text may spell some characters in another way. */
export function valuesIn(text: string): readonly string[] {
  const values: string[] = [];
  visit(compose(text).doc, { Scalar: (_, { value }) => void values.push(String(value)) });
  return values;
}

/** Characters that YAML 1.2 does not call printable, and a carriage return alone. The parser takes both for text. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;

function controlAdvice(character: string): Advice {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return [
    `Control character U+${code}`,
    "YAML does not allow this character. Remove it, or write it as an escape in double quotes. If the file has many, save it as UTF-8 text.",
  ];
}

/** The first line that git writes around two versions. */
const CONFLICT = /^<{7} .*$/m;

const MERGE_CONFLICT: Advice = [
  "Unresolved merge conflict",
  "git left two versions here, between <<<<<<< and >>>>>>>. Keep one of them, and delete the marker lines.",
];

/** The first line of a block of Terraform. */
const HCL =
  /^(?:resource|data|module|variable|output|provider|terraform|locals|import)(?: +"[^"\n]*"){0,2} *\{ *$/m;

const HCL_FILE: Advice = [
  "Terraform file (HCL)",
  "Files are YAML or JSON. Follow docs/terraform.md to move: zoneward export writes the live state as YAML.",
];

const TOO_DEEP: Advice = [
  "Too many levels",
  `This is nested more than ${MAX_DEPTH} levels deep. Remove some of the levels.`,
];
const SEVERAL_DOCUMENTS: Advice = [
  "Several YAML documents in one file",
  "A second document begins here. Put each document into a file of its own.",
];

function bracketAdvice(open: string): Advice {
  const close = open === "{" ? "}" : "]";
  return [
    `Unclosed ${open}`,
    `No ${close} closes this ${open}. Write ${close} where it ends, and indent every line up to it with spaces.`,
  ];
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
  const errors = [...doc.errors, ...doc.warnings].filter((error) => !isOpen || !isOfBrackets(error));
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
  let lineBefore = -1;
  return errors
    .toSorted((a, b) => a.pos[0] - b.pos[0])
    .filter((error) => {
      const line = lineOf(error);
      // After a mistake between brackets, the parser no longer knows which bracket closes which.
      if (isOfBrackets(error) && line === lineBefore) return false;
      lineBefore = line;
      if (error === tab || !isOfLayout(error)) return true;
      if (line >= firstTab - 1 || line < end) return false;
      end = endOfEchoes(lines, line);
      return true;
    });
}

function isOfBrackets({ message }: YAMLError): boolean {
  return /^Flow |flow-(map|seq)-end/.test(message);
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
): { readonly offset: number; readonly advice: Advice } {
  const offset = offsetOf(error, doc, text);
  if (error.code === "TAB_AS_INDENT") return { offset, advice: tabAdvice(text) };
  if (isReferenceAt(text, offset)) return { offset: offset - 1, advice: UNQUOTED_REFERENCE };
  if (/'[\p{L}\p{N}]/u.test(text.slice(offset - 1, offset + 1)))
    return { offset: offset - 1, advice: APOSTROPHE };
  if (!isOfLayout(error)) return { offset, advice: adviceOn(error) };
  const start = text.lastIndexOf("\n", error.pos[0] - 1) + 1;
  const lines = text.slice(0, start).split("\n").slice(0, -1);
  const [line = ""] = text.slice(start).split("\n", 1);
  const indent = indentOf(line);
  const [layout = ""] = LAYOUT.exec(line) ?? [];
  const blank = oddBlankIn(line.charAt(layout.length));
  if (blank !== null) {
    const detail = `${blank} stands here. YAML does not treat it as a space. Use a normal space.`;
    return { offset: start + layout.length, advice: ["Unusual space character", detail] };
  }
  if (/^-[^\s-].*:(\s|$)/.test(line.slice(indent)))
    return { offset: start + indent, advice: NO_SPACE_AFTER_DASH };
  const deeper =
    error.code === "BLOCK_AS_IMPLICIT_KEY" ? deeperLineBelow(text, start, [...lines, line]) : null;
  if (deeper !== null) return deeper;
  const columns = columnsAbove(lines);
  const sibling = lines.findLast((each) => isWritten(each) && indentOf(each) === indent) ?? "";
  const [dash = ""] = /^- +/.exec(sibling.slice(indent)) ?? [];
  if (error.code === "BAD_INDENT" && dash !== "" && columns.includes(indent))
    return { offset: start + indent, advice: besideItems(indent + dash.length) };
  const [above = ""] = lines.filter(isWritten).slice(-1);
  const isBelow = /:\s*(#.*)?$/.test(above) && indent > (columns[0] ?? 0);
  const isElsewhere = columns.length > 0 && !columns.includes(indent) && !isBelow;
  if (!isElsewhere || !/^[\w"'-]/.test(line.slice(indent))) return { offset, advice: adviceOn(error) };
  return { offset: start + indent, advice: columnAdvice(indent, columns) };
}

function besideItems(column: number): Advice {
  const detail = `List items begin in this column. Begin a new item with "- ", or continue the item above in column ${column + 1}.`;
  return ["Wrong indentation", detail];
}

function columnAdvice(indent: number, columns: readonly number[]): Advice {
  const near = [...new Set(columns)].slice(0, MAX_COLUMNS).map((column) => column + 1);
  const last = near.pop() ?? 1;
  const words = near.length === 0 ? `${last}` : `${near.join(", ")} or ${last}`;
  return [
    "Wrong indentation",
    `This line begins in column ${indent + 1}, which matches no line above. Begin it in column ${words}.`,
  ];
}

/**
 * A key that is indented deeper than the key above, which has a value. The parser reads both lines as one text and
 * reports the upper one.
 */
function deeperLineBelow(
  text: string,
  start: number,
  lines: readonly string[],
): { readonly offset: number; readonly advice: Advice } | null {
  const line = lines.at(-1) ?? "";
  const [next = ""] = text.slice(start + line.length + 1).split("\n", 1);
  const indent = indentOf(next);
  const columns = columnsAbove(lines);
  const isDeeper = indent > (columns[0] ?? 0) && /^["']?[\w.-]+["']?:(\s|$)/.test(next.slice(indent));
  const isPair = /^ *(?:- +)*[\w.-]+: +[^"'[{|>:#]+$/.test(line);
  return isDeeper && isPair
    ? { offset: start + line.length + 1 + indent, advice: columnAdvice(indent, columns) }
    : null;
}

/** Between brackets, the `{` of an unquoted reference opens a map. */
function isReferenceAt(text: string, offset: number): boolean {
  return text.startsWith("${", offset - 1);
}

const UNQUOTED_REFERENCE: Advice = [
  "Unquoted ${…} inside brackets",
  'Inside [ ] and { }, the { of ${…} starts a map. Put the string in quotes: "${env:NAME}".',
];

const APOSTROPHE: Advice = [
  "Apostrophe ends the string",
  "This ' ends the string in single quotes. Put the string in double quotes, or write the apostrophe twice.",
];

const NO_SPACE_AFTER_DASH: Advice = [
  'Missing space after "-"',
  'A list item needs a space after its "-". Add the space.',
];

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

function tabAdvice(text: string): Advice {
  const more = (text.match(/^ *\t/gm)?.length ?? 1) - 1;
  const where = more < 1 ? "" : `, like ${more === 1 ? "1 more line" : `${more} more lines`}`;
  return ["Tab used as indentation", `This line is indented with a tab${where}. Indent with spaces.`];
}

/** One mistake can lead to an error for each word of its line. Give the same advice once per line. */
function onceALine(problems: readonly Problem[]): readonly Problem[] {
  return firstOfEach(problems, ({ at, detail }) => `${at?.line} ${detail}`);
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
function adviceOn({ code, message }: YAMLError): Advice {
  switch (code) {
    case "TAG_RESOLVE_FAILED":
    case "BAD_COLLECTION_TYPE":
      return [
        "Unsupported YAML tag",
        "`!` starts a YAML tag here. Put the whole value in quotes, or remove the tag.",
      ];
    case "BAD_DIRECTIVE":
      return ["Unsupported YAML directive", `${message}. Remove the line that begins with %.`];
    case "BAD_SCALAR_START":
      return [
        "Unquoted text",
        `${message.replace("Plain value", "A string without quotes")}. Put the whole string in quotes.`,
      ];
    case "BAD_ALIAS":
      return [
        "Anchor or alias without a name",
        "A name is missing after this & or *. Add the name; if this is a string, put it in quotes.",
      ];
    case "BAD_DQ_ESCAPE":
      return [
        "Unknown escape",
        "YAML has no such escape. Write the backslash as \\\\, or put the string in single quotes.",
      ];
    case "BAD_INDENT":
      return indentAdvice(message);
    case "BLOCK_AS_IMPLICIT_KEY":
      return [
        'Unquoted ": "',
        'The ": " in this string starts a map. Put the string in quotes, or begin the map on a line of its own.',
      ];
    case "MULTILINE_IMPLICIT_KEY":
      return NO_KEY;
    case "KEY_OVER_1024_CHARS":
      return ["Key too long", "This key has more than 1024 characters. Shorten it."];
    case "BLOCK_IN_FLOW":
      return [
        "Unexpected text inside brackets",
        "Add the comma or the bracket that is missing here. Inside { } and [ ], maps and lists have brackets too.",
      ];
    case "ALIAS_PROPS":
    case "MULTIPLE_ANCHORS":
    case "MULTIPLE_TAGS":
      return ["Too many anchors or tags", `${message}. Remove the extra one.`];
    case "MISSING_CHAR":
      return missingAdvice(message);
    case "UNEXPECTED_TOKEN":
      return unexpectedAdvice(message);
    default:
      return ["Invalid YAML", `${message}.`];
  }
}

const NO_KEY: Advice = [
  "Missing colon",
  'A key must be followed by ": " on the same line. Add the missing colon or space.',
];

function indentAdvice(message: string): Advice {
  const collection = /^All (mapping|sequence) items/.exec(message)?.[1];
  const aligned = collection === "mapping" ? "keys of a map" : "items of a list";
  const detail =
    collection === undefined
      ? `${message}.`
      : `This line matches no line above. Begin all ${aligned} in one column.`;
  return ["Wrong indentation", detail];
}

function missingAdvice(message: string): Advice {
  if (message.startsWith("Missing closing"))
    return ["Missing closing quote", "No quote closes this string. Write the quote where the string ends."];
  if (message.startsWith("Missing directives"))
    return ["Unexpected % line", "A line above begins with %. Remove that line."];
  if (message.startsWith("Implicit map keys")) return NO_KEY;
  if (message.startsWith("Block collection"))
    return ["Text on the line of ---", "Only a comment may follow --- on its line. Begin on the next line."];
  if (message.startsWith("Missing ,"))
    return [
      "Missing comma",
      "No comma separates this from the item before. Add the comma, or put the whole item in single quotes if this is a part of it.",
    ];
  if (message.startsWith("Comments"))
    return ["Missing space before #", "Put a space before the #, or the whole string in quotes."];
  return ["Invalid YAML", `${message}.`];
}

function unexpectedAdvice(message: string): Advice {
  if (/at node end$/.test(message)) {
    return [
      "Text after the end of a value",
      "The value ends before this text. Remove the text, or quote the whole value: use single quotes around a value that contains double quotes.",
    ];
  }
  if (/flow-(map|seq)-end/.test(message))
    return ["Unexpected closing bracket", "No bracket is open here. Remove this one."];
  if (/^Unexpected (,|empty item) in/.test(message))
    return ["Unexpected comma", "No item stands before this comma. Remove the comma."];
  if (/^Not a YAML token/.test(message))
    return ["Unexpected text", "This text belongs to no key. Put it in quotes, on the line of its key."];
  if (/^Block scalar header/.test(message))
    return ["Text on the line of | or >", "The text begins on the next line. Move it there."];
  if (/block-seq-ind on same line with key/.test(message))
    return ["List on the line of its key", 'Begin the list on the next line, each item after "- ".'];
  if (/in YAML stream/.test(message))
    return ["Unexpected text", "This belongs to nothing above. Check the indentation of the lines above."];
  return ["Invalid YAML", `${message}.`];
}
