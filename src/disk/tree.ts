import type { Reading } from "./files.js";

export type Kind = "file" | "folder" | "link" | "other";

/**
 * Files below a top, on the disk or in a commit. They go by names such as `infra/a.yaml`, and the top by the empty one;
 * nothing here follows a link.
 */
export interface Tree {
  /** Null: there is nothing of that name. */
  kind(name: string): Promise<Kind | null>;
  entries(folder: string): Promise<Entries>;
  /** From the folder that the link is in, or from the top where it begins with a slash. Null: from elsewhere. */
  target(link: string): Promise<string | null>;
  read(file: string, maxBytes: number): Promise<Reading>;
}

export type Entries =
  | { readonly as: "entries"; readonly entries: readonly { readonly name: string; readonly kind: Kind }[] }
  | { readonly as: "failed"; readonly code: string };

/** Where a name leads. */
export type Led =
  | {
      readonly to: "file" | "folder" | "other";
      readonly name: string;
      /** The links on the way, in their order. */
      readonly links: readonly string[];
    }
  | { readonly to: "nothing" }
  /** Beyond the top, into what git keeps for itself, or round in circles. */
  | { readonly to: "elsewhere" };

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Follows a name through the links on its way, as long as they stay in the tree. */
export async function follow(tree: Tree, name: string): Promise<Led> {
  let here: string[] = [];
  let kind: Exclude<Kind, "link"> = "folder";
  const links: string[] = [];
  const left = name.split("/").reverse();
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (part === "" || part === ".") continue;
    if (kind !== "folder") return { to: "nothing" };
    if (part === "..") {
      if (here.pop() === undefined) return { to: "elsewhere" };
      continue;
    }
    if (isOfGit(part)) return { to: "elsewhere" };
    const next = [...here, part];
    const found = await tree.kind(next.join("/"));
    if (found === null) return { to: "nothing" };
    if (found !== "link") {
      here = next;
      kind = found;
      continue;
    }
    const link = next.join("/");
    const target = links.push(link) > MAX_LINKS ? null : await tree.target(link);
    if (target === null) return { to: "elsewhere" };
    if (target.startsWith("/")) here = [];
    left.push(...target.split("/").reverse());
  }
  return { to: kind, name: here.join("/"), links };
}

/** Beside the history it can hold the credential that fetched it. Some disks see no difference in case, or these signs. */
export function isOfGit(part: string): boolean {
  return part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").toLowerCase() === ".git";
}
