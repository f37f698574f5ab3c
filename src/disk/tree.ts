import type { Reading } from "./files.js";

export type Kind = "file" | "folder" | "link" | "other";

/**
 * Files below a top, on the disk or in a commit. Names are relative, such as `infra/a.yaml`; the top is the empty name.
 * Links are not followed.
 */
export interface Tree {
  /** Null: not found. */
  kind(name: string): Promise<Kind | null>;
  entries(folder: string): Promise<Entries>;
  /** Relative to the link's folder, or to the top with a leading slash. Null: outside of the tree. */
  target(link: string): Promise<string | null>;
  read(file: string, maxBytes: number): Promise<Reading>;
}

export type Entries =
  | { readonly as: "entries"; readonly entries: readonly { readonly name: string; readonly kind: Kind }[] }
  | { readonly as: "failed"; readonly code: string };

/** Where a name leads. */
export type Destination =
  | {
      readonly to: "file" | "folder" | "other";
      readonly name: string;
      /** The links on the way, in order. */
      readonly links: readonly string[];
    }
  | { readonly to: "nothing" }
  /** Out of the tree, into git's own folder, or in circles. */
  | { readonly to: "elsewhere" };

/** The limit of Linux. */
const MAX_LINKS = 40;

/** Follows links on the way to a name while they stay in the tree. */
export async function follow(tree: Tree, name: string): Promise<Destination> {
  let position: string[] = [];
  let kind: Exclude<Kind, "link"> = "folder";
  const links: string[] = [];
  const pending = name.split("/").reverse();
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === "" || part === ".") continue;
    if (kind !== "folder") return { to: "nothing" };
    if (part === "..") {
      if (position.pop() === undefined) return { to: "elsewhere" };
      continue;
    }
    if (isOfGit(part)) return { to: "elsewhere" };
    const next = [...position, part];
    const entryKind = await tree.kind(next.join("/"));
    if (entryKind === null) return { to: "nothing" };
    if (entryKind !== "link") {
      position = next;
      kind = entryKind;
      continue;
    }
    const link = next.join("/");
    const target = links.push(link) > MAX_LINKS ? null : await tree.target(link);
    if (target === null) return { to: "elsewhere" };
    if (target.startsWith("/")) position = [];
    pending.push(...target.split("/").reverse());
  }
  return { to: kind, name: position.join("/"), links };
}

/** Git's folder may contain credentials. Some file systems ignore case and these characters. */
export function isOfGit(part: string): boolean {
  return part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").toLowerCase() === ".git";
}
