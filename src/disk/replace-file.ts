import { randomBytes } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Writes a file in one go, so that nobody sees half of it. Until it is whole it has a name that nobody can know before, and
 * that nothing else has: what was put there beforehand, a link for instance, would be written through. A link in the place
 * of the file itself is replaced, not followed.
 */
export function replaceFile(target: string, text: string, mode = 0o666): void {
  const unfinished = path.join(path.dirname(target), `.zoneward-${randomBytes(12).toString("hex")}`);
  const opened = openSync(unfinished, "wx", mode);
  try {
    try {
      writeFileSync(opened, text);
    } finally {
      closeSync(opened);
    }
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
