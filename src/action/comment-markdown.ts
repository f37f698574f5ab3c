import path from "node:path";
import type { Problem } from "../model/problem.js";
import type { Effect } from "../model/strength.js";
import { foldProblems } from "../render/fold.js";
import { code, fence, prose } from "../render/markdown/escape.js";
import { palette } from "../render/palette.js";
import { problemsMarkdown } from "../render/plan-markdown.js";
import { problemsText } from "../render/problems.js";
import { readyMarkdown } from "../render/ready-text.js";
import { count } from "../render/safe-text.js";
import type { AdoptedChange, Adoption } from "../run/adopt.js";
import { planIn } from "../run/plan-formats.js";
import { spellingOf } from "./option-names.js";
import { type Applied, aboutOf, type StepOutcome } from "./outcome.js";
import type { WorkflowRun } from "./workflow-run.js";

/** The text of a comment, a summary or an issue: the outcome as Markdown of at most `maxBytes`. */
export async function outcomeMarkdown(outcome: StepOutcome, maxBytes: number): Promise<string> {
  const remarks = outcome.remarks.map(remarkBlock).join("");
  const ready = outcome.ready === undefined ? "" : readyMarkdown(outcome.ready);
  const leftBytes = maxBytes - Buffer.byteLength(remarks) - Buffer.byteLength(ready);
  return `${remarks}${await resultMarkdown(outcome, leftBytes)}${ready}`;
}

function remarkBlock({ severity, detail }: Problem): string {
  return `${severity === "error" ? "> [!CAUTION]\n" : ""}> ${prose(detail)}\n\n`;
}

async function resultMarkdown(outcome: StepOutcome, maxBytes: number): Promise<string> {
  const { command, document, problems, applied, adoption } = outcome;
  if (document === null && problems.length > 0) return problemsMarkdown(problems, maxBytes);
  if (document === null && adoption === undefined) return "### The files are valid\n";
  const isDone = command === "apply" || (command === "rollback" && (applied !== null || problems.length > 0));
  const before = [
    ...(isDone ? [headingOf(outcome), ...journal(outcome), ...problemBlock(problems, maxBytes / 2)] : []),
    ...(adoption === undefined ? [] : adoptionBlocks(adoption, maxBytes / 2)),
  ];
  const text = blocks(before);
  if (document === null) return text;
  const leftBytes = maxBytes - Buffer.byteLength(text);
  const shape = { ...PLAIN, maxBytes: leftBytes, spelling: spellingOf(outcome) };
  return `${text}${await planIn("markdown", document, aboutOf(outcome), shape)}`;
}

const PLAIN = { color: false, width: null, verbose: false };

function blocks(parts: readonly string[]): string {
  return parts.map((part) => `${part}\n\n`).join("");
}

/** What an apply did, how to go on, and what is left, for a pull request that already shows the plan. */
export function doneMarkdown(
  outcome: StepOutcome,
  { url }: Pick<WorkflowRun, "url">,
  maxBytes: number,
): string {
  const { document, problems, applied } = outcome;
  const zones = applied === null ? [] : [zonesText(applied)];
  const plan = document === null ? [] : [`Plan: ${code(document.digest)}`];
  const journals = journal(outcome).map((text) =>
    url === null
      ? text
      : `${text}, in the [artifacts of the run](${url}#artifacts) if the workflow uploads it`,
  );
  const around = [headingOf(outcome), ...zones, wayOn(outcome), ...plan, ...journals];
  const leftBytes = maxBytes - Buffer.byteLength(blocks(around)) - AROUND_PROBLEMS_BYTES;
  const [heading = "", ...rest] = around;
  return blocks([heading, ...problemBlock(problems, leftBytes), ...rest]);
}

/** The code fence, and the count of omitted lines. */
const AROUND_PROBLEMS_BYTES = 200;

function zonesText({ zonesConverged, zonesFailed }: Applied): string {
  const converged = zonesFailed === 0 ? "" : `${zonesConverged} of `;
  return `${converged}${count(zonesConverged + zonesFailed, "zone")} as declared.`;
}

