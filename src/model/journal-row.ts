import { createHash } from "node:crypto";
import type { JournalLine } from "./journal.js";
import { jsonLine } from "./json-text.js";

/** A line as it stands in the file. */
export interface JournalRow {
  readonly text: string;
  /** Of the line and, by the check before it, of all lines before. */
  readonly check: string;
}

/** What stands before the first line. */
export const NO_CHECK = "";

/**
 * A line with a check at its end. Each takes in the one before, so that a journal of which a line was edited, left
 * out, put in or moved is seen to be another, and one that ends early is not: a killed run leaves such a one.
 */
export function rowOf(line: JournalLine, checkBefore: string): JournalRow {
  const json = jsonLine(line).trimEnd();
  const check = checkOf(json, checkBefore);
  return { text: `${json.slice(0, -1)}${AT_END}${check}"}\n`, check };
}

/** The line of a row, without its line end, as it was written there; null: it was not. */
export function lineIn(row: string, checkBefore: string): JournalRow | null {
  const at = row.lastIndexOf(AT_END);
  const json = `${row.slice(0, at)}}`;
  const check = checkOf(json, checkBefore);
  return at >= 0 && row.slice(at) === `${AT_END}${check}"}` ? { text: json, check } : null;
}

const AT_END = ',"check":"';

function checkOf(json: string, checkBefore: string): string {
  return createHash("sha256").update(`${checkBefore}\n${json}`).digest("hex");
}
