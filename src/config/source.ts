import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from "yaml";
import type { Path } from "../model/item.js";
import type { Json } from "../model/json.js";
import type { Problem, Span } from "../model/problem.js";
import { pointerOf } from "../model/pointer.js";
import { toValue } from "./value.js";

/** One desired-state file, parsed. */
export interface SourceFile {
  /** As the user named it, or as it was found below what the user named. */
  readonly file: string;
  readonly value: Json;
  /** Where a path of the value stands. A path that is not there has the span of its nearest parent. */
  span(path: Path, part?: "key" | "value"): Span;
}

/** After so many, syntax errors are echoes of the first ones. */
const MAX_SYNTAX_PROBLEMS = 20;

/** What turns an offset of a file into a span. */
interface Text {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

export type Parsed =
  | { readonly ok: true; readonly source: SourceFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Parses one YAML 1.2 document. All problems of the file come out together. */
export function parseSource(file: string, content: string): Parsed {
  const lines = new LineCounter();
  const text: Text = { file, text: content, lines };
  const parsed = parseYaml(text);
  if (!parsed.ok) return parsed;
  const { doc } = parsed;
  const value = toValue(doc, (offset, pointer) => spanAt(text, offset, pointer));
  if (!value.ok) return value;
  return { ok: true, source: { file, value: value.value, span: (path, part) => spanOf(text, doc, path, part) } };
}

type ParsedYaml =
  | { readonly ok: true; readonly doc: Document.Parsed }
  | { readonly ok: false; readonly problems: readonly Problem[] };

function parseYaml(text: Text): ParsedYaml {
  const options = {
    version: "1.2",
    merge: false,
    prettyErrors: false,
    strict: true,
    // The library's own check is quadratic in the keys of a map; toValue() has one that is not.
    uniqueKeys: false,
    lineCounter: text.lines,
  } as const;
  let doc: Document.Parsed;
  try {
    doc = parseDocument(text.text, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The parser recurses: some thousands of opening brackets are more than its stack holds.
    return { ok: false, problems: [yamlProblem(text, 0, "too_deep", "The file nests too deeply to be read.")] };
  }
  const problems = [...doc.errors, ...doc.warnings].slice(0, MAX_SYNTAX_PROBLEMS).map((each) =>
    yamlProblem(text, each.pos[0], codeOf(each.code), adviceOn(each.code, each.message)),
  );
  if (doc.directives?.yaml.explicit === true && doc.directives.yaml.version !== "1.2") {
    problems.push(yamlProblem(text, 0, "yaml_version", "Only YAML 1.2 is read. Remove the %YAML line."));
  }
  if (problems.length > 0) return { ok: false, problems };
  if (doc.contents === null || (isScalar(doc.contents) && doc.contents.value === null)) {
    const detail = 'There is nothing in it. The least that a file needs is "version: 1".';
    return { ok: false, problems: [yamlProblem(text, 0, "empty_file", detail, "The file is empty")] };
  }
  return { ok: true, doc };
}

function yamlProblem(text: Text, offset: number, code: string, detail: string, summary?: string): Problem {
  const at = spanAt(text, offset, "");
  return { code, severity: "error", summary: summary ?? "This is not the YAML that is read here", detail, at };
}

function codeOf(code: string): string {
  return `yaml_${code.toLowerCase()}`;
}

function adviceOn(code: string, message: string): string {
  const text = message.endsWith(".") ? message : `${message}.`;
  switch (code) {
    case "TAB_AS_INDENT":
      return "A tab stands where only spaces may. Indent with spaces.";
    case "MULTIPLE_DOCS":
      return "The file has more than one document. Put each into a file of its own.";
    case "TAG_RESOLVE_FAILED":
      return `${text} Tags are not used here: remove it.`;
    default:
      return text;
  }
}

function spanAt({ file, text, lines }: Text, offset: number, pointer: string): Span {
  const { line, col } = lines.linePos(offset);
  const start = lines.lineStarts[line - 1] ?? 0;
  const end = lines.lineStarts[line] ?? text.length;
  return { file, line, column: col, pointer, text: text.slice(start, end).replace(/\r?\n$/, "") };
}

function spanOf(text: Text, doc: Document.Parsed, path: Path, part: "key" | "value" = "value"): Span {
  let node: Node | null = doc.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    const found = childOf(doc, node, step);
    if (found === null) break;
    node = found.value;
    const wantsKey = part === "key" && depth === path.length - 1;
    const keyStart = startOf(found.key);
    offset = (wantsKey ? keyStart : valueStart(node)) ?? keyStart ?? offset;
  }
  return spanAt(text, offset, pointerOf(path));
}

/** An absent value (`policies:`) has a range, but nothing to see there: its key stands for it. */
function valueStart(node: Node | null): number | null {
  return isScalar(node) && node.value === null && node.source === "" ? null : startOf(node);
}

function startOf(node: Node | null): number | null {
  return node?.range?.[0] ?? null;
}

function childOf(
  doc: Document.Parsed,
  node: Node | null,
  step: string | number,
): { readonly key: Node | null; readonly value: Node | null } | null {
  const target = isAlias(node) ? (resolve(doc, node) ?? null) : node;
  if (isSeq(target) && typeof step === "number") {
    const value = target.items[step];
    return value === undefined ? null : { key: null, value: value as Node | null }; // parsed items are nodes
  }
  if (!isMap(target)) return null;
  const pair = pairOf(target, String(step));
  return pair === undefined ? null : { key: pair.key, value: pair.value };
}

function pairOf(map: YAMLMap, key: string): Pair<Node | null, Node | null> | undefined {
  // The items of a parsed map have nodes for key and value.
  const pairs = map.items as Pair<Node | null, Node | null>[];
  return pairs.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

function resolve(doc: Document.Parsed, alias: Alias): Node | undefined {
  return alias.resolve(doc);
}
