import path from "node:path";
import type { Tree } from "../disk/tree.js";

/** A longer file of attributes counts as one that converts. */
const MAX_BYTES = 1024 * 1024;

/**
 * The first `.gitattributes` of a commit that may let a checkout have another text than git. Such a text was planned and
 * applied, and what git has instead was never judged. Filters do so only where the machine configures them.
 *
 * @param names the files that are read, relative to the top
 */
export async function convertingAttributes(tree: Tree, names: readonly string[]): Promise<string | null> {
  for (const folder of new Set(names.flatMap(foldersAbove))) {
    const file = path.posix.join(folder, ".gitattributes");
    const read = await tree.read(file, MAX_BYTES);
    if (read.as === "too large") return file;
    const lines = read.as === "file" ? read.bytes.toString("latin1").split("\n") : [];
    if (lines.some((line) => isConverting(line, names))) return file;
  }
  return null;
}

function foldersAbove(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.map((_, depth) => parts.slice(0, depth).join("/"));
}

/** Only a pattern that surely ends in the extension of other files is left out. */
function isConverting(line: string, names: readonly string[]): boolean {
  const [pattern = "", ...attributes] = line.trim().split(/[ \t\r]+/);
  if (pattern.startsWith("#") || !attributes.some((each) => CONVERTING.test(each))) return false;
  const [, extension = ""] = /^[^[].*(\.\w+)$/.exec(pattern.toLowerCase()) ?? [];
  return names.some((name) => name.toLowerCase().endsWith(extension));
}

const CONVERTING = /^(ident|working-tree-encoding=.+)$/;
