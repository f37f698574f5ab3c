import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import path from "node:path";
import { gitFolderOf, repositoryOf } from "../disk/place.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { ask, type GitReply, type Repository } from "./run.js";

/**
 * The repository that a folder is written in. Git is not asked: it would accept a subfolder that looks like a bare
 * repository, and run its configuration. Naming the git folder also skips git's check of its owner.
 */
export function openRepository(folder: string): Result<Repository> {
  const top = repositoryOf(folder);
  if (top === null) return failed(unusable(`${folder} is not in a git repository.`));
  const gitFolder = gitFolderOf(top);
  if (gitFolder !== null && isGitFolder(gitFolder)) return ok({ top, gitFolder });
  return failed(unusable(`${path.join(top, ".git")} is neither a git folder nor a file that names one.`));
}

function isGitFolder(folder: string): boolean {
  const at = (name: string) => kindOf(path.join(folder, name));
  const isWhole = at("objects") === "folder" && at("refs") === "folder";
  return kindOf(folder) === "folder" && at("HEAD") !== null && (isWhole || at("commondir") === "file");
}

function kindOf(file: string): "file" | "folder" | "other" | null {
  try {
    const info = lstatSync(file);
    return info.isDirectory() ? "folder" : info.isFile() ? "file" : "other";
  } catch {
    return null;
  }
}

function unusable(detail: string): Problem {
  return problem("no_repository", "Not a git repository", detail);
}

/** The commit of this name. Ambiguous names are refused: anybody who can push a tag could redirect one. */
export async function commitNamed(repository: Repository, name: string): Promise<Result<string>> {
  const reply = await ask(repository, ["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`]);
  if (reply.ok && reply.value.complaint.includes("is ambiguous"))
    return failed(problem("git_failed", "git failed", "the name is ambiguous"));
  return idIn(reply);
}

/** The time of a commit, in milliseconds since 1970. */
export async function timeOfCommit(repository: Repository, commit: string): Promise<Result<number>> {
  const reply = await ask(repository, ["show", "--no-patch", "--format=%ct", "--end-of-options", commit]);
  if (!reply.ok) return reply;
  const seconds = reply.value.answer.trim();
  if (/^\d{1,11}$/.test(seconds)) return ok(Number(seconds) * 1000);
  return failed(problem("git_failed", "git failed", "git answered in an unknown form"));
}

/** The last common commit of two histories. */
export async function mergeBase(repository: Repository, a: string, b: string): Promise<Result<string>> {
  return idIn(await ask(repository, ["merge-base", "--end-of-options", a, b]));
}

function idIn(reply: Result<GitReply>): Result<string> {
  if (!reply.ok) return reply;
  const id = reply.value.answer.trim();
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(id)) return ok(id);
  return failed(problem("git_failed", "git failed", "git answered in an unknown form"));
}

/** A tracked file, and the id of its committed or staged content. */
export interface Tracked {
  /** Relative to the folder. */
  readonly name: string;
  readonly id: string;
}

/** Tracked files below a folder; none outside of a repository. Null: git does not answer. */
export async function trackedBelow(folder: string): Promise<readonly Tracked[] | null> {
  if (repositoryOf(folder) === null) return [];
  const repository = openRepository(folder);
  if (!repository.ok) return null;
  const below = path.relative(repository.value.top, folder).split(path.sep).join("/");
  const listed = await ask(repository.value, [
    "ls-files",
    "-s",
    "-z",
    "--full-name",
    "--",
    `:(top,literal)${below}`,
  ]);
  if (!listed.ok) return null;
  return listed.value.answer.split("\0").flatMap((line): readonly Tracked[] => {
    const [, id, name] = /^\d+ ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
    return id === undefined || name === undefined ? [] : [{ name: path.posix.relative(below, name), id }];
  });
}

export async function isTracked(file: string): Promise<boolean> {
  return ((await trackedBelow(file)) ?? []).length > 0;
}

/** Whether a file's content is what git has. */
export function isCopy(bytes: Buffer, { id }: Tracked): boolean {
  const hash = createHash(id.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") === id;
}
