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
 * What an edit does to what it finds: adds to it, takes it away, or puts something else in its place. What other places
 * share by an anchor would be changed there too.
 */
export type Touch = "add" | "remove" | "replace";

/** The place of a path. Null: it is not there, or shared in a way that the edit must not touch. */
export function find(doc: Document.Parsed, path: Path, touch: Touch): Found | null {
  const shared = anchorsInUse(doc);
  let found: Found = { node: doc.contents, parent: null, index: 0, after: 0, above: 0 };
  for (const [depth, step] of path.entries()) {
    const next: Found | null = below(found, step);
    const isGoing = touch === "remove" && depth === path.length - 1;
    if (next === null || (isAlias(next.node) && !isGoing) || isAnchored(next.node, shared)) return null;
    found = next;
  }
  return touch !== "add" && holdsShared(found.node, shared, touch) ? null : found;
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

function isAnchored(node: Node | null, shared: ReadonlySet<string>): boolean {
  return node !== null && "anchor" in node && typeof node.anchor === "string" && shared.has(node.anchor);
}

/** Whether something in it stands elsewhere too; an alias in it only counts where it would be lost for nothing. */
function holdsShared(node: Node | null, shared: ReadonlySet<string>, touch: Exclude<Touch, "add">): boolean {
  if (node === null) return false;
  let holds = false;
  visit(node, {
    Node(_, each) {
      if (isAnchored(each, shared) || (touch === "replace" && isAlias(each))) holds = true;
    },
  });
  return holds;
}
