import { changedParts, type TextRun } from "../model/changed-parts.js";
import { cutBetween } from "../model/cut.js";
import { looks, MAX_CHARS, visible } from "./safe-text.js";
import { wholeText } from "./values.js";

/**
 * Two texts as one, with removed and added parts, visible. Null: no plain texts, too different, or an added part looks
 * like the removed one.
 */
export function changedRuns(from: unknown, to: unknown): readonly TextRun[] | null {
  if (!isPlainText(from) || !isPlainText(to)) return null;
  // Escape the whole first: two harmless parts may form a command.
  const runs = changedParts(visible(from), visible(to));
  return runs.every(({ change }) => change !== "same") || runs.some(isAlikeNext) ? null : runs;
}

/** Whether a value is shown without quotes. */
function isPlainText(value: unknown): value is string {
  return typeof value === "string" && wholeText(value) === value;
}

/** Whether an added part looks like the removed part before it. */
function isAlikeNext({ text }: TextRun, index: number, runs: readonly TextRun[]): boolean {
  const before = runs[index - 1];
  return before?.change === "removed" && looks(before.text) === looks(text);
}

/**
 * The two texts as two lines: differences in full, with some of the text beside them. Null: too long for a line, or as in
 * changedRuns().
 */
export function changedSides(
  from: unknown,
  to: unknown,
): readonly [before: readonly TextRun[], after: readonly TextRun[]] | null {
  const runs = changedRuns(from, to)?.map((run, index, all) =>
    run.change === "same" ? { ...run, text: beside(run.text, index > 0, index < all.length - 1) } : run,
  );
  if (runs === undefined) return null;
  const isLong = runs.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARS;
  const side = (absentChange: TextRun["change"]) => runs.filter(({ change }) => change !== absentChange);
  return isLong ? null : [side("added"), side("removed")];
}

function beside(text: string, isBehind: boolean, isBefore: boolean): string {
  return cutBetween(text, isBehind ? BESIDE_CHARS : 0, isBefore ? BESIDE_CHARS : 0);
}

/** Enough for a reader to find the place. */
const BESIDE_CHARS = 40;
