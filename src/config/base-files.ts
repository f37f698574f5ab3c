import { hash } from "node:crypto";
import path from "node:path";
import { placeOf } from "../disk/place.js";
import { follow } from "../disk/tree.js";
import { convertingAttributes } from "../git/attributes.js";
import { openCommit } from "../git/commit-files.js";
import { commitNamed, openRepository } from "../git/repository.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { type FilesRead, type FileText, namesBefore, readFilesAt } from "./files.js";

export interface BaseFiles {
  /** `git:` and the commit, or `sha256:` of the contents of the folder. */
  readonly id: string;
  /** With the same names as after the change. Empty: the files are new. */
  readonly files: readonly FileText[];
  /** Errors of the files that could not be read. */
  readonly problems: readonly Problem[];
}

/**
 * Reads the files before the change. Missing files are no problem.
 *
 * @param base a folder, or `git:` with any name of a commit
 * @param named as `-c` names the files, from `cwd`
 */
export async function readBaseFiles(
  base: string,
  named: readonly string[],
  cwd: string,
): Promise<Result<BaseFiles>> {
  const config = await namesBefore(named, cwd);
  return base.startsWith("git:")
    ? fromGit(base.slice("git:".length), config, cwd)
    : fromFolder(path.resolve(cwd, base), base, config, cwd);
}

async function fromFolder(
  folder: string,
  written: string,
  config: readonly string[],
  cwd: string,
): Promise<Result<BaseFiles>> {
  const { tree, name } = placeOf(folder);
  if ((await follow(tree, name)).to !== "folder")
    return failed(
      unread(
        `${written} is not a folder. For a git branch or commit, write git:${written}. Otherwise, name the folder with the files before the change.`,
      ),
    );
  const before = (name: string) =>
    path.resolve(folder, path.isAbsolute(name) ? path.relative(cwd, name) : name);
  const unchanged = config.find((name) => before(name) === path.resolve(cwd, name));
  if (unchanged !== undefined)
    return failed(
      unread(`${unchanged} is the same file in the base and now. Name a folder with the earlier files.`),
    );
  const read = present(await readFilesAt(config, cwd, (name) => placeOf(before(name))));
  const contents = read.files.map(({ file, text }) => [file, text]);
  const id = `sha256:${hash("sha256", JSON.stringify(contents))}`;
  return ok({ id, ...read });
}

/** A missing file is new. A file that cannot be read leaves the base incomplete. */
function present({ problems, ...read }: FilesRead): FilesRead {
  return { ...read, problems: problems.filter(({ code }) => code !== "no_such_file" && code !== "no_files") };
}

/** Paths are resolved as written: a folder that is a link now may not have been a link in the commit. */
async function fromGit(ref: string, config: readonly string[], cwd: string): Promise<Result<BaseFiles>> {
  const opened = openRepository(cwd);
  if (!opened.ok) {
    const advice = "Run this in a checkout of the repository, or name a folder.";
    return failed(unread(`${opened.problems[0]?.detail ?? ""} ${advice}`));
  }
  const repository = opened.value;
  const named = await commitNamed(repository, ref);
  if (!named.ok) {
    const advice =
      "Correct the name, or fetch the commit: a shallow checkout has few. Set fetch-depth of actions/checkout to 2 for a pull request or 0 for all commits; in GitLab, set GIT_DEPTH: 0.";
    const reason = named.problems[0]?.detail ?? "";
    const why = reason === "" ? "" : `: ${reason}`;
    return failed(unread(`git has no commit ${JSON.stringify(ref)} here${why}. ${advice}`));
  }
  const beyond = config.find((name) => placeOf(path.resolve(cwd, name)).repository !== repository.top);
  if (beyond !== undefined)
    return failed(unread(`${beyond} is outside the repository. Name a file in the repository.`));
  const commit = await openCommit(repository, named.value);
  if (!commit.ok) return failed(unread(commit.problems[0]?.detail ?? ""));
  const tree = commit.value;
  try {
    const placeNamed = (name: string) => ({
      tree,
      name: placeOf(path.resolve(cwd, name)).name,
      within: "the repository",
    });
    const read = present(await readFilesAt(config, cwd, placeNamed));
    const converting = await convertingAttributes(
      tree,
      read.reached.map((name) => placeNamed(name).name),
    );
    const problems = converting === null ? read.problems : [...read.problems, converted(converting)];
    return ok({ id: `git:${named.value}`, ...read, problems });
  } finally {
    tree.close();
  }
}

function converted(attributes: string): Problem {
  return unread(
    `In this commit, ${attributes} sets ident or working-tree-encoding for the files. With these attributes a checkout differs from git. Remove them.`,
  );
}

function unread(detail: string): Problem {
  return problem("base_not_read", "Base cannot be read", detail);
}