function wayOn({ command, applied }: StepOutcome): string {
  if (isUntouched(applied))
    return "Fix this, then run the job again. If the live state or the files changed, plan again and have that plan approved.";
  const back = "the command `rollback` with the journal of this run";
  const undo = command === "rollback" ? "To undo this rollback" : "To roll back";
  if (applied?.converged === true) return `${undo}: ${back}.`;
  return `Run the job again: only the remaining calls are made. ${undo} instead: ${back}.`;
}

function isUntouched(applied: Applied | null): boolean {
  return applied === null || (applied.done === 0 && applied.failed === 0 && !applied.converged);
}

const DONE = {
  apply: { all: "Applied", some: "Partly applied", none: "Not applied" },
  rollback: { all: "Rolled back", some: "Partly rolled back", none: "Not rolled back" },
} as const;

function headingOf({ command, applied }: StepOutcome): string {
  const { all, some, none } = DONE[command === "rollback" ? "rollback" : "apply"];
  if (applied === null || isUntouched(applied)) return `### ${none}: nothing was written`;
  return `### ${applied.converged ? all : some}: ${callsText(applied)}`;
}

/** `3 calls done, 0 failed, 0 not started`. */
export function callsText({ done, failed, notStarted }: Applied): string {
  return `${count(done, "call")} done, ${failed} failed, ${notStarted} not started`;
}

function journal({ applied }: StepOutcome): readonly string[] {
  return applied?.journal == null ? [] : [`Journal: ${code(path.basename(applied.journal))}`];
}

function problemBlock(problems: readonly Problem[], maxBytes: number): readonly string[] {
  if (problems.length === 0) return [];
  const lines = problemsText(foldProblems(problems, []), palette(false)).trimEnd().split("\n");
  const { visible, rest } = fitting(lines, maxBytes);
  return [fence(visible), ...rest];
}

/** The lines that fit, and a count of the others. */
function fitting(
  lines: readonly string[],
  maxBytes: number,
): { readonly visible: readonly string[]; readonly rest: readonly string[] } {
  let leftBytes = maxBytes;
  const end = lines.findIndex((line) => {
    leftBytes -= Buffer.byteLength(line) + 1;
    return leftBytes < 0;
  });
  if (end === -1) return { visible: lines, rest: [] };
  return { visible: lines.slice(0, end), rest: [`${count(lines.length - end, "more line")} in the log.`] };
}

/** Adopted and kept changes, and the adopted changes' effect on protection. */
function adoptionBlocks(
  { adopted, left, files, secrets, refused }: Adoption,
  maxBytes: number,
): readonly string[] {
  const isWritten = refused.length === 0;
  const list = (heading: string, lines: readonly string[]) => {
    if (lines.length === 0) return [];
    const { visible, rest } = fitting(lines, maxBytes / 2);
    return [`#### ${heading}`, visible.join("\n"), ...rest];
  };
  const where = files.map((file) => code(file)).join(", ");
  return [
    `### ${adoptionHeading(adopted.length, isWritten)}`,
    ...problemBlock(refused, maxBytes / 2),
    ...list(
      `${isWritten ? "Written" : "Would be written"} into ${where}`,
      adopted.map(
        ({ effect, ...each }) =>
          `- ${placeMarkdown(each)}${effectText(effect)}${each.removed === true ? ": deletes its entry" : ""}`,
      ),
    ),
    ...list(
      "Not written into the files",
      left.map((each) => `- ${placeMarkdown(each)}: ${prose(each.why)}`),
    ),
    ...(secrets.length === 0
      ? []
      : [`The files now take these from the environment: ${secrets.map((name) => code(name)).join(", ")}`]),
  ];
}

function adoptionHeading(adopted: number, isWritten: boolean): string {
  if (adopted === 0) return "Nothing to write into the files";
  const changes = `${count(adopted, "change")} made outside the files`;
  return isWritten ? `${changes}, written into the files` : `${changes}, refused by a guardrail`;
}

function placeMarkdown({ zone, section, key, field }: AdoptedChange): string {
  const object = key === section ? code(section) : `${code(section)} ${code(key)}`;
  return `${code(zone)}: ${object}${field === null ? "" : `, ${code(field)}`}`;
}

function effectText(effect: Effect | null): string {
  return effect === null ? "" : ` (${effect})`;
}
