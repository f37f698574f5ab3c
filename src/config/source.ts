import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import type { Acceptance } from "../model/acceptance.js";
import { cutEnd, quoted } from "../model/cut.js";
import type { Interpolation } from "../model/declared-zone.js";
import { oddBlankIn } from "../model/invisible-characters.js";
import { type Path, pointerOf } from "../model/item.js";
import { isForbiddenKey, type Json, type JsonObject, partsOf } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result, type Span } from "../model/problem.js";
import { acceptancesIn } from "./acceptances.js";
import type { FileText } from "./files.js";
import { offsetInScalar, type PlaceOf, placesIn } from "./place.js";
import { isSensitiveKey, sensitiveRanges } from "./redact.js";
import { readSyntax } from "./syntax.js";
import type { ZoneNames } from "./zone-vars.js";

/** One desired-state file, parsed. */
export interface SourceFile {
  /** As the user named it, or as it was found in a folder that the user named. */
  readonly file: string;
  /** In bodies that name their zone, references are not yet filled in. */
  readonly value: Json;
  /** The whole file, with no reference filled in. */
  readonly written: Json;
  /**
   * The place of a path of the value. A path that does not exist has the span of its nearest parent. With an offset
   * into the text at the path: where that character was written. For an alias, that is in the text of its anchor.
   */
  span(path: Path, part?: "key" | "value", offset?: number): Span;
  /** The texts with a `${…}` in them, by JSON pointer. */
  readonly outside: ReadonlyMap<string, Interpolation>;
  /** JSON pointers of the bodies that name their zone. */
  readonly perZone: ReadonlySet<string>;
  /** Fills in a part of such a body for one zone, as a value and a file. Null: the limit on text is passed. */
  fill(value: Json, at: Path, zone: ZoneNames): FilledPart | null;
  /** Problems that still leave a value, in which unreadable parts are left out. */
  readonly problems: readonly Problem[];
  /** JSON pointers of values with parts left out. Their missing keys are not reported. */
  readonly unread: ReadonlySet<string>;
  /** Warnings that comments in the file accept. */
  readonly acceptances: readonly Acceptance[];
}

/**
 * Parses one YAML 1.2 document and reports all its problems together.
 *
 * @param least the advice for an empty file
 */
export function parseSource(
  file: string,
  text: string,
  least = 'Write at least "version: 1".',
): Result<SourceFile> {
  const syntax = readSyntax(text, placesIn(file, text));
  if (!syntax.ok) return syntax;
  const doc = syntax.value;
  const at = placesIn(file, text, () => sensitiveRanges(doc));
  if (doc.contents === null || (isScalar(doc.contents) && doc.contents.value === null)) {
    const detail = `It declares nothing. ${least}`;
    return failed(problem("empty_file", "The file is empty", detail, at(0, "")));
  }
  const read = toValue(doc, at);
  if (!read.ok) return read;
  const { value, targets, problems, unread } = read.value;
  const accepted = acceptancesIn(doc, text, value, at);
  // The range of an empty item (`-`) starts behind its dash.
  const dashOf = ({ range }: Node): number => text.lastIndexOf("-", range?.[0]);
  const span = spansIn(doc, childrenIn(targets), dashOf, offsetsIn(targets, text), at);
  const source: SourceFile = {
    file,
    value,
    written: value,
    span,
    outside: new Map(),
    perZone: new Set(),
    fill: (part) => ({ value: part, source, problems: [], usedVars: new Set() }),
    problems: [...problems, ...accepted.problems],
    unread,
    acceptances: accepted.accepted,
  };
  return ok(source);
}

const parsed = new WeakMap<FileText, Result<SourceFile>>();

/** Parses a file once. The search for secrets parses all files before they are read. */
export function parsedFile(file: FileText): Result<SourceFile> {
  const result = parsed.get(file) ?? parseSource(file.file, file.text);
  parsed.set(file, result);
  return result;
}

/** A part of a file with its references filled in. */
export interface FilledPart {
  readonly value: Json;
  /** Its spans are those of the text as written. */
  readonly source: SourceFile;
  readonly problems: readonly Problem[];
  /** Names of `vars` that were asked for. */
  readonly usedVars: ReadonlySet<string>;
}

function spansIn(
  doc: Document.Parsed,
  children: ReturnType<typeof childrenIn>,
  dashOf: (item: Node) => number,
  offsetIn: ReturnType<typeof offsetsIn>,
  at: PlaceOf,
): SourceFile["span"] {
  return (path, part = "value", offsetInText) => {
    let node: Node | null = doc.contents;
    let offset = startOf(node) ?? 0;
    for (const [depth, step] of path.entries()) {
      const child = children(node, step);
      if (child === null) return at(offset, pointerOf(path));
      const wantsKey = part === "key" && depth === path.length - 1;
      node = child.value;
      const start = startOf(node);
      if (child.key === null && isEmpty(node)) offset = dashOf(node);
      else offset = (wantsKey || isEmpty(node) ? startOf(child.key) : start) ?? start ?? offset;
    }
    if (part === "key" || offsetInText === undefined) return at(offset, pointerOf(path));
    return at(offsetIn(node, offsetInText) ?? offset, pointerOf(path));
  };
}

