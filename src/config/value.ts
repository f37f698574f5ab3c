import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import type { Path } from "../model/item.js";
import type { Json } from "../model/json.js";
import { pointerOf } from "../model/pointer.js";
import { failed, ok, type Problem, type Result, type Span } from "../model/problem.js";

/** How deep a file may nest, and how many values its aliases may stand for. */
const MAX_DEPTH = 40;
const MAX_ALIASED = 100_000;

/** Keys that JavaScript objects give a meaning of its own. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * The document as JSON. Says what the YAML parser does not: keys given twice, keys that are not text, merge keys,
 * aliases that stand for too much.
 */
export function toValue(doc: Document.Parsed, spanAt: (offset: number, pointer: string) => Span): Result<Json> {
  const reader = new Reader(spanAt);
  const { value } = reader.read(doc.contents, []);
  return reader.problems.length === 0 ? ok(value) : failed(...reader.problems);
}

interface Read {
  readonly value: Json;
  /** How many values it stands for, aliases counted in full. */
  readonly size: number;
}

const NOTHING: Read = { value: null, size: 1 };

class Reader {
  readonly problems: Problem[] = [];
  readonly #anchors = new Map<string, Read>();
  #aliased = 0;
  readonly #spanAt: (offset: number, pointer: string) => Span;

  constructor(spanAt: (offset: number, pointer: string) => Span) {
    this.#spanAt = spanAt;
  }

  read(node: Node | null, path: Path): Read {
    if (path.length > MAX_DEPTH) {
      this.#report(node, path, "too_deep", "Too deep", `Nothing here nests deeper than ${MAX_DEPTH} levels.`);
      return NOTHING;
    }
    if (isAlias(node)) return this.#alias(node, path);
    const read = this.#plain(node, path);
    if (node !== null && "anchor" in node && typeof node.anchor === "string") this.#anchors.set(node.anchor, read);
    return read;
  }

  #plain(node: Node | null, path: Path): Read {
    if (isMap<Node | null, Node | null>(node)) return this.#map(node.items, path);
    if (isSeq<Node | null>(node)) return this.#list(node.items, path);
    if (isScalar(node)) return { value: this.#scalar(node, node.value, path), size: 1 };
    return NOTHING;
  }

  #scalar(node: Node, value: unknown, path: Path): Json {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    this.#report(node, path, "not_json", "No such value", `${String(value)} has no place here. Put text in quotes.`);
    return null;
  }

  #list(items: readonly (Node | null)[], path: Path): Read {
    let size = 1;
    const value = items.map((item, index) => {
      const read = this.read(item, [...path, index]);
      size += read.size;
      return read.value;
    });
    return { value, size };
  }

  #map(pairs: readonly Pair<Node | null, Node | null>[], path: Path): Read {
    let size = 1;
    const value: Record<string, Json> = {};
    for (const pair of pairs) {
      const key = this.#key(pair.key, path);
      const read = this.read(pair.value, [...path, key ?? ""]);
      size += read.size;
      if (key === null) continue;
      if (Object.hasOwn(value, key)) this.#duplicate(pair.key, [...path, key]);
      else value[key] = read.value;
    }
    return { value, size };
  }

  #key(node: Node | null, path: Path): string | null {
    const key = isScalar(node) ? node.value : undefined;
    if (typeof key !== "string") {
      const shown = isScalar(node) ? String(node.source ?? node.value) : "this key";
      const detail = `Keys are text, and ${shown} is not. Put it in quotes.`;
      this.#report(node, path, "key_not_text", "A key that is not text", detail);
      return null;
    }
    if (key === "<<") {
      const detail = '"<<" is a merge key of YAML 1.1, not of 1.2. Put what is shared into templates, and name them in extends.';
      this.#report(node, [...path, key], "merge_key", "Merge keys are not read", detail);
      return null;
    }
    if (FORBIDDEN_KEYS.has(key)) {
      this.#report(node, [...path, key], "forbidden_key", "A key that cannot be used", `Remove ${JSON.stringify(key)}.`);
      return null;
    }
    return key;
  }

  #duplicate(node: Node | null, path: Path): void {
    const detail = `${JSON.stringify(path.at(-1))} stands twice in this map. Remove one of them.`;
    this.#report(node, path, "duplicate_key", "A key given twice", detail);
  }

  #alias(node: Alias, path: Path): Read {
    const read = this.#anchors.get(node.source);
    if (read === undefined) {
      const detail = `*${node.source} names no anchor that is complete before it. Define &${node.source} first.`;
      this.#report(node, path, "unresolved_alias", "An alias without an anchor", detail);
      return NOTHING;
    }
    const before = this.#aliased;
    this.#aliased += read.size;
    if (before <= MAX_ALIASED && this.#aliased > MAX_ALIASED) {
      const detail = `The aliases of this file stand for more than ${MAX_ALIASED} values. Use templates instead.`;
      this.#report(node, path, "alias_bomb", "Aliases that stand for too much", detail);
    }
    return this.#aliased > MAX_ALIASED ? NOTHING : read;
  }

  #report(node: Node | null, path: Path, code: string, summary: string, detail: string): void {
    const at = this.#spanAt(node?.range?.[0] ?? 0, pointerOf(path));
    this.problems.push({ code, severity: "error", summary, detail, at });
  }
}
