import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { codeOf, isFolder, type Reading, readRegularFile } from "./files.js";
import { type Entries, follow, isOfGit, type Kind, type Tree } from "./tree.js";

/** A named place inside a tree that nothing leads out of. */
export interface Place {
  readonly tree: Tree;
  readonly name: string;
  /** The tree's name in messages: `the repository`. */
  readonly within: string;
  /** Whether a link may lead to a file. Absent: to any. */
  readonly isOpen?: (name: string) => Promise<boolean>;
}

/** A place on the disk. */
export interface DiskPlace extends Place {
  /** The repository's top as written; null: none. */
  readonly repository: string | null;
  /** The top of the tree, with links resolved. */
  readonly top: string;
}

/**
 * A place on the disk. Its tree is the repository that the path is written in, wherever links lead, or else the named
 * folder or the file's folder.
 *
 * @param whole an absolute path
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
 * The innermost repository in a path as written. A place behind a link still belongs to the link's repository, whose
 * files chose the target. A submodule belongs to its outer repository, which names its commit.
 */
export function repositoryOf(whole: string): string | null {
  return repositoriesAround(whole).at(-1) ?? null;
}

/** All repositories in a path as written, the outermost first. */
export function repositoriesAround(whole: string): readonly string[] {
  const { root } = path.parse(path.resolve(whole));
  const parts = path.relative(root, whole).split(path.sep);
  const repositories: string[] = [];
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join(root, ...parts.slice(0, depth));
    const around = repositories.at(-1);
    if (around !== undefined && infoOf(folder)?.isSymbolicLink() === true) return repositories;
    if (infoOf(path.join(folder, ".git")) === null) continue;
    if (around === undefined || !isSubmodule(folder, around)) repositories.push(folder);
  }
  return repositories;
}

/** A submodule's git folder is inside that of its outer repository. */
function isSubmodule(folder: string, around: string): boolean {
  const [inner, outer] = [gitFolderOf(folder), gitFolderOf(around)];
  if (inner === null || outer === null) return false;
  const below = path.relative(realOf(outer), realOf(inner)).split(path.sep).join("/");
  return /^(worktrees\/[^/]+\/)?modules\//.test(below);
}

/** The git folder of a repository. Worktrees and submodules have a file that names it. Null: none. */
export function gitFolderOf(top: string): string | null {
  const file = path.join(top, ".git");
  if (infoOf(file)?.isDirectory() === true) return file;
  const read = readRegularFile(file, MAX_POINTER_BYTES);
  const [, target] =
    read.as === "file" ? (/^gitdir: ([^\0\n]+)\n*$/.exec(read.bytes.toString("utf8")) ?? []) : [];
  return target === undefined ? null : path.resolve(top, target);
}

const MAX_POINTER_BYTES = 8_192;

function infoOf(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** @param linkedTop the top as links may have it */
function diskTree(top: string, linkedTop: string): Tree {
  const whole = (name: string) => path.join(top, name);
  return {
    kind: async (name) => {
      try {
        return kindOf(lstatSync(whole(name)));
      } catch (error) {
        // Whatever cannot be examined counts as existing.
        return ["ENOENT", "ENOTDIR"].includes(codeOf(error)) ? null : "other";
      }
    },
    entries: async (folder): Promise<Entries> => {
      try {
        const entries = readdirSync(whole(folder), { withFileTypes: true });
        return { as: "entries", entries: entries.map((each) => ({ name: each.name, kind: kindOf(each) })) };
      } catch (error) {
        return { as: "failed", code: codeOf(error) };
      }
    },
    target: async (link) => {
      const target = readlinkSync(whole(link));
      if (!path.isAbsolute(target)) return target;
      const prefix = [top, linkedTop].find((each) => `${target}/`.startsWith(`${each}/`));
      return prefix === undefined ? null : `/${target.slice(prefix.length)}`;
    },
    read: async (file, maxBytes) => readRegularFile(whole(file), maxBytes),
  };
}

function kindOf(info: Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink">): Kind {
  if (info.isSymbolicLink()) return "link";
  if (info.isDirectory()) return "folder";
  return info.isFile() ? "file" : "other";
}

/**
 * The path of a file, existing or not, with links on the way resolved. Null: a link leads out of the repository. The
 * file itself may still be a link.
 *
 * @param whole an absolute path
 */
export async function fileAt(whole: string): Promise<string | null> {
  const folder = placeOf(path.dirname(whole));
  const destination = await follow(folder.tree, folder.name);
  if (destination.to === "elsewhere" || isOfGit(path.basename(whole))) return null;
  return destination.to === "folder" ? path.join(folder.top, destination.name, path.basename(whole)) : whole;
}

/** Reads a named file, such as a plan or a journal. A link must not be the file, nor lead out of the repository. */
export async function readNamed(whole: string, maxBytes: number): Promise<Reading> {
  const file = await fileAt(whole);
  return file === null ? { as: "not a file" } : readRegularFile(file, maxBytes);
}

/** The end of a message about a file that could not be written: why, and what to do. */
export function whyNotWritten(code: string): string {
  return `failed with ${code}.${WRITE_ADVICE[code] ?? ""}`;
}

const NO_FOLDER = " Does its folder exist?";
const NOT_ALLOWED = " The current user may not write there.";
const NO_ROOM = " The disk is full.";

const WRITE_ADVICE: { readonly [code: string]: string } = {
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: NOT_ALLOWED,
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  EEXIST: " The name is taken.",
};

/** Why a file was not read, for a message. */
export function whyNotRead(reading: Exclude<Reading, { readonly as: "file" }>): string {
  if (reading.as === "too large") return "it is too large";
  if (reading.as === "failed" && reading.code === "ENOENT") return "it does not exist";
  return reading.as === "failed"
    ? `reading it failed with ${reading.code}`
    : "it is not a regular file, or it is behind a link that leads elsewhere";
}
