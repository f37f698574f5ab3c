import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { codeOf, isFolder, type Reading, readRegularFile } from "./files.js";
import { type Entries, follow, isOfGit, type Kind, type Tree } from "./tree.js";

/** What somebody named, as a tree has it that nothing leads out of. */
export interface Place {
  readonly tree: Tree;
  readonly name: string;
  /** What the tree is, for messages: `the repository`. */
  readonly within: string;
  /** Whether a link may lead to a file in the tree; not given: to each. */
  readonly isOpen?: (name: string) => Promise<boolean>;
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
 * its files have said where that leads. So does a submodule: they have said which commit of which repository it is.
 */
export function repositoryOf(whole: string): string | null {
  return repositoriesAround(whole).at(-1) ?? null;
}

/** All the repositories that a path is written in, the outermost first. */
export function repositoriesAround(whole: string): readonly string[] {
  const { root } = path.parse(path.resolve(whole));
  const parts = path.relative(root, whole).split(path.sep);
  const found: string[] = [];
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join(root, ...parts.slice(0, depth));
    const around = found.at(-1);
    if (around !== undefined && infoOf(folder)?.isSymbolicLink() === true) return found;
    if (infoOf(path.join(folder, ".git")) === null) continue;
    if (around === undefined || !isSubmodule(folder, around)) found.push(folder);
  }
  return found;
}

/** What git keeps of a submodule is with what it keeps of the repository that has it. */
function isSubmodule(folder: string, around: string): boolean {
  const [own, outer] = [gitFolderOf(folder), gitFolderOf(around)];
  if (own === null || outer === null) return false;
  const below = path.relative(realOf(outer), realOf(own)).split(path.sep).join("/");
  return /^(worktrees\/[^/]+\/)?modules\//.test(below);
}

/** What git keeps of a repository. Worktrees and submodules have a file that says where it is. Null: neither. */
export function gitFolderOf(top: string): string | null {
  const here = path.join(top, ".git");
  if (infoOf(here)?.isDirectory() === true) return here;
  const read = readRegularFile(here, MAX_POINTER_BYTES);
  const [, named] =
    read.as === "file" ? (/^gitdir: ([^\0\n]+)\n*$/.exec(read.bytes.toString("utf8")) ?? []) : [];
  return named === undefined ? null : path.resolve(top, named);
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
        const entries = readdirSync(whole(folder), { withFileTypes: true });
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

/**
 * Where a file that somebody names is, or is to be, with no link left on the way to it. Null: a link leads out of the
 * repository. Whether the file itself is a link is another question.
 *
 * @param whole a whole path
 */
export async function fileAt(whole: string): Promise<string | null> {
  const folder = placeOf(path.dirname(whole));
  const led = await follow(folder.tree, folder.name);
  if (led.to === "elsewhere" || isOfGit(path.basename(whole))) return null;
  return led.to === "folder" ? path.join(folder.top, led.name, path.basename(whole)) : whole;
}

/** What a file has that somebody names: a plan, a journal. Links are not followed out of the repository, nor at its end. */
export async function readNamed(whole: string, maxBytes: number): Promise<Reading> {
  const file = await fileAt(whole);
  return file === null ? { as: "not a file" } : readRegularFile(file, maxBytes);
}

/** How a message goes on that names what could not be written: why, and what to do. */
export function whyNotWritten(code: string): string {
  return `failed with ${code}.${WRITE_ADVICE[code] ?? ""}`;
}

const NO_FOLDER = " Does its folder exist?";
const NOT_ALLOWED = " Whoever runs this may not write there.";
const NO_ROOM = " There is no room left.";

const WRITE_ADVICE: { readonly [code: string]: string } = {
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: NOT_ALLOWED,
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  EEXIST: " Something else has that name.",
};

/** Why it was not read, in words. */
export function whyNotRead(reading: Exclude<Reading, { readonly as: "file" }>): string {
  if (reading.as === "too large") return "it is too large";
  if (reading.as === "failed" && reading.code === "ENOENT") return "it is not there";
  return reading.as === "failed"
    ? `reading it failed with ${reading.code}`
    : "it is no file, but a folder, a link, a pipe or a device, or behind a link that leads elsewhere";
}
