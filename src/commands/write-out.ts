import { readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { failed, ok, problem, type Result } from "../model/problem.js";
import type { Terminal } from "./command.js";

/** What a command writes with `-o`. */
export interface Written {
  readonly text: string;
  /** What it is called in messages: `plan`. */
  readonly noun: string;
  /** Whether a text is such a one: all else that stands where it is to be is left alone. */
  readonly isOne: (text: string) => boolean;
  /** What such a one is called, where the noun says too little: `export that nobody has edited`. */
  readonly one?: string;
}

/** The same without what nobody may see. */
export function hidden(written: Written, { hiding }: Pick<Terminal, "hiding">): Written {
  return { ...written, text: hiding.in(written.text) };
}

/** Writes a file whole or not at all: what broke off would be read as what somebody edited. */
export async function writeOut(file: string, written: Written, cwd: string): Promise<Result<null>> {
  const { text, noun, isOne, one = noun } = written;
  const target = await realpath(path.resolve(cwd, file)).catch(() => path.resolve(cwd, file));
  // A pipe or a device is written to, never replaced by a file.
  const isStream = await stat(target).then(
    (found) => !found.isFile() && !found.isDirectory(),
    () => false,
  );
  const cannotWrite = (detail: string) =>
    failed(problem("cannot_write", `The ${noun} file cannot be written`, detail));
  const there = isStream ? null : await readFile(target, "utf8").catch(() => null);
  // Most likely a desired-state file, named by mistake.
  if (there !== null && there.trim() !== "" && !isOne(there))
    return cannotWrite(`${file} is there and is no ${one}. Name another file.`);
  try {
    if (isStream) await writeFile(target, text);
    else await replaceFile(target, text);
    return ok(null);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // what node:fs rejects with
    return cannotWrite(`Writing ${file} failed with ${code ?? message}. Does its folder exist?`);
  }
}

/** In one go, so that nobody sees half of it. */
export async function replaceFile(target: string, text: string): Promise<void> {
  await writeFile(`${target}.partial`, text);
  await rename(`${target}.partial`, target);
}
