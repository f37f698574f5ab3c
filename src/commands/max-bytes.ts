import { failed, ok, problem, type Result } from "../model/problem.js";
import type { Arguments } from "./command.js";
import { readNumber } from "./from-flags.js";

/** How long a plan in Markdown may be. Comments at GitHub may have 65,536 characters, with what others add. */
export function maxBytesOf(args: Arguments): Result<number> {
  const given = readNumber(args, "max-bytes");
  if (!given.ok) return given;
  const bytes = given.value ?? DEFAULT_BYTES;
  if (Number.isSafeInteger(bytes) && bytes >= LEAST_BYTES) return ok(bytes);
  const detail = `--max-bytes is ${bytes}; it takes a whole number from ${LEAST_BYTES} up.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}

export const DEFAULT_BYTES = 60_000;

/** What a verdict and a digest take. */
export const LEAST_BYTES = 1_000;
