import path from "node:path";
import { type Place, placeOf } from "../disk/place.js";
import { type Destination, follow, type Tree } from "../disk/tree.js";
import { firstOfEach } from "../model/group-by.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { type Sentences, says } from "../model/sentence.js";

export interface FileText {
  readonly file: string;
  readonly text: string;
}

/** The files that could be read, and the problems of the others. A missing file does not hide the errors in the rest. */
export interface FilesRead {
  readonly files: readonly FileText[];
  /** As `-c` names them, or the default. */
  readonly named: readonly string[];
  /** Every path that decides the content, once: the files, the links to them, and the targets of those. */
  readonly reached: readonly string[];
  /** Links that lead out of the named files and folders. */
  readonly leaving: readonly LeavingLink[];
  readonly problems: readonly Problem[];
}

/** A link that leads out of the named file, folder or glob. */
export interface LeavingLink {
  readonly link: string;
  /** The file, or the next link on the way to it. */
  readonly to: string;
}

/** Limits on reading. Larger files should be split by zone. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 10_000;

/** Read when nothing is named. Without the file, the folder is read. */
export const DEFAULT_CONFIG = "zoneward.yaml";
const DEFAULT_FOLDER = "zones";

/** Resolves a name that is relative to the working folder: to a place on the disk, or in a commit. */
export type PlaceNamed = (written: string) => Place;

/** A file with its name and its place. */
interface FoundFile {
  readonly file: string;
  readonly place: Place;
  /** The path in the tree of the named file, or of the named folder that has it. */
  readonly top: string;
}

/**
 * Reads the files that `-c` names: `-` is the standard input, and a folder stands for its `*.yaml` and `*.yml`, without
 * dot-entries and node_modules. Without names: zoneward.yaml, or else the folder zones. In the order of the names;
 * folders and globs are sorted.
 */
export function readConfigFiles(
  named: readonly string[],
  cwd: string,
  readInput?: ReadInput,
): Promise<FilesRead> {
  return readFilesAt(named, cwd, (written) => onDisk(path.resolve(cwd, written)), readInput);
}

/** Reads the standard input. */
export type ReadInput = () => Promise<Result<string>>;

/** The name of the standard input. */
export const INPUT = "-";

/** Links must not lead to untracked files: their author did not put those there, and they may hold a credential. */
function onDisk(whole: string): Place {
  const place = placeOf(whole);
  const { repository } = place;
  if (repository === null) return place;
  // Loaded on demand: most runs need no git.
  const isOpen = async (name: string) =>
    (await import("../git/repository.js")).isTracked(path.join(repository, name));
  return { ...place, isOpen };
}

/** Like readConfigFiles(), with names resolved by `placeNamed`. */
export async function readFilesAt(
  written: readonly string[],
  cwd: string,
  placeNamed: PlaceNamed,
  readInput?: ReadInput,
): Promise<FilesRead> {
  const results: Result<readonly FoundFile[]>[] = [];
  const named = written.length === 0 ? [await usualName(placeNamed)] : written;
  const isInput = (name: string) => name === INPUT && readInput !== undefined;
  for (const name of named) if (!isInput(name)) results.push(await find(name, placeNamed));
  const problems = results.flatMap((result) => (result.ok ? [] : result.problems));
  // `a.yaml`, `./a.yaml` and a folder with it name the same file.
  const files = firstOfEach(
    results.flatMap((result) => (result.ok ? result.value : [])),
    ({ file }) => path.resolve(cwd, file),
  );
  if (files.length > MAX_FILES)
    return { ...NONE_READ, named, problems: [tooMany(`${files.length} files are named`)] };
  const texts: FileText[] = [];
  const input = named.some(isInput) ? await readInput?.() : undefined;
  if (input?.ok === true) texts.push({ file: INPUT, text: input.value });
  else if (input !== undefined) problems.push(...input.problems);
  const reached = new Set<string>();
  const leaving: LeavingLink[] = [];
  for (const { file, place, top } of files) {
    const result = await readAt(file, place);
    if (!result.ok) {
      problems.push(...result.problems);
      continue;
    }
    texts.push(result.value);
    const { links, name } = result.value.led;
    const shown = (inTree: string) => besides(file, place, inTree);
    for (const reachedName of [file, ...[...links, name].map(shown)]) reached.add(reachedName);
    const [link] = links;
    const outside = [name, ...links].find((name) => !isBelow(name, top));
    if (link !== undefined && outside !== undefined) leaving.push({ link: shown(link), to: shown(outside) });
  }
  return {
    files: texts.map(({ file, text }) => ({ file, text })),
    named,
    reached: [...reached],
    leaving,
    problems,
  };
}

