import path from "node:path";
import { type FileSystemAdapter, glob } from "tinyglobby";
import type { Place } from "../disk/place.js";
import { follow, type Kind, type Led } from "../disk/tree.js";

/** As many folders are looked into: links can make more of them than there are. */
const MAX_FOLDERS = 100_000;

/** The files below a place that a glob matches, from there; not those in node_modules. Null: they are too many. */
export async function matching(pattern: string, { tree, name }: Place): Promise<readonly string[] | null> {
  let folders = 0;
  const led = (whole: string) => follow(tree, whole);
  const fs = {
    readdir(whole: string, _options: unknown, done: Callback<readonly object[]>) {
      const read = async () => {
        const found = await led(whole);
        if (found.to !== "folder" || ++folders > MAX_FOLDERS) return [];
        const read = await tree.entries(found.name);
        return read.as === "failed"
          ? []
          : read.entries.map((each) => ({ name: each.name, ...told(each.kind) }));
      };
      answer(read(), done);
    },
    realpath: (whole: string, done: Callback<string>) =>
      answer(
        led(whole).then((found) => realOf(found, whole)),
        done,
      ),
    stat: (whole: string, done: Callback<object>) =>
      answer(
        led(whole).then(({ to }) => told(to === "folder" ? "folder" : "file")),
        done,
      ),
  } as unknown as FileSystemAdapter; // of node:fs it has what the library calls, in the form that it calls it
  const found = await glob(pattern, {
    cwd: path.posix.join("/", name),
    ignore: ["**/node_modules/**"],
    expandDirectories: false,
    fs,
  });
  return folders > MAX_FOLDERS ? null : found;
}

type Callback<T> = (error: Error | null, value?: T) => void;

function answer<T>(value: Promise<T>, done: Callback<T>): void {
  value.then((each) => done(null, each), done);
}

function told(kind: Kind) {
  return {
    isFile: () => kind === "file",
    isDirectory: () => kind === "folder",
    isSymbolicLink: () => kind === "link",
  };
}

/** A link that leads nowhere that it may is matched by its own name: reading it says what is wrong. */
function realOf(led: Led, whole: string): string {
  return led.to === "file" || led.to === "folder" ? `/${led.name}` : whole;
}
