import path from "node:path";
import { type FileSystemAdapter, glob } from "tinyglobby";
import type { Place } from "../disk/place.js";
import { follow, type Kind, type Led } from "../disk/tree.js";

/** The limit on visited folders: links can multiply them. */
const MAX_FOLDERS = 100_000;

interface Matching {
  /** Names relative to the place. Null: too many folders. */
  readonly names: readonly string[] | null;
  /** Folders that could not be read, with the error. */
  readonly unread: ReadonlyMap<string, string>;
}

/** The files below a place that a glob matches, without node_modules. */
export async function matching(pattern: string, { tree, name }: Place): Promise<Matching> {
  const unread = new Map<string, string>();
  let folders = 0;
  const led = (whole: string) => follow(tree, whole);
  const fs = {
    readdir(whole: string, _options: unknown, done: Callback<readonly object[]>) {
      const entriesOf = async () => {
        const target = await led(whole);
        if (target.to !== "folder" || ++folders > MAX_FOLDERS) return [];
        const result = await tree.entries(target.name);
        if (result.as === "entries")
          return result.entries.map((entry) => ({ name: entry.name, ...statsOf(entry.kind) }));
        unread.set(target.name, result.code);
        return [];
      };
      answer(entriesOf(), done);
    },
    realpath: (whole: string, done: Callback<string>) =>
      answer(
        led(whole).then((target) => realOf(target, whole)),
        done,
      ),
    stat: (whole: string, done: Callback<object>) =>
      answer(
        led(whole).then(({ to }) => statsOf(to === "folder" ? "folder" : "file")),
        done,
      ),
  } as unknown as FileSystemAdapter; // only the parts of node:fs that the library calls
  const names = await glob(pattern, {
    cwd: path.posix.join("/", name),
    ignore: ["**/node_modules/**"],
    expandDirectories: false,
    fs,
  });
  return { names: folders > MAX_FOLDERS ? null : names, unread };
}

type Callback<T> = (error: Error | null, value?: T) => void;

function answer<T>(value: Promise<T>, done: Callback<T>): void {
  value.then((result) => done(null, result), done);
}

function statsOf(kind: Kind) {
  return {
    isFile: () => kind === "file",
    isDirectory: () => kind === "folder",
    isSymbolicLink: () => kind === "link",
  };
}

/** A link with a forbidden target is matched by its own name. Reading it reports the error. */
function realOf(led: Led, whole: string): string {
  return led.to === "file" || led.to === "folder" ? `/${led.name}` : whole;
}
