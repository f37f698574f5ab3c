import path from "node:path";
import { MAX_FILE_BYTES } from "../config/index.js";
import { placeOf, whyNotRead } from "../disk/place.js";
import { codeOf, readRegularFile } from "../disk/regular-file.js";
import { replaceFile } from "../disk/replace-file.js";
import { follow } from "../disk/tree.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";

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
  const place = placeOf(path.resolve(cwd, file));
  const led = await follow(place.tree, place.name);
  if (led.to !== "file") return failed(cannotWrite(`${file} is no file, or a link that leads elsewhere.`));
  const target = path.join(place.top, led.name);
  const read = readRegularFile(target, MAX_FILE_BYTES);
  if (read.as !== "file") return failed(cannotWrite(`${file} cannot be read again: ${whyNotRead(read)}.`));
  const mark = read.bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) ? BYTE_ORDER_MARK : "";
  if (read.bytes.toString("utf8") !== mark + before)
    return failed(cannotWrite(`${file} has been changed meanwhile.`));
  try {
    replaceFile(target, mark + text, read.mode & 0o777);
    return ok(null);
  } catch (error) {
    return failed(cannotWrite(`Writing ${file} failed with ${codeOf(error)}.`));
  }
}

const BYTE_ORDER_MARK = "\ufeff";

function cannotWrite(detail: string): Problem {
  return problem("cannot_write", "A file cannot be written", `${detail} Run adopt again.`);
}
