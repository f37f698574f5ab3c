import { type Document, isAlias, isMap, isScalar, isSeq, type Node, visit } from "yaml";
import type { Path } from "../../model/item.js";
import { remembered } from "../../model/remembered.js";

/** A place in a document. */
export interface Found {
  /** Null: nothing stands there. */
  readonly node: Node | null;
  /** What it stands in. */
  readonly parent: Node | null;
  /** Its index among the items of that. */
  readonly index: number;
  /** Where its key ends; in a list it has none. */
  readonly after: number;
  /** Where the key of what it stands in ends. */
  readonly above: number;
}

/**
 * The place of a path. Null: it is not there, or other places share it by an anchor, so that an edit would change them
 * too.
 */
export function find(doc: Document.Parsed, path: Path): Found | null {
  const shared = anchorsInUse(doc);
  let found: Found = { node: doc.contents, parent: null, index: 0, after: 0, above: 0 };
  for (const step of path) {
    const next: Found | null = below(found, step);
    if (next === null || isShared(next.node, shared)) return null;
    found = next;
  }
  return hasShared(found.node, shared) ? null : found;
}

function below({ node, after: above }: Found, step: string | number): Found | null {
  if (isMap<Node, Node | null>(node)) {
    const index = node.items.findIndex(({ key }) => isScalar(key) && key.value === String(step));
    const pair = node.items[index];
    if (pair === undefined) return null;
    return { node: pair.value, parent: node, index, after: pair.key.range?.[1] ?? 0, above };
  }
  if (!isSeq<Node>(node)) return null;
  const item = node.items[Number(step)];
  return item === undefined ? null : { node: item, parent: node, index: Number(step), after: 0, above };
}

const anchorsInUse = remembered((doc: Document.Parsed): ReadonlySet<string> => {
  const names = new Set<string>();
  visit(doc, { Alias: (_, { source }) => void names.add(source) });
  return names;
});

function isShared(node: Node | null, shared: ReadonlySet<string>): boolean {
  if (node === null) return false;
  return isAlias(node) || ("anchor" in node && typeof node.anchor === "string" && shared.has(node.anchor));
}

/** Something in it is an alias, or stands elsewhere too. */
function hasShared(node: Node | null, shared: ReadonlySet<string>): boolean {
  if (node === null) return false;
  let has = false;
  visit(node, {
    Node(_, each) {
      if (isShared(each, shared)) has = true;
    },
  });
  return has;
}
