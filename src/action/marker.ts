import { isObject, type Json } from "../model/json.js";
import type { WorkflowRun } from "./workflow-run.js";

/** The run that wrote a post, for later runs to compare. */
export interface Stamp {
  readonly commit: string;
  readonly run: number;
  readonly attempt: number;
  readonly digest: string | null;
  /** For a pull request: the last commit of its branch. */
  readonly tip?: string;
}

export function stampOf({ commit, id, attempt }: WorkflowRun, digest: string | null): Stamp {
  return { commit, run: id, attempt, digest };
}

/** Hides the post's name and its run at the beginning of its body. */
export function withMarker(name: string, stamp: Stamp, text: string): string {
  return `${markerOf(name)}\n<!-- zoneward-run: ${JSON.stringify(stamp)} -->\n${text}`;
}

/** Whether a post has the marker. Only its start counts: text of a plan cannot get there. `our-posts.ts` also asks for the author. */
export function isMarked(name: string, body: string): boolean {
  return body.startsWith(`${markerOf(name)}\n`) || body.startsWith(`${markerOf(name)}\r\n`);
}

function markerOf(name: string): string {
  return `<!-- zoneward:${name} -->`;
}

/** Null: the run is unknown. */
export function stampIn(body: string): Stamp | null {
  const [, text] = RUN.exec(body) ?? [];
  const value = text === undefined ? null : parsed(text);
  if (!isObject(value)) return null;
  const { commit, run, attempt, digest, tip } = value;
  if (typeof commit !== "string" || typeof run !== "number" || typeof attempt !== "number") return null;
  const stamp = { commit, run, attempt, digest: typeof digest === "string" ? digest : null };
  return typeof tip === "string" ? { ...stamp, tip } : stamp;
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

/** Adds a last line about the run. */
export function withFooter(text: string, { commit, url }: Pick<WorkflowRun, "commit" | "url">): string {
  const commitText = commit === "" ? [] : [`of commit <code>${commit.slice(0, 12)}</code>`];
  const link = url === null ? [] : [`<a href="${url}">log and full text</a>`];
  const words = [...commitText, ...link].join(" · ");
  return words === "" ? text : `${text.trimEnd()}\n\n<sub>${words}</sub>\n`;
}

/** The body without markers and without the line about the run, which changes with every run. */
export function visibleText(body: string): string {
  return body
    .replace(RUN, "")
    .replaceAll("\r\n", "\n")
    .trim()
    .replace(/\n<sub>[^\n]*<\/sub>$/, "")
    .trim();
}

/** Whether a later run wrote the post: its text is newer than this run's. */
export function isNewer(stamp: Stamp, than: Stamp): boolean {
  if (stamp.run !== than.run) return stamp.run > than.run;
  return stamp.attempt > than.attempt;
}