/** Converts an offset in a node's text to an offset in the file. Null: the node has no text. */
function offsetsIn(
  targets: ReadonlyMap<Alias, Node>,
  file: string,
): (node: Node | null, offset: number) => number | null {
  const offsets = new Map<Scalar, (offset: number) => number>();
  return (node, offset) => {
    const target = isAlias(node) ? (targets.get(node) ?? null) : node;
    if (!isScalar(target) || typeof target.value !== "string" || !target.range || !target.type) return null;
    const { value, type: style } = target;
    const [start, end] = target.range;
    const inSource = offsets.get(target) ?? offsetInScalar({ source: file.slice(start, end), style, value });
    offsets.set(target, inSource);
    return start + inSource(offset);
  };
}

interface Child {
  readonly key: Node | null;
  readonly value: Node | null;
}

/** Finds the child of a node. The keys of a map are indexed on first use. */
function childrenIn(
  targets: ReadonlyMap<Alias, Node>,
): (node: Node | null, step: string | number) => Child | null {
  const indexes = new Map<Node, ReadonlyMap<string, Child>>();
  return (node, step) => {
    const target = isAlias(node) ? (targets.get(node) ?? null) : node;
    if (isSeq<Node | null>(target) && typeof step === "number") {
      const value = target.items[step];
      return value === undefined ? null : { key: null, value };
    }
    if (!isMap<Node | null, Node | null>(target)) return null;
    const index = indexes.get(target) ?? indexOf(target);
    indexes.set(target, index);
    return index.get(String(step)) ?? null;
  };
}

/** The first of two equal keys wins. */
function indexOf(map: YAMLMap<Node | null, Node | null>): ReadonlyMap<string, Child> {
  return new Map(
    map.items
      .flatMap(({ key, value }) => (isScalar(key) ? [[String(key.value), { key, value }] as const] : []))
      .reverse(),
  );
}

/** An absent value (`policies:`) shows nothing on its line, so its key or dash stands for it. */
function isEmpty(node: Node | null): node is Node {
  return isScalar(node) && node.value === null && node.source === "";
}

function startOf(node: Node | null): number | null {
  return node?.range?.[0] ?? null;
}

/** Limits on the depth of a value and on the number of values. Each alias counts as the value that it stands for. */
const MAX_DEPTH = 40;
const MAX_ALIASED = 100_000;

/** A document as JSON, and the node that each of its aliases stands for. */
interface DocumentValue {
  readonly value: Json;
  readonly targets: ReadonlyMap<Alias, Node>;
  readonly problems: readonly Problem[];
  readonly unread: ReadonlySet<string>;
}

/**
 * Reports what the YAML parser accepts: duplicate keys, keys that are not text, merge keys, and aliases that expand
 * to too much.
 */
function toValue(doc: Document.Parsed, at: PlaceOf): Result<DocumentValue> {
  const reader = new Reader(at);
  const value = reader.read(doc.contents);
  const { problems, isInVain, targets, unread } = reader;
  return isInVain ? { ok: false, problems } : ok({ value, targets, problems, unread });
}

class Reader {
  readonly problems: Problem[] = [];
  readonly unread = new Set<string>();
  /** Whether to give up on the file: aliases expand to too much, or the indentation is not what it looks like. */
  isInVain = false;
  readonly targets = new Map<Alias, Node>();
  readonly #anchors = new Map<string, { readonly node: Node; readonly value: Json }>();
  /** The path of the current value. */
  readonly #path: (string | number)[] = [];
  #aliased = 0;
  readonly #at: PlaceOf;

  constructor(at: PlaceOf) {
    this.#at = at;
  }

  read(node: Node | null): Json {
    if (isAlias(node)) return this.#alias(node);
    const value = this.#plain(node);
    if (node !== null) this.#anchor(node, value);
    return value;
  }

  #plain(node: Node | null): Json {
    if (isMap<Node | null, Node | null>(node)) return this.#map(node.items);
    if (isSeq<Node | null>(node))
      return node.items.map((item, index) => this.#below(index, () => this.read(item)));
    return isScalar(node) ? this.#scalar(node, node.value, node.source) : null;
  }

  #scalar(node: Node, value: unknown, source: string | undefined): Json {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    const shown = this.#isSensitive() ? "This" : cutEnd(source ?? String(value), MAX_SHOWN_CHARS);
    const detail = `${shown} is not a JSON number. If it is a string, put it in quotes.`;
    this.#report(node, "not_json", "Unusable number", detail);
    this.unread.add(pointerOf(this.#path));
    return null;
  }

  #map(pairs: readonly Pair<Node | null, Node | null>[]): JsonObject {
    const value: Record<string, Json> = {};
    const first = new Map<string, Node | null>();
    for (const { key: node, value: below } of pairs) {
      const key = keyText(node);
      this.#below(key, () => {
        const isUsable = this.#key(node);
        if (!isUsable) this.unread.add(pointerOf(this.#path.slice(0, -1)));
        const read = this.read(below);
        if (isUsable && first.has(key)) this.#duplicate(node, key, first.get(key) ?? null);
        else if (isUsable) {
          first.set(key, node);
          value[key] = read;
        }
      });
    }
    return value;
  }

