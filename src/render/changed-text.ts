import { changedParts, type TextRun } from "../model/changed-parts.js";
import { cutBetween } from "../model/cut.js";
import { looks, MAX_CHARS, visible } from "./plain.js";
import { wholeText } from "./values.js";

/**
 * Two texts as one, with what goes and what comes in it, visible. Null: they are no plain texts, they are not alike
 * enough, or what comes looks like what goes.
 */
export function changedRuns(from: unknown, to: unknown): readonly TextRun[] | null {
  if (!isPlainText(from) || !isPlainText(to)) return null;
  // What is harmless in two parts may be a command in one.
  const runs = changedParts(visible(from), visible(to));
  return runs.every(({ change }) => change !== "same") || runs.some(isAlikeNext) ? null : runs;
}

/** Whether it is shown as it is, without quotes. */
function isPlainText(value: unknown): value is string {
  return typeof value === "string" && wholeText(value) === value;
}

/** Whether what comes looks like what goes just before it. */
function isAlikeNext({ text }: TextRun, index: number, runs: readonly TextRun[]): boolean {
  const before = runs[index - 1];
  return before?.change === "removed" && looks(before.text) === looks(text);
}

/**
 * The same as two lines, the text before and the one after, with what differs whole, and of what is the same what stands
 * beside that. Null: also where that would be too long for a line.
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

/** By which a reader finds the place. */
const BESIDE_CHARS = 40;
