import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import path from "node:path";
import { gitFolderOf, repositoryOf } from "../disk/place.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { ask, type Repository, type Said } from "./run.js";

/**
 * The repository that a folder is written in. Git is not asked: below the top it would take a folder that looks like a
 * bare repository for one, and do what is configured in it. Nor does it then ask whose the folder is, since it is named.
 */
export function openRepository(folder: string): Result<Repository> {
  const top = repositoryOf(folder);
  if (top === null) return failed(unusable(`${folder} is in no repository.`));
  const gitFolder = gitFolderOf(top);
  if (gitFolder !== null && isGitFolder(gitFolder)) return ok({ top, gitFolder });
  return failed(unusable(`${path.join(top, ".git")} is neither git's folder nor a file that names it.`));
}

function isGitFolder(folder: string): boolean {
  const has = (name: string) => kindOf(path.join(folder, name));
  const isWhole = has("objects") === "folder" && has("refs") === "folder";
  return kindOf(folder) === "folder" && has("HEAD") !== null && (isWhole || has("commondir") === "file");
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
  return problem("no_repository", "No repository of git", detail);
}

/** The commit of this name. Ambiguous names are refused: anybody who can push a tag could choose which one is meant. */
export async function commitNamed(repository: Repository, name: string): Promise<Result<string>> {
  const said = await ask(repository, ["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`]);
  if (said.ok && said.value.complaint.includes("is ambiguous"))
    return failed(problem("git_failed", "git says no", "several things have that name"));
  return idIn(said);
}

/** When a commit was made, in milliseconds. */
export async function timeOfCommit(repository: Repository, commit: string): Promise<Result<number>> {
  const said = await ask(repository, ["show", "--no-patch", "--format=%ct", "--end-of-options", commit]);
  if (!said.ok) return said;
  const seconds = said.value.answer.trim();
  if (/^\d{1,11}$/.test(seconds)) return ok(Number(seconds) * 1000);
  return failed(problem("git_failed", "git says no", "git answered in an unknown form"));
}

/** Where the histories of two commits part. */
export async function mergeBase(repository: Repository, one: string, other: string): Promise<Result<string>> {
  return idIn(await ask(repository, ["merge-base", "--end-of-options", one, other]));
}

function idIn(said: Result<Said>): Result<string> {
  if (!said.ok) return said;
  const id = said.value.answer.trim();
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(id)) return ok(id);
  return failed(problem("git_failed", "git says no", "git answered in an unknown form"));
}

/** A file that git tracks, and the id of what was committed or added. */
export interface Tracked {
  /** From the folder. */
  readonly name: string;
  readonly id: string;
}

/** What git tracks below a folder: without a repository, nothing. Null: git does not say. */
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

/** Whether a file has what git has of it. */
export function isCopy(bytes: Buffer, { id }: Tracked): boolean {
  const hash = createHash(id.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") === id;
}
