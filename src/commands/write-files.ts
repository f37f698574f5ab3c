import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { replaceFile } from "./write-out.js";

/**
 * Files with another text, one after the other.
 *
 * @param read what each of them had when it was read: what somebody has written in the meantime is not written over
 */
export async function writeFiles(
  next: ReadonlyMap<string, string>,
  read: ReadonlyMap<string, string>,
  cwd: string,
): Promise<Result<null>> {
  for (const [file, text] of next) {
    const written = await writeOne(file, text, read.get(file) ?? "", cwd);
    if (!written.ok) return written;
  }
  return ok(null);
}

async function writeOne(file: string, text: string, before: string, cwd: string): Promise<Result<null>> {
  try {
    const target = await realpath(path.resolve(cwd, file));
    const bytes = await readFile(target);
    const mark = bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) ? BYTE_ORDER_MARK : "";
    if (bytes.toString("utf8") !== mark + before)
      return failed(cannotWrite(`${file} has been changed meanwhile.`));
    await replaceFile(target, mark + text);
    return ok(null);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // what node:fs rejects with
    return failed(cannotWrite(`Writing ${file} failed with ${code ?? message}.`));
  }
}

const BYTE_ORDER_MARK = "\ufeff";

function cannotWrite(detail: string): Problem {
  return problem("cannot_write", "A file cannot be written", `${detail} Run adopt again.`);
}