export const NONE_READ = { files: [], reached: [], leaving: [] };

function isBelow(name: string, top: string): boolean {
  return top === "" || name === top || name.startsWith(`${top}/`);
}

/** Converts a path in the tree to a path relative to the working folder, as messages show it. */
function besides(file: string, { name }: Place, inTree: string): string {
  const way = path.posix.relative(path.posix.dirname(`/${name}`), `/${inTree}`);
  return path.posix.join(path.posix.dirname(file), way);
}

/**
 * The names under which to look for the base's files. A single file may have become the folder since then, so both
 * defaults are tried.
 */
export async function namesBefore(named: readonly string[], cwd: string): Promise<readonly string[]> {
  const isUsual = named.length === 0 || (named.length === 1 && named[0] === DEFAULT_FOLDER);
  if (!isUsual) return named;
  const now = await usualConfig(cwd);
  if (now === DEFAULT_FOLDER) return [DEFAULT_CONFIG, now];
  return named.length === 0 ? [now] : named;
}

/** The default for a folder: zoneward.yaml, or `zones` where only that exists. */
export function usualConfig(cwd: string): Promise<string> {
  return usualName((written) => onDisk(path.resolve(cwd, written)));
}

async function usualName(placeNamed: PlaceNamed): Promise<string> {
  const ledTo = async (name: string) => {
    const place = placeNamed(name);
    return (await follow(place.tree, place.name)).to;
  };
  const isFolder = (await ledTo(DEFAULT_CONFIG)) === "nothing" && (await ledTo(DEFAULT_FOLDER)) === "folder";
  return isFolder ? DEFAULT_FOLDER : DEFAULT_CONFIG;
}

function tooMany(problemText: string): Problem {
  const detail = `${problemText}; ${MAX_FILES} are read at most. Name fewer files with -c.`;
  return problem("too_many_files", "Too many files", detail);
}

/** No path is longer, and the glob library throws at much longer patterns. */
const MAX_GLOB_CHARS = 4_096;

async function find(named: string, placeNamed: PlaceNamed): Promise<Result<readonly FoundFile[]>> {
  // An empty name comes from an unset variable. It would mean the working folder.
  const place = named === "" ? null : placeNamed(named);
  const target = place === null ? null : await follow(place.tree, place.name);
  if (place !== null && target?.to === "folder") return findBelow(named, place);
  if (place !== null && target !== null && target.to !== "nothing")
    return ok([{ file: named, place, top: place.name }]);
  if (named.length <= MAX_GLOB_CHARS && isGlob(named)) return findMatching(named, placeNamed);
  const advice =
    named === DEFAULT_CONFIG
      ? await adviceOnDefault(placeNamed)
      : ["Check the path. It is relative to the folder that zoneward runs in."];
  const missing = `${named === "" ? '""' : named} does not exist. `;
  return failed(problem("no_such_file", "File not found", [missing, ...advice]));
}

/** The file may only have the other ending of YAML files. */
async function adviceOnDefault(placeNamed: PlaceNamed): Promise<Sentences> {
  const { tree, name } = placeNamed(SHORT_CONFIG);
  const { to } = await follow(tree, name);
  return to === "nothing"
    ? says`Name the file with ${{ flag: "config" }}, or run zoneward in the folder that has zoneward.yaml or zones/.`
    : says`Rename ${SHORT_CONFIG}, or name it with ${{ flag: "config" }}.`;
}

const SHORT_CONFIG = "zoneward.yml";

function isGlob(named: string): boolean {
  return /[*?{}[\]()!]/.test(named);
}

async function findBelow(folder: string, place: Place): Promise<Result<readonly FoundFile[]>> {
  const files: string[] = [];
  const problems: Problem[] = [];
  const walk = async (below: string): Promise<void> => {
    const result = await entriesOf(place.tree, path.posix.join(place.name, below));
    if (result.as === "failed") {
      problems.push(unreadableFolder(path.posix.join(folder, below), result.code));
      return;
    }
    for (const entry of result.entries) {
      const name = path.posix.join(below, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.kind === "folder") await walk(name);
      else if (/\.ya?ml$/i.test(entry.name) && files.length <= MAX_FILES) files.push(name);
    }
  };
  await walk("");
  if (problems.length > 0) return failed(...problems);
  if (files.length > 0) return ok(foundBelow(folder, place, files));
  const detail = `${folder} has no *.yaml or *.yml files. Name the file or folder that has the zones.`;
  return failed(problem("no_files", "No YAML files in the folder", detail));
}

