import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import { cutEnd } from "../model/cut.js";
import { type Path, pointerOf } from "../model/item.js";
import type { Json } from "../model/json.js";

import { ok, type Problem, type Result } from "../model/problem.js";
import { isSensitiveKey } from "./masked.js";
import type { PlaceOf } from "./place.js";
import { quoted } from "./quoted.js";

/** How deep a value may be and how many values there may be in all, when each alias is counted as what it stands for. */
const MAX_DEPTH = 40;
const MAX_ALIASED = 100_000;

/** Keys that JavaScript objects give a meaning of its own. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** A document as JSON, and the node that each of its aliases stands for. */
export interface DocumentValue {
  readonly value: Json;
  readonly targets: ReadonlyMap<Alias, Node>;
}

/**
 * Says what the YAML parser does not: keys given twice, keys that are not text, merge keys, aliases that stand for
 * too much.
 */
export function toValue(doc: Document.Parsed, at: PlaceOf): Result<DocumentValue> {
  const reader = new Reader(at);
  const { value } = reader.read(doc.contents, []);
  const { problems, targets } = reader;
  return problems.length === 0 ? ok({ value, targets }) : { ok: false, problems };
}

interface Read {
  readonly value: Json;
  /** How many values it stands for, aliases counted in full. */
  readonly size: number;
  readonly depth: number;
}

const NOTHING: Read = { value: null, size: 1, depth: 0 };

class Reader {
  readonly problems: Problem[] = [];
  readonly targets = new Map<Alias, Node>();
  readonly #anchors = new Map<string, { readonly node: Node; readonly read: Read }>();
  #aliased = 0;
  readonly #at: PlaceOf;

  constructor(at: PlaceOf) {
    this.#at = at;
  }

  read(node: Node | null, path: Path): Read {
    if (node === null) return NOTHING;
    if (isAlias(node)) return this.#alias(node, path);
    const read = this.#plain(node, path);
    this.#anchor(node, read);
    return read;
  }

  #plain(node: Node, path: Path): Read {
    if (isMap<Node | null, Node | null>(node)) return this.#map(node.items, path);
    if (isSeq<Node | null>(node)) return this.#list(node.items, path);
    if (isScalar(node)) return { ...NOTHING, value: this.#scalar(node, node.value, node.source, path) };
    return NOTHING;
  }

  #scalar(node: Node, value: unknown, source: string | undefined, path: Path): Json {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    const shown = path.some(isSensitiveKey) ? "This" : cutEnd(source ?? String(value), MAX_SHOWN_CHARS);
    const detail = `${shown} is no number that can be used here. Put text in quotes.`;
    this.#report(node, path, "not_json", "A value that cannot be used", detail);
    return null;
  }

  #list(items: readonly (Node | null)[], path: Path): Read {
    const reads = items.map((item, index) => this.read(item, [...path, index]));
    return { value: reads.map((read) => read.value), ...extent(reads) };
  }

  #map(pairs: readonly Pair<Node | null, Node | null>[], path: Path): Read {
    const value: Record<string, Json> = {};
    const reads = pairs.map((pair) => {
      const below = [...path, keyText(pair.key)];
      const isUsable = this.#key(pair.key, below);
      const read = this.read(pair.value, below);
      const key = String(below.at(-1));
      if (isUsable && Object.hasOwn(value, key)) this.#duplicate(pair.key, below);
      else if (isUsable) value[key] = read.value;
      return read;
    });
    return { value, ...extent(reads) };
  }

  /** Whether a key can be used. */
  #key(node: Node | null, path: Path): boolean {
    const key = isScalar(node) ? node.value : undefined;
    if (typeof key !== "string") {
      this.#report(node, path.slice(0, -1), "key_not_text", "A key that is not text", keyAdvice(node));
      return false;
    }
    if (node !== null) this.#anchor(node, { ...NOTHING, value: key });
    if (key === "<<") {
      const detail =
        '"<<" is a merge key of YAML 1.1, not of 1.2. Put what is shared into templates, and name them in extends.';
      this.#report(node, path, "merge_key", "Merge keys are not read", detail);
      return false;
    }
    if (FORBIDDEN_KEYS.has(key)) {
      const detail = `No key may be called ${quoted(key)}. Remove it, or give it another name.`;
      this.#report(node, path, "forbidden_key", "A key that cannot be used", detail);
      return false;
    }
    return true;
  }

  #duplicate(node: Node | null, path: Path): void {
    const detail = `${quoted(String(path.at(-1)))} stands twice in this map. Remove one of them.`;
    this.#report(node, path, "duplicate_key", "A key given twice", detail);
  }

  #anchor(node: Node, read: Read): void {
    if ("anchor" in node && typeof node.anchor === "string") this.#anchors.set(node.anchor, { node, read });
  }

  #alias(node: Alias, path: Path): Read {
    const anchored = this.#anchors.get(node.source);
    if (anchored === undefined) {
      const name = path.some(isSensitiveKey) ? "…" : quoted(node.source).slice(1, -1);
      const detail = `*${name} is an alias, and no &${name} is complete before it. If it is a text, put it in quotes.`;
      this.#report(node, path, "unresolved_alias", "An alias without an anchor", detail);
      return NOTHING;
    }
    this.targets.set(node, anchored.node);
    return this.#isTooMuch(node, path, anchored.read) ? NOTHING : anchored.read;
  }

  #isTooMuch(node: Alias, path: Path, { size, depth }: Read): boolean {
    const before = this.#aliased;
    this.#aliased += size;
    if (before <= MAX_ALIASED && this.#aliased > MAX_ALIASED) {
      const detail = `The aliases of this file stand for more than ${MAX_ALIASED} values. Use templates instead.`;
      this.#report(node, path, "alias_bomb", "Aliases that stand for too much", detail);
    }
    const isTooDeep = path.length + depth > MAX_DEPTH;
    if (isTooDeep) {
      const detail = `With what it stands for, this alias is more than ${MAX_DEPTH} levels deep. Use templates instead.`;
      this.#report(node, path, "too_deep", "An alias that nests too deep", detail);
    }
    return isTooDeep || this.#aliased > MAX_ALIASED;
  }

  #report(node: Node | null, path: Path, code: string, summary: string, detail: string): void {
    const at = this.#at(node?.range?.[0] ?? 0, pointerOf(path));
    this.problems.push({ code, severity: "error", summary, detail, at });
  }
}

/** Of a list or a map with these values. */
function extent(reads: readonly Read[]): Pick<Read, "size" | "depth"> {
  let size = 1;
  let depth = 0;
  for (const read of reads) {
    size += read.size;
    depth = Math.max(depth, read.depth + 1);
  }
  return { size, depth };
}

function keyText(node: Node | null): string {
  return isScalar(node) ? String(node.value) : "";
}

const MAX_SHOWN_CHARS = 40;

function keyAdvice(node: Node | null): string {
  if (!isScalar(node)) return "This key is a list, a map or an alias, and keys are text. Write it out.";
  const source = node.source ?? "";
  if (source === "") return "A key is missing before this colon. Write one.";
  return `Keys are text, and ${cutEnd(source, MAX_SHOWN_CHARS)} is not. Put it in quotes.`;
}
