import type { Problem } from "../model/problem.js";
import { foldProblems } from "../render/fold.js";
import { code, fence, prose } from "../render/markdown/escape.js";
import { palette } from "../render/palette.js";
import { count } from "../render/plain.js";
import { problemsMarkdown } from "../render/plan-markdown.js";
import { problemsText } from "../render/problems.js";
import { readyMarkdown } from "../render/ready-text.js";
import { planIn } from "../run/plan-formats.js";
import { type Applied, aboutOf, type Outcome } from "./outcome.js";
import { spellingOf } from "./spelling.js";

/** What has come of the command, as Markdown of at most so many bytes: for a summary, a comment or an issue. */
export async function outcomeMarkdown(outcome: Outcome, maxBytes: number): Promise<string> {
  const remarks = outcome.remarks.map(remarkBlock).join("");
  const ready = outcome.ready === undefined ? "" : readyMarkdown(outcome.ready);
  const leftBytes = maxBytes - Buffer.byteLength(remarks) - Buffer.byteLength(ready);
  return `${remarks}${await resultMarkdown(outcome, leftBytes)}${ready}`;
}

function remarkBlock({ severity, detail }: Problem): string {
  return `${severity === "error" ? "> [!CAUTION]\n" : ""}> ${prose(detail)}\n\n`;
}

async function resultMarkdown(outcome: Outcome, maxBytes: number): Promise<string> {
  const { command, document, problems, applied } = outcome;
  if (document === null && problems.length > 0) return problemsMarkdown(problems, maxBytes);
  if (document === null) return "### The files are valid\n";
  const before = command === "apply" ? applyMarkdown(applied, problems, Math.floor(maxBytes / 2)) : "";
  const leftBytes = maxBytes - Buffer.byteLength(before);
  const shape = { ...PLAIN, maxBytes: leftBytes, spelling: spellingOf(outcome) };
  return `${before}${await planIn("markdown", document, aboutOf(outcome), shape)}`;
}

const PLAIN = { color: false, width: null, verbose: false };

function applyMarkdown(applied: Applied | null, problems: readonly Problem[], maxBytes: number): string {
  const parts = [applyHeading(applied), ...journal(applied), ...problemBlock(problems, maxBytes)];
  return parts.map((part) => `${part}\n\n`).join("");
}

function applyHeading(applied: Applied | null): string {
  if (applied === null || (applied.done === 0 && applied.failed === 0 && !applied.converged))
    return "### Not applied: nothing was written";
  return `### ${applied.converged ? "Applied" : "Not all was applied"}: ${callsText(applied)}`;
}

/** `3 calls done, 0 failed, 0 not started`. */
export function callsText({ done, failed, notStarted }: Applied): string {
  return `${count(done, "call")} done, ${failed} failed, ${notStarted} not started`;
}

function journal(applied: Applied | null): readonly string[] {
  return applied?.journal == null ? [] : [`Journal: ${code(applied.journal)}`];
}

function problemBlock(problems: readonly Problem[], maxBytes: number): readonly string[] {
  if (problems.length === 0) return [];
  const lines = problemsText(foldProblems(problems, []), palette(false)).trimEnd().split("\n");
  const shown: string[] = [];
  let leftBytes = maxBytes;
  for (const line of lines) {
    leftBytes -= Buffer.byteLength(line) + 1;
    if (leftBytes < 0) break;
    shown.push(line);
  }
  if (shown.length === lines.length) return [fence(lines)];
  return [fence(shown), `${count(lines.length - shown.length, "more line")} in the log.`];
}
