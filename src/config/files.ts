import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";

/** One file's text, as it was found. */
export interface FileText {
  readonly file: string;
  readonly text: string;
}

/** What could be read, and what could not: a file that is missing does not hide what is wrong in the others. */
export interface FilesRead {
  readonly files: readonly FileText[];
  readonly problems: readonly Problem[];
}

/** Bounds on what is read: a larger file belongs split up by zone. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 10_000;

/** What is read when nothing is named. */
export const DEFAULT_CONFIG = "zoneward.yaml";

/**
 * The files that `-c` names: files as they are, folders with every `*.yaml` and `*.yml` below (dot-entries and
 * node_modules passed over), globs. Without any: zoneward.yaml. In the order named, folders and globs sorted.
 */
export async function readConfigFiles(named: readonly string[], cwd: string): Promise<FilesRead> {
  const found = await Promise.all(
    (named.length === 0 ? [DEFAULT_CONFIG] : named).map((each) => find(each, cwd)),
  );
  const problems = found.flatMap((each) => (each.ok ? [] : each.problems));
  const files = once(
    found.flatMap((each) => (each.ok ? each.value : [])),
    cwd,
  );
  if (files.length > MAX_FILES) {
    const detail = `${files.length} files are named; ${MAX_FILES} are read at most.`;
    return { files: [], problems: [problem("too_many_files", "Too many files", detail)] };
  }
  const texts: FileText[] = [];
  for (const file of files) {
    const read = await readText(file, cwd);
    if (read.ok) texts.push(read.value);
    else problems.push(...read.problems);
  }
  return { files: texts, problems };
}

/** Each file under the first of its names: `a.yaml`, `./a.yaml` and a folder with it name the same one. */
function once(files: readonly string[], cwd: string): readonly string[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    const whole = path.resolve(cwd, file);
    return !seen.has(whole) && seen.add(whole);
  });
}

/** No path is longer, and the library that matches throws at much longer ones. */
const MAX_GLOB_CHARS = 4_096;

async function find(named: string, cwd: string): Promise<Result<readonly string[]>> {
  // An empty name would be the folder itself: it comes from a variable that is not set.
  const info = named === "" ? null : await stat(path.resolve(cwd, named)).catch(() => null);
  if (info?.isDirectory()) return findBelow(named, cwd);
  if (info !== null) return ok([named]);
  if (named.length <= MAX_GLOB_CHARS && /[*?{}[\]()!]/.test(named)) return findMatching(named, cwd);
  const advice =
    named === DEFAULT_CONFIG
      ? "Name the desired-state file with -c, or run zoneward where zoneward.yaml is."
      : "Check the path; it is relative to the folder that zoneward runs in.";
  const detail = `There is no ${named === "" ? '""' : named}. ${advice}`;
  return failed(problem("no_such_file", "A file that does not exist", detail));
}

async function findBelow(folder: string, cwd: string): Promise<Result<readonly string[]>> {
  const files: string[] = [];
  const problems: Problem[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(path.resolve(cwd, below), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => error,
    );
    if (entries instanceof Error) {
      const detail = `Reading ${below} failed with ${entries.code ?? entries.message}. Check who may read it.`;
      problems.push(problem("unreadable_folder", "A folder that cannot be read", detail));
      return;
    }
    for (const entry of entries) {
      const name = path.posix.join(below, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) await walk(name);
      else if (/\.ya?ml$/i.test(entry.name) && files.length <= MAX_FILES) files.push(name);
    }
  };
  await walk(folder);
  if (problems.length > 0) return failed(...problems);
  if (files.length > 0) return ok(files.sort());
  const detail = `${folder} has no *.yaml or *.yml below it. Name the folder or the file that has the zones.`;
  return failed(problem("no_files", "A folder without YAML", detail));
}

async function findMatching(pattern: string, cwd: string): Promise<Result<readonly string[]>> {
  // Most runs name no glob, and the library takes a while to load.
  const { matching } = await import("./glob.js");
  const files = await matching(pattern, cwd);
  if (files.length > 0) return ok(files.toSorted());
  const detail = `No file matches ${pattern}. Check the pattern; it is relative to the folder that zoneward runs in.`;
  return failed(problem("no_files", "A glob that matches nothing", detail));
}

/** One file, by its own name. */
export async function readText(file: string, cwd: string): Promise<Result<FileText>> {
  const whole = path.resolve(cwd, file);
  const info = await stat(whole).catch(() => null);
  if (info !== null && info.size > MAX_FILE_BYTES) {
    const detail = `It has ${info.size} bytes; ${MAX_FILE_BYTES} are read at most. Split it up, by zone for instance: several files together are one desired state.`;
    return refused(file, "file_too_large", "A file that is too large", detail);
  }
  const bytes = await readFile(whole).catch((error: NodeJS.ErrnoException) => error);
  if (bytes instanceof Error) {
    const detail = `Reading it failed with ${bytes.code ?? bytes.message}. Check that it is there and who may read it.`;
    return refused(file, "unreadable_file", "A file that cannot be read", detail);
  }
  try {
    return ok({ file, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) });
  } catch {
    return refused(
      file,
      "not_utf8",
      "A file that is not UTF-8",
      "It has bytes that are no UTF-8 text. Save it as UTF-8.",
    );
  }
}

function refused(file: string, code: string, summary: string, detail: string): ReturnType<typeof failed> {
  const at = { file, line: 1, column: 1, pointer: "", text: "" };
  return failed({ code, severity: "error", summary, detail, at });
}
