import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { codeOf, readRegularFile } from "./regular-file.js";
import type { Entries, Kind, Tree } from "./tree.js";

/** What somebody named, as a tree has it that nothing leads out of. */
export interface Place {
  readonly tree: Tree;
  readonly name: string;
  /** What the tree is, for messages: `the repository`. */
  readonly within: string;
}

/** A place on the disk. */
export interface DiskPlace extends Place {
  /** The top of the tree as it was written; null: in no repository. */
  readonly repository: string | null;
  /** The top of the tree, without links. */
  readonly top: string;
}

/**
 * A place on the disk: in the repository that it is written in, wherever links there lead. In no repository: in the folder
 * that is named, or that the file is in.
 *
 * @param whole a whole path
 */
export function placeOf(whole: string): DiskPlace {
  const repository = repositoryOf(whole);
  const folder = repository ?? (isFolder(whole) ? whole : path.dirname(whole));
  const top = realOf(folder);
  return {
    tree: diskTree(top, folder),
    name: path.relative(folder, whole).split(path.sep).join("/"),
    within: repository === null ? `the folder ${path.basename(folder)}` : "the repository",
    repository,
    top,
  };
}

/**
 * The innermost repository that a path is written in. What is behind a link in a repository counts as the repository's:
 * its files have said where that leads.
 */
export function repositoryOf(whole: string): string | null {
  const { root } = path.parse(whole);
  const parts = path.relative(root, whole).split(path.sep);
  let found: string | null = null;
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join(root, ...parts.slice(0, depth));
    if (found !== null && infoOf(folder)?.isSymbolicLink() === true) return found;
    if (infoOf(path.join(folder, ".git")) !== null) found = folder;
  }
  return found;
}

function infoOf(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
}

function isFolder(whole: string): boolean {
  try {
    return statSync(whole).isDirectory();
  } catch {
    return false;
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** @param written the top as links may have it */
function diskTree(top: string, written: string): Tree {
  const whole = (name: string) => path.join(top, name);
  return {
    kind: async (name) => {
      try {
        return kindOf(lstatSync(whole(name)));
      } catch (error) {
        // What may not be looked at is there for all that anybody knows.
        return ["ENOENT", "ENOTDIR"].includes(codeOf(error)) ? null : "other";
      }
    },
    entries: async (folder): Promise<Entries> => {
      try {
        const entries = await readdir(whole(folder), { withFileTypes: true });
        return { as: "entries", entries: entries.map((each) => ({ name: each.name, kind: kindOf(each) })) };
      } catch (error) {
        return { as: "failed", code: codeOf(error) };
      }
    },
    target: async (link) => {
      const target = readlinkSync(whole(link));
      if (!path.isAbsolute(target)) return target;
      const own = [top, written].find((each) => `${target}/`.startsWith(`${each}/`));
      return own === undefined ? null : `/${target.slice(own.length)}`;
    },
    read: async (file, maxBytes) => readRegularFile(whole(file), maxBytes),
  };
}

function kindOf(info: Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink">): Kind {
  if (info.isSymbolicLink()) return "link";
  if (info.isDirectory()) return "folder";
  return info.isFile() ? "file" : "other";
}
