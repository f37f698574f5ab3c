import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
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

/** What the commit has of them is laid out in a folder of its own, so that names, folders and globs mean what they always do. */
async function fromGit(ref: string, config: readonly string[], cwd: string): Promise<Result<BaseFiles>> {
  const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`], cwd);
  if (!found.ok) {
    const advice =
      "Fetch it (a shallow checkout has few commits: fetch-depth: 0 in actions/checkout), or correct the name.";
    const why = found.problems[0]?.detail ?? "";
    return failed(unread(`git has no commit ${JSON.stringify(ref)} here${why}. ${advice}`));
  }
  const commit = found.value.toString("utf8").trim();
  const where = await git(["rev-parse", "--show-prefix"], cwd);
  const tree = await git(["ls-tree", "-r", "-z", "--full-tree", commit], cwd);
  if (!where.ok || !tree.ok)
    return failed(...[where, tree].flatMap((each) => (each.ok ? [] : each.problems)));
  const prefix = where.value.toString("utf8").replace(/\n$/, "");
  const named = config.map((each) => path.posix.join(prefix, each));
  const beyond = config.find((_, index) => isBeyond(named[index] ?? ""));
  if (beyond !== undefined) return failed(unread(`${beyond} is outside of the repository.`));
  const entries = await wantedEntries(entriesOf(tree.value.toString("utf8")), named, cwd);
  if (!entries.ok) return entries;
  const folder = await mkdtemp(path.join(tmpdir(), "zoneward-base-"));
  try {
    const laid = await layOut(entries.value, folder, cwd);
    if (!laid.ok) return laid;
    const read = present(await readConfigFiles(config, path.join(folder, prefix)));
    return read.ok ? ok({ id: `git:${commit}`, files: read.value }) : read;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Something in a commit: its name begins at the top of the repository. */
interface Entry {
  readonly name: string;
  readonly hash: string;
  readonly as: "file" | "link";
}

function entriesOf(tree: string): readonly Entry[] {
  return tree.split("\0").flatMap((line): readonly Entry[] => {
    const [, mode, hash, name] = /^(100\d{3}|120000) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    if (hash === undefined || name === undefined) return [];
    return [{ name, hash, as: mode === "120000" ? "link" : "file" }];
  });
}

/** Bounds on what is read of a commit. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_LINKS = 100;

/** The entries that the names can mean, and those that links among them lead to. */
async function wantedEntries(
  entries: readonly Entry[],
  named: readonly string[],
  cwd: string,
): Promise<Result<readonly Entry[]>> {
  const wanted = new Set<Entry>();
  const places = named.map(placeOf);
  for (const place of places) {
    for (const entry of entries) {
      if (wanted.has(entry) || !mayMean(place, entry)) continue;
      wanted.add(entry);
      if (entry.as === "file") continue;
      const text = await git(["cat-file", "blob", entry.hash], cwd);
      if (!text.ok) return text;
      const target = targetOf(entry, text.value.toString("utf8"));
      if (target === null) return failed(unread(`${entry.name} is a link that leads out of the repository.`));
      const rest = isWithin(place.name, entry.name) ? path.posix.relative(entry.name, place.name) : "";
      places.push({ ...place, name: path.posix.join(target, rest) });
      if (places.length > named.length + MAX_LINKS)
        return failed(unread("The commit has too many links where the files are."));
    }
  }
  if (wanted.size <= MAX_FILES) return ok([...wanted]);
  return failed(unread(`The commit has ${wanted.size} files there; ${MAX_FILES} are read at most.`));
}

/** Where files can be. */
interface Place {
  readonly name: string;
  /** Whether a glob says which of the files there are meant. */
  readonly isGlob: boolean;
}

/** A file or folder by its name; of a glob, the folder that all it can mean is in. */
function placeOf(name: string): Place {
  const [fixed = ""] = /^[^*?{}[\]()!]*/.exec(name) ?? [];
  const isGlob = fixed !== name;
  const folder = fixed.slice(0, fixed.lastIndexOf("/") + 1);
  return { name: path.posix.join(isGlob ? folder : name, ".").replace(/(.)\/$/, "$1"), isGlob };
}

function mayMean({ name: place, isGlob }: Place, { name, as }: Entry): boolean {
  if (as === "link") return isWithin(name, place) || isWithin(place, name);
  return isWithin(name, place) && (isGlob || name === place || /\.ya?ml$/i.test(name));
}

/** Null: it is not in the repository. */
function targetOf({ name }: Entry, link: string): string | null {
  const target = path.posix.join(path.posix.dirname(name), link);
  return path.posix.isAbsolute(link) || isBeyond(target) ? null : target.replace(/\/$/, "");
}

function isWithin(name: string, place: string): boolean {
  return place === "." || name === place || name.startsWith(`${place}/`);
}

function isBeyond(name: string): boolean {
  return name === ".." || name.startsWith("../") || path.posix.isAbsolute(name);
}

async function layOut(entries: readonly Entry[], folder: string, cwd: string): Promise<Result<null>> {
  const content = await git(["cat-file", "--batch"], cwd, entries.map(({ hash }) => `${hash}\n`).join(""));
  if (!content.ok) return content;
  let offset = 0;
  for (const { name, as } of entries) {
    const end = content.value.indexOf("\n", offset);
    const size = Number(content.value.toString("latin1", offset, end).split(" ")[2]);
    if (end === -1 || !Number.isInteger(size)) return failed(unread("git answered in an unknown form."));
    const bytes = content.value.subarray(end + 1, end + 1 + size);
    const target = path.join(folder, name);
    await mkdir(path.dirname(target), { recursive: true });
    if (as === "link") await symlink(bytes.toString("utf8"), target);
    else await writeFile(target, bytes);
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
