import { Composer, CST, type Document, Lexer, Parser, visit, type YAMLError } from "yaml";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import { adviceOn } from "./advice.js";
import type { PlaceOf } from "./place.js";

/** How deep a file may nest. Nothing here needs so much, and the parser recurses: its stack has an end. */
const MAX_DEPTH = 40;

/** After so many, syntax errors are echoes of the first ones. */
const MAX_PROBLEMS = 20;

const OPTIONS = {
  version: "1.2",
  merge: false,
  prettyErrors: false,
  strict: true,
  // Else types of YAML 1.1 (!!binary, !!set, !!timestamp) are read where a file has their tags.
  resolveKnownTags: false,
  // The library's own check is quadratic in the keys of a map; toValue() has one that is not.
  uniqueKeys: false,
} as const;

/** A text as its one YAML 1.2 document. All problems of its syntax come out together. */
export function readSyntax(text: string, at: PlaceOf): Result<Document.Parsed> {
  const report = (offset: number, code: string, detail: string): Problem => {
    return {
      code,
      severity: "error",
      summary: "This is not the YAML that is read here",
      detail,
      at: at(offset, ""),
    };
  };
  const control = CONTROL.exec(text);
  if (control !== null) return failed(report(control.index, "control_character", controlAdvice(control[0])));
  const { doc, another, unclosed, deepAt } = compose(text);
  if (deepAt !== null) return failed(report(deepAt, "too_deep", TOO_DEEP));
  const problems = [
    ...unclosed.map((offset) => report(offset, "yaml_not_closed", bracketAdvice(text.charAt(offset)))),
    ...errorsOf(doc, unclosed.length > 0)
      .slice(0, MAX_PROBLEMS)
      .map((error) =>
        report(offsetOf(error, doc, text), `yaml_${error.code.toLowerCase()}`, adviceOn(error)),
      ),
    ...(another === undefined ? [] : [report(another.range[0], "yaml_multiple_docs", SEVERAL_DOCUMENTS)]),
    ...(isOtherVersion(doc)
      ? [report(0, "yaml_version", "Only YAML 1.2 is read. Remove the %YAML line.")]
      : []),
  ];
  return problems.length === 0 ? ok(doc) : failed(...problems.slice(0, MAX_PROBLEMS));
}

/** What YAML 1.2 does not call printable, and a carriage return that ends no line. The parser takes both for text. */
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
  readonly another: Document.Parsed | undefined;
  /** Offsets of brackets that stay open. */
  readonly unclosed: readonly number[];
  /** Where it nests too deep: what comes after is not read. */
  readonly deepAt: number | null;
}

/** As the library's parseDocument(), with an eye on brackets and depth between its two stages. */
function compose(text: string): Composed {
  const unclosed: number[] = [];
  let deepAt: number | null = null;
  function* tokens(): Generator<CST.Token> {
    const parser = new Parser();
    let open: number[] = [];
    let isText = false;
    for (const lexeme of new Lexer().lex(text)) {
      if (!isText && /^[[{]$/.test(lexeme)) open.push(parser.offset);
      if (!isText && /^[\]}]$/.test(lexeme)) open.pop();
      if (!isText && lexeme === CST.FLOW_END) {
        unclosed.push(...open.slice(-1));
        open = [];
      }
      isText = lexeme === CST.SCALAR;
      const offset = parser.offset;
      yield* parser.next(lexeme);
      // Besides collections the stack has the document, and the scalar that may be next to it.
      if (parser.stack.length > MAX_DEPTH + 2) {
        deepAt = offset;
        return;
      }
    }
    unclosed.push(...open.slice(-1));
    yield* parser.end();
  }
  const [doc, another] = new Composer(OPTIONS).compose(tokens(), true, text.length);
  if (doc === undefined) throw new Error("the composer was told to give a document for an empty stream too");
  return { doc, another, unclosed, deepAt };
}

/** Without echoes: of a bracket that stays open, and of the point from which on nothing fits any more. */
function errorsOf(doc: Document.Parsed, isOpen: boolean): readonly YAMLError[] {
  const errors = [...doc.errors, ...doc.warnings].filter(
    ({ message }) => !isOpen || !/^Flow |flow-(map|seq)-end/.test(message),
  );
  const lost = errors.findIndex(isAfterAll);
  return errors.filter((error, index) => index === lost || !isAfterAll(error));
}

function isAfterAll({ message }: YAMLError): boolean {
  return / in YAML stream/.test(message);
}

/** A text without its closing quote is better seen where it begins than where the file ends. */
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