  #below<Result>(step: string | number, read: () => Result): Result {
    this.#path.push(step);
    const result = read();
    this.#path.pop();
    return result;
  }

  /** Whether the key at the end of the current path can be used. */
  #key(node: Node | null): boolean {
    const key = isScalar(node) ? node.value : undefined;
    if (typeof key !== "string") {
      const path = this.#path.slice(0, -1);
      this.#report(node, "key_not_text", "Key is not a string", keyAdvice(node), path);
      return false;
    }
    if (node !== null) this.#anchor(node, key);
    if (key === "<<") {
      const detail =
        '"<<" belongs to YAML 1.1, and files are read as YAML 1.2. Move the shared part into a template, and name the template in extends.';
      this.#report(node, "merge_key", 'Merge key "<<" not supported', detail);
      return false;
    }
    const blank = key.trim() === key ? null : oddBlankIn(key);
    if (blank !== null) {
      const detail = `${blank} stands beside this key. YAML reads it as a part of the key. Use a normal space.`;
      this.#report(node, "odd_blank", "Unusual space character", detail);
      this.isInVain = true;
      return false;
    }
    if (isForbiddenKey(key)) {
      const detail = "This name is reserved. Remove the key, or rename it.";
      this.#report(node, "forbidden_key", `Forbidden key ${quoted(key)}`, detail);
      return false;
    }
    return true;
  }

  #duplicate(node: Node | null, key: string, first: Node | null): void {
    const before = this.#at(startOf(first) ?? 0, pointerOf(this.#path));
    const detail = `This map has the key already, at ${before.file}:${before.line}:${before.column}. Remove one of the two.`;
    const at = this.#at(startOf(node) ?? 0, pointerOf(this.#path));
    this.problems.push(problem("duplicate_key", `Duplicate key ${quoted(key)}`, detail, at));
  }

  #anchor(node: Node, value: Json): void {
    if ("anchor" in node && typeof node.anchor === "string") this.#anchors.set(node.anchor, { node, value });
  }

  #alias(node: Alias): Json {
    const anchored = this.#anchors.get(node.source);
    if (anchored === undefined) {
      const name = this.#isSensitive() ? "…" : quoted(node.source).slice(1, -1);
      const detail = `Anchor &${name} is not defined above. Define it there; if this is a string, put it in quotes.`;
      this.#report(node, "unresolved_alias", `Unknown alias *${name}`, detail);
      this.unread.add(pointerOf(this.#path));
      return null;
    }
    this.targets.set(node, anchored.node);
    return this.#isTooMuch(node, anchored.value) ? null : anchored.value;
  }

  #isTooMuch(node: Alias, value: Json): boolean {
    // A hostile file has too many aliases to count on.
    if (this.#aliased > MAX_ALIASED) return true;
    this.#aliased += valuesIn(value);
    if (this.#aliased > MAX_ALIASED) {
      const detail = `The aliases of this file expand to more than ${MAX_ALIASED} values. Use templates instead.`;
      this.#report(node, "alias_bomb", "Aliases expand too far", detail);
    }
    const isTooDeep = this.#path.length + levelsIn(value) > MAX_DEPTH;
    if (isTooDeep) {
      const detail = `With its content, this alias is more than ${MAX_DEPTH} levels deep. Use templates instead.`;
      this.#report(node, "too_deep", "Too many levels in an alias", detail);
    }
    const isTooMuch = isTooDeep || this.#aliased > MAX_ALIASED;
    this.isInVain ||= isTooMuch;
    return isTooMuch;
  }

  #isSensitive(): boolean {
    return this.#path.some(isSensitiveKey);
  }

  #report(node: Node | null, code: string, summary: string, detail: string, path: Path = this.#path): void {
    const at = this.#at(node?.range?.[0] ?? 0, pointerOf(path));
    this.problems.push(problem(code, summary, detail, at));
  }
}

/** The number of values in a value, itself included. */
export function valuesIn(value: Json): number {
  return partsOf(value).reduce<number>((count, part) => count + valuesIn(part), 1);
}

function levelsIn(value: Json): number {
  return partsOf(value).reduce<number>((levels, part) => Math.max(levels, levelsIn(part) + 1), 0);
}

function keyText(node: Node | null): string {
  return isScalar(node) ? String(node.value) : "";
}

const MAX_SHOWN_CHARS = 40;

function keyAdvice(node: Node | null): string {
  if (!isScalar(node)) return "This key is a list, a map or an alias. Write it as a string.";
  const source = node.source ?? "";
  if (source === "") return "No key stands before this colon. Write one.";
  return `${cutEnd(source, MAX_SHOWN_CHARS)} is not a string, and keys are strings. Put it in quotes.`;
}
