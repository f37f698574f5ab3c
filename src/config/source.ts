import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { type Path, pointerOf } from "../model/item.js";
import type { Json } from "../model/json.js";

import { failed, ok, type Result, type Span } from "../model/problem.js";
import type { Taken } from "../model/wanted.js";
import { sensitiveRanges } from "./masked.js";
import { offsetInScalar } from "./offset-in-scalar.js";
import { type PlaceOf, placesIn } from "./place.js";
import { readSyntax } from "./syntax.js";
import { toValue } from "./value.js";

/** One desired-state file, parsed. */
export interface SourceFile {
  /** As the user named it, or as it was found below what the user named. */
  readonly file: string;
  readonly value: Json;
  /** The same as it was written: nothing is filled in. */
  readonly unfilled: Json;
  /**
   * Where a path of the value stands. A path that is not there has the span of its nearest parent. With an offset into
   * the text that is there: where that character was written, for an alias in the text that it stands for.
   */
  span(path: Path, part?: "key" | "value", offset?: number): Span;
  /** The texts with a `${…}` in them, by JSON pointer. */
  readonly outside: ReadonlyMap<string, Taken>;
}

/**
 * Parses one YAML 1.2 document. All problems of the file come out together.
 *
 * @param least what to write into an empty file
 */
export function parseSource(
  file: string,
  text: string,
  least = 'The least that a file needs is "version: 1".',
): Result<SourceFile> {
  const syntax = readSyntax(text, placesIn(file, text));
  if (!syntax.ok) return syntax;
  const doc = syntax.value;
  const at = placesIn(file, text, () => sensitiveRanges(doc));
  if (doc.contents === null || (isScalar(doc.contents) && doc.contents.value === null)) {
    const detail = `There is nothing in it. ${least}`;
    return failed({
      code: "empty_file",
      severity: "error",
      summary: "The file is empty",
      detail,
      at: at(0, ""),
    });
  }
  const read = toValue(doc, at);
  if (!read.ok) return read;
  const { value, targets } = read.value;
  // An empty item (`-`) has its range behind the dash.
  const dashOf = ({ range }: Node): number => text.lastIndexOf("-", range?.[0]);
  const span = spansIn(doc, childrenIn(targets), dashOf, offsetsIn(targets, text), at);
  return ok({ file, value, unfilled: value, span, outside: new Map() });
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
      const found = children(node, step);
      if (found === null) return at(offset, pointerOf(path));
      node = found.value;
      const wantsKey = part === "key" && depth === path.length - 1;
      const keyStart = startOf(found.key);
      if (found.key === null && isEmpty(node)) offset = dashOf(node);
      else offset = (wantsKey || isEmpty(node) ? keyStart : startOf(node)) ?? startOf(node) ?? offset;
    }
    const exact = part === "value" && offsetInText !== undefined ? offsetIn(node, offsetInText) : null;
    return at(exact ?? offset, pointerOf(path));
  };
}

/** Finds where an offset into a node's text stands in the file; null where the node has no text. */
function offsetsIn(
  targets: ReadonlyMap<Alias, Node>,
  file: string,
): (node: Node | null, offset: number) => number | null {
  const known = new Map<Scalar, (offset: number) => number>();
  return (node, offset) => {
    const target = isAlias(node) ? (targets.get(node) ?? null) : node;
    if (!isScalar(target) || typeof target.value !== "string" || !target.range || !target.type) return null;
    const { value, type: style } = target;
    const [start, end] = target.range;
    const inSource = known.get(target) ?? offsetInScalar({ source: file.slice(start, end), style, value });
    known.set(target, inSource);
    return start + inSource(offset);
  };
}

interface Child {
  readonly key: Node | null;
  readonly value: Node | null;
}

/** Finds what stands below a node. The keys of a map are indexed when it is first asked. */
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

function indexOf(map: YAMLMap<Node | null, Node | null>): ReadonlyMap<string, Child> {
  return new Map(
    map.items.flatMap(({ key, value }) =>
      isScalar(key) ? [[String(key.value), { key, value }] as const] : [],
    ),
  );
}

/** An absent value (`policies:`) has a range, but nothing to see there: its key or its dash stands for it. */
function isEmpty(node: Node | null): node is Node {
  return isScalar(node) && node.value === null && node.source === "";
}

function startOf(node: Node | null): number | null {
  return node?.range?.[0] ?? null;
}
