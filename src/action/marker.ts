import { isObject, type Json } from "../model/json.js";
import type { WorkflowRun } from "./workflow-run.js";

/** Which run wrote one of ours, for the runs after it. */
export interface Written {
  readonly commit: string;
  readonly run: number;
  readonly attempt: number;
  readonly digest: string | null;
  /** Of a pull request, the last commit of its branch. */
  readonly tip?: string;
}

export function writtenBy({ commit, id, attempt }: WorkflowRun, digest: string | null): Written {
  return { commit, run: id, attempt, digest };
}

/** What is hidden at the beginning of a comment, an issue or a pull request: whose it is, and which run wrote it. */
export function marked(name: string, by: Written, text: string): string {
  return `${markerOf(name)}\n<!-- zoneward-run: ${JSON.stringify(by)} -->\n${text}`;
}

/** It is at the very beginning: what a plan shows cannot come before it. */
export function isMarked(name: string, body: string): boolean {
  return body.startsWith(`${markerOf(name)}\n`) || body.startsWith(`${markerOf(name)}\r\n`);
}

function markerOf(name: string): string {
  return `<!-- zoneward:${name} -->`;
}

/** Null: nobody knows which run it was. */
export function writerIn(body: string): Written | null {
  const [, text] = RUN.exec(body) ?? [];
  const value = text === undefined ? null : parsed(text);
  if (!isObject(value)) return null;
  const { commit, run, attempt, digest, tip } = value;
  if (typeof commit !== "string" || typeof run !== "number" || typeof attempt !== "number") return null;
  const by = { commit, run, attempt, digest: typeof digest === "string" ? digest : null };
  return typeof tip === "string" ? { ...by, tip } : by;
}

const RUN = /^<!-- zoneward:[^\r\n]*\r?\n<!-- zoneward-run: (\{[^\r\n]{0,500}\}) -->\r?\n/;

function parsed(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

/** The last line, about the run, which changes although nothing else does. */
export function footed(text: string, { commit, url }: Pick<WorkflowRun, "commit" | "url">): string {
  const of = commit === "" ? [] : [`of commit <code>${commit.slice(0, 12)}</code>`];
  const by = url === null ? [] : [`<a href="${url}">log and full text</a>`];
  const words = [...of, ...by].join(" · ");
  return words === "" ? text : `${text.trimEnd()}\n\n<sub>${words}</sub>\n`;
}

/** What people see of it, without the last line. */
export function shownIn(body: string): string {
  return body
    .replace(RUN, "")
    .replaceAll("\r\n", "\n")
    .trim()
    .replace(/\n<sub>[^\n]*<\/sub>$/, "")
    .trim();
}

/** Whether a later run was there before: what it wrote is newer than what this one has to say. */
export function isNewer(other: Written, than: Written): boolean {
  if (other.run !== than.run) return other.run > than.run;
  return other.attempt > than.attempt;
}
