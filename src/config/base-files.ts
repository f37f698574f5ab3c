import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { DEFAULT_CONFIG, type FilesRead, type FileText, readConfigFiles } from "./files.js";

/** The files as they were before the change. */
export interface BaseFiles {
  /** `git:` and the commit, or `sha256:` of what a folder has. */
  readonly id: string;
  /** Named as those of the change are. */
  readonly files: readonly FileText[];
}

/**
 * The same files before the change. That some or all of them were not there yet is no problem.
 *
 * @param base a folder, or `git:` and what git calls a commit
 * @param named as `-c` names them, from `cwd`
 */
export async function readBaseFiles(
  base: string,
  named: readonly string[],
  cwd: string,
): Promise<Result<BaseFiles>> {
  const config = (named.length === 0 ? [DEFAULT_CONFIG] : named).map((each) =>
    path.isAbsolute(each) ? path.relative(cwd, each) : each,
  );
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
  const info = await stat(folder).catch(() => null);
  if (info === null || !info.isDirectory())
    return failed(unread(`${written} is no folder. Name the folder that has the files before the change.`));
  const same = config.find((each) => path.resolve(folder, each) === path.resolve(cwd, each));
  if (same !== undefined) return failed(unread(`${same} is there the same file as here.`));
  const read = present(await readConfigFiles(config, folder));
  if (!read.ok) return read;
  const said = read.value.map(({ file, text }) => [file, text]);
  const id = `sha256:${createHash("sha256").update(JSON.stringify(said)).digest("hex")}`;
  return ok({ id, files: read.value });
}

/** What was not there before is new; what cannot be read leaves open what was there. */
function present({ files, problems }: FilesRead): Result<readonly FileText[]> {
  const real = problems.filter(({ code }) => code !== "no_such_file" && code !== "no_files");
  return real.length > 0 ? failed(...real) : ok(files);
}

/** The commit's YAML is laid out in a folder of its own, so that names, folders and globs mean what they always do. */
async function fromGit(ref: string, config: readonly string[], cwd: string): Promise<Result<BaseFiles>> {
  const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`], cwd);
  if (!found.ok) {
    const advice =
      "Fetch it (a shallow checkout has few commits: fetch-depth: 0 in actions/checkout), or correct the name.";
    return failed(
      unread(`git has no commit ${JSON.stringify(ref)} here${found.problems[0]?.detail ?? ""}. ${advice}`),
    );
  }
  const commit = found.value.toString("utf8").trim();
  const where = await git(["rev-parse", "--show-prefix"], cwd);
  const tree = await git(["ls-tree", "-r", "-z", "--full-tree", commit], cwd);
  if (!where.ok || !tree.ok)
    return failed(...[where, tree].flatMap((each) => (each.ok ? [] : each.problems)));
  const prefix = where.value.toString("utf8").replace(/\n$/, "");
  const names = config.map((each) => path.posix.join(prefix, each));
  const outside = config.find((_, index) => names[index]?.startsWith(".."));
  if (outside !== undefined) return failed(unread(`${outside} is outside of the repository.`));
  const blobs = blobsOf(tree.value.toString("utf8")).filter(({ name }) => isWanted(name, names));
  const folder = await mkdtemp(path.join(tmpdir(), "zoneward-base-"));
  try {
    const laid = await layOut(blobs, folder, cwd);
    if (!laid.ok) return laid;
    const read = present(await readConfigFiles(config, path.join(folder, prefix)));
    return read.ok ? ok({ id: `git:${commit}`, files: read.value }) : read;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Blob {
  readonly hash: string;
  /** From the top of the repository. */
  readonly name: string;
}

/** Plain files: what a link leads to is not in the commit as a file. */
function blobsOf(tree: string): readonly Blob[] {
  return tree.split("\0").flatMap((entry) => {
    const [, hash, name] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
    return hash === undefined || name === undefined ? [] : [{ hash, name }];
  });
}

function isWanted(name: string, config: readonly string[]): boolean {
  return /\.ya?ml$/i.test(name) || config.includes(name);
}

/** Bound on what a commit may have of YAML. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

async function layOut(blobs: readonly Blob[], folder: string, cwd: string): Promise<Result<null>> {
  if (blobs.length > MAX_FILES)
    return failed(unread(`The commit has ${blobs.length} YAML files; ${MAX_FILES} are read at most.`));
  const input = blobs.map(({ hash }) => `${hash}\n`).join("");
  const content = await git(["cat-file", "--batch"], cwd, input);
  if (!content.ok) return content;
  let offset = 0;
  for (const { name } of blobs) {
    const end = content.value.indexOf("\n", offset);
    const size = Number(content.value.toString("latin1", offset, end).split(" ")[2]);
    if (end === -1 || !Number.isInteger(size)) return failed(unread("git answered in an unknown form."));
    const target = path.join(folder, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, content.value.subarray(end + 1, end + 1 + size));
    offset = end + 1 + size + 1;
  }
  return ok(null);
}

const TIMEOUT_MS = 60_000;

function git(args: readonly string[], cwd: string, input = ""): Promise<Result<Buffer>> {
  return new Promise((resolve) => {
    const options = { cwd, encoding: "buffer", maxBuffer: MAX_BYTES, timeout: TIMEOUT_MS } as const;
    const child = execFile("git", args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(ok(stdout));
      const said = stderr.toString("utf8").trim();
      const why = error.code === "ENOENT" ? "git is not installed" : said;
      resolve(failed(unread(why === "" ? "" : `: ${why}`)));
    });
    child.stdin?.on("error", () => {}).end(input);
  });
}

function unread(detail: string): Problem {
  return problem("base_not_read", "The base cannot be read", detail);
}