async function entriesOf(tree: Tree, folder: string): ReturnType<Tree["entries"]> {
  const target = await follow(tree, folder);
  return target.to === "folder" ? tree.entries(target.name) : { as: "failed", code: "ENOTDIR" };
}

function unreadableFolder(name: string, why: string): Problem {
  const detail = `Reading ${name} failed: ${why}. Check that it exists and that you may read it.`;
  return problem("unreadable_folder", "Folder not readable", detail);
}

function foundBelow(folder: string, place: Place, names: readonly string[]): readonly FoundFile[] {
  const files = names.map((name) => ({
    file: path.posix.join(folder, name),
    place: { ...place, name: path.posix.join(place.name, name) },
    top: place.name,
  }));
  return files.sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function findMatching(pattern: string, placeNamed: PlaceNamed): Promise<Result<readonly FoundFile[]>> {
  // Loaded on demand: most runs name no glob, and loading the library is slow.
  const { matching } = await import("./glob.js");
  // The fixed folder before the first special character.
  const [fixed = ""] = /^[^*?{}[\]()!]*/.exec(pattern) ?? [];
  const folder = fixed.slice(0, fixed.lastIndexOf("/") + 1);
  const place = placeNamed(folder === "" ? "." : folder);
  const { names, unread } = await matching(pattern.slice(folder.length), place);
  if (names === null) return failed(tooMany(`${pattern} leads through too many folders`));
  if (unread.size > 0) return failed(...[...unread].map(([name, why]) => unreadableFolder(name, why)));
  if (names.length > 0) return ok(foundBelow(folder, place, names));
  const detail = `No file matches ${pattern}. Check the pattern. It is relative to the folder that zoneward runs in.`;
  return failed(problem("no_files", "No file matches the pattern", detail));
}

/** Reads one file. */
export function readText(file: string, cwd: string): Promise<Result<FileText>> {
  return readAt(file, onDisk(path.resolve(cwd, file)));
}

/** A file's text, and the links on the way to it. */
interface FileAt extends FileText {
  readonly led: Extract<Destination, { readonly name: string }>;
}

/** A refusal quotes nothing of the file but its name. */
async function readAt(file: string, { tree, name, within, isOpen }: Place): Promise<Result<FileAt>> {
  if (/[\u0000-\u001f\u007f]/.test(file))
    return refused(file, "odd_name", "Control characters in a file name", "Rename the file.");
  const led = await follow(tree, name);
  if (led.to === "elsewhere") {
    const detail = `A link on the path leads out of ${within}, into .git, or in circles. Replace the link with the file itself. Such links are not followed, because they could expose any file.`;
    return refused(file, "link_elsewhere", "Link not followed", detail);
  }
  if (led.to === "file" && led.name !== name && (await isOpen?.(led.name)) === false) {
    const detail = `A link on the path leads to an untracked file. Add ${JSON.stringify(led.name)} to git, or name that file directly. Such links are not followed, because they could expose any file left there.`;
    return refused(file, "link_to_untracked", "Link to an untracked file not followed", detail);
  }
  if (led.to === "nothing") {
    const detail = `${file} does not exist, or is a link to nothing. Check the name: it is relative to the folder that zoneward runs in.`;
    return refused(file, "unreadable_file", "File not found", detail);
  }
  const content = await tree.read(led.name, MAX_FILE_BYTES);
  if (content.as === "file") {
    const text = textOf(file, content.bytes);
    return text.ok ? ok({ ...text.value, led }) : text;
  }
  if (content.as === "too large") {
    const detail = `It has more than ${MAX_FILE_BYTES} bytes. Split it, for example by zone. Several files together are one desired state.`;
    return refused(file, "file_too_large", "File too large", detail);
  }
  if (content.as === "not a file") {
    const detail = "It is a folder, a pipe or a device. Put a file there.";
    return refused(file, "not_a_file", "Not a file", detail);
  }
  const detail = `Reading it failed: ${content.code}. Check that it exists and that you may read it.`;
  return refused(file, "unreadable_file", "File not readable", detail);
}

function textOf(file: string, bytes: Buffer): Result<FileText> {
  try {
    return ok({ file, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) });
  } catch {
    return refused(
      file,
      "not_utf8",
      "File is not UTF-8",
      "Some bytes are not UTF-8. Save the file as UTF-8.",
    );
  }
}

function refused(file: string, code: string, summary: string, detail: string): ReturnType<typeof failed> {
  const at = { file, line: 1, column: 1, pointer: "", text: "" };
  return failed(problem(code, summary, detail, at));
}
