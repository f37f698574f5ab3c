import { statSync } from "node:fs";
import path from "node:path";

/**
 * The folder that the program was started in, as it was written: what a repository has in the place of a folder is not to
 * decide which folder that is.
 */
export function startFolder(): string {
  const [real, written] = [process.cwd(), process.env.PWD ?? ""];
  if (!path.isAbsolute(written) || path.normalize(written) !== written) return real;
  try {
    const [one, other] = [statSync(real), statSync(written)];
    return one.ino === other.ino && one.dev === other.dev ? written : real;
  } catch {
    return real;
  }
}
