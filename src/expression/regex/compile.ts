import { fromBytes } from "../bytes.js";
import type { Bytes } from "../tree.js";
import { type Program, programOf } from "./program.js";
import { readRegex } from "./read.js";

/** A pattern ready to be searched for, and remembered; null for one that is wrong, too large or not known in full. */
export function compiled(pattern: Bytes): Program | null {
  const known = memory.get(pattern);
  if (known !== undefined) return known;
  if (memory.size === MOST_REMEMBERED) memory.clear();
  const program = compile(pattern);
  memory.set(pattern, program);
  return program;
}

const MOST_REMEMBERED = 64;
const memory = new Map<Bytes, Program | null>();

function compile(pattern: Bytes): Program | null {
  const text = fromBytes(pattern);
  const read = text === null ? null : readRegex(text);
  return read?.ok === true ? programOf(read.regex, MOST_STEPS) : null;
}

const MOST_STEPS = 10_000;
