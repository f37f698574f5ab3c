import type { Reading } from "../disk/files.js";
import { type Entries, isOfGit, type Kind, type Tree } from "../disk/tree.js";
import { ok, type Result } from "../model/problem.js";
import { converse, type GitChild, type Repository } from "./run.js";

/** The files of a commit, read from git's objects without a checkout. */
interface CommitTree extends Tree {
  close(): void;
}

/** No path is longer. */
const MAX_TARGET_BYTES = 4_096;
const MAX_FOLDER_BYTES = 64 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly kind: Kind;
  readonly id: string;
  /** A submodule is a folder in a checkout, but its files belong to another repository. */
  readonly isSubmodule: boolean;
}

type Folder = ReadonlyMap<string, Entry>;

export async function openCommit(repository: Repository, commit: string): Promise<Result<CommitTree>> {
  const opened = await Objects.open(repository);
  if (!opened.ok) return opened;
  const objects = opened.value;
  const folders = new Map<string, Promise<Folder | Unread>>();

  const folderAt = (name: string): Promise<Folder | Unread> => {
    const pending = folders.get(name) ?? readFolder(name);
    folders.set(name, pending);
    return pending;
  };
  const readFolder = async (name: string): Promise<Folder | Unread> => {
    const entry = name === "" ? null : await entryAt(name);
    if (entry instanceof Unread) return entry;
    if (name !== "" && entry?.kind !== "folder") return new Unread("ENOTDIR");
    if (entry?.isSubmodule === true) return new Unread("it is a submodule");
    const id = entry === null ? `${commit}^{tree}` : entry.id;
    const read = await objects.read(id, "tree", MAX_FOLDER_BYTES);
    return read.as === "object" ? folderIn(read.bytes, commit.length / 2) : new Unread(codeOf(read));
  };
  const entryAt = async (name: string): Promise<Entry | Unread | null> => {
    const cut = name.lastIndexOf("/");
    const folder = await folderAt(name.slice(0, Math.max(cut, 0)));
    return folder instanceof Unread ? folder : (folder.get(name.slice(cut + 1)) ?? null);
  };

  return ok({
    kind: async (name) => {
      if (name === "") return "folder";
      const entry = await entryAt(name);
      // Whatever cannot be read counts as existing.
      return entry instanceof Unread ? "other" : (entry?.kind ?? null);
    },
    entries: async (name): Promise<Entries> => {
      const folder = await folderAt(name);
      if (folder instanceof Unread) return { as: "failed", code: folder.code };
      return { as: "entries", entries: [...folder.values()] };
    },
    target: async (name) => {
      const entry = await entryAt(name);
      if (entry === null || entry instanceof Unread) return null;
      const read = await objects.read(entry.id, "blob", MAX_TARGET_BYTES);
      const target = read.as === "object" ? read.bytes.toString("utf8") : "/";
      return target.startsWith("/") || target.includes("\0") ? null : target;
    },
    read: async (name, maxBytes): Promise<Reading> => {
      const entry = await entryAt(name);
      if (entry === null) return { as: "failed", code: "ENOENT" };
      if (entry instanceof Unread) return { as: "failed", code: entry.code };
      if (entry.kind !== "file") return { as: "not a file" };
      const read = await objects.read(entry.id, "blob", maxBytes);
      if (read.as === "object") return { as: "file", bytes: read.bytes, writtenMs: 0, mode: 0 };
      return read.as === "too large" ? read : { as: "failed", code: codeOf(read) };
    },
    close: () => objects.close(),
  });
}

/** Why a folder of the commit could not be read. */
class Unread {
  constructor(readonly code: string) {}
}

function codeOf(read: Exclude<GitObject, { readonly as: "object" }>): string {
  return read.as === "failed" ? read.why : "too many entries";
}

/** Parses a tree object: `mode name`, a zero byte, and the id in bytes. */
function folderIn(bytes: Buffer, idBytes: number): Folder | Unread {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < bytes.length; ) {
    const [space, zero] = [bytes.indexOf(" ", at), bytes.indexOf(0, at)];
    const end = zero + 1 + idBytes;
    if (space === -1 || zero < space || end > bytes.length) return new Unread("a tree is cut off");
    const name = bytes.toString("utf8", space + 1, zero);
    // Git never writes such a tree. A crafted one could mean one thing here and another in a checkout.
    if (isOdd(name) || entries.has(name)) return new Unread("a tree has names that git refuses");
    const mode = bytes.toString("latin1", at, space);
    const id = bytes.toString("hex", zero + 1, end);
    entries.set(name, { name, kind: kindOf(mode), id, isSubmodule: mode === SUBMODULE });
    at = end;
  }
  return entries;
}

function isOdd(name: string): boolean {
  return name === "" || name === "." || name === ".." || name.includes("/") || isOfGit(name);
}

const SUBMODULE = "160000";

function kindOf(mode: string): Kind {
  if (mode === SUBMODULE || /^0?40000$/.test(mode)) return "folder";
  if (mode === "120000") return "link";
  return /^100\d{3}$/.test(mode) ? "file" : "other";
}

type GitObject =
  | { readonly as: "object"; readonly bytes: Buffer }
  | { readonly as: "too large" }
  | { readonly as: "failed"; readonly why: string };

/** For everything read from one commit. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Objects by id, from one child process that answers in order. */
class Objects {
  readonly #child: GitChild;
  readonly #chunks: AsyncIterator<Buffer>;
  /** Output of the child that was read and not used yet. */
  #rest: Buffer = Buffer.alloc(0);
  #remaining = MAX_BYTES;
  #last: Promise<unknown> = Promise.resolve();
  #broken: string | null = null;

  static async open(repository: Repository): Promise<Result<Objects>> {
    const child = await converse(repository, ["cat-file", "--batch"]);
    return child.ok ? ok(new Objects(child.value)) : child;
  }

  private constructor(child: GitChild) {
    this.#child = child;
    this.#chunks = child.stdout[Symbol.asyncIterator]();
    // A child that is gone is noticed by its missing answer. Its error output is not needed.
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stderr.resume();
  }

  read(id: string, type: "blob" | "tree", maxBytes: number): Promise<GitObject> {
    const answer = this.#last.then(() => this.#ask(id, type, maxBytes));
    this.#last = answer;
    return answer;
  }

  close(): void {
    this.#child.kill();
  }

  async #ask(id: string, type: string, maxBytes: number): Promise<GitObject> {
    if (this.#broken !== null) return { as: "failed", why: this.#broken };
    this.#child.stdin.write(`${id}\n`);
    const line = await this.#line();
    if (line === null) return this.#breakOff("git stopped answering");
    if (/ missing$/.test(line)) return { as: "failed", why: "git does not have it" };
    const [, kind, digits] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(line) ?? [];
    if (kind === undefined) return this.#breakOff("git answered in an unknown form");
    const size = Number(digits);
    // A large object is not read to its end, so nothing can be read after it.
    if (kind !== type || size > maxBytes || size > this.#remaining) {
      this.#breakOff("git was stopped");
      return kind === type ? { as: "too large" } : { as: "failed", why: `git has a ${kind} there` };
    }
    this.#remaining -= size;
    const bytes = await this.#take(size + 1);
    if (bytes === null) return this.#breakOff("git stopped answering");
    return { as: "object", bytes: bytes.subarray(0, size) };
  }

  #breakOff(why: string): GitObject {
    this.#broken = why;
    this.close();
    return { as: "failed", why };
  }

  async #line(): Promise<string | null> {
    const parts: Buffer[] = [];
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end !== -1) {
        parts.push(this.#rest.subarray(0, end));
        this.#rest = this.#rest.subarray(end + 1);
        return Buffer.concat(parts).toString("latin1");
      }
      parts.push(this.#rest);
      if (!(await this.#more())) return null;
    }
  }

  async #take(length: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > this.#rest.length) {
      parts.push(this.#rest);
      missing -= this.#rest.length;
      if (!(await this.#more())) return null;
    }
    parts.push(this.#rest.subarray(0, missing));
    this.#rest = this.#rest.subarray(missing);
    return Buffer.concat(parts);
  }

  async #more(): Promise<boolean> {
    // A stopped child ends its output with an error.
    const next = await this.#chunks.next().catch(() => null);
    this.#rest = next === null || next.done === true ? Buffer.alloc(0) : next.value;
    return next !== null && next.done !== true;
  }
}
