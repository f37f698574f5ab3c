import type { EditCall } from "../../src/emulator/index.js";
import type { LoggedRequest } from "../../src/emulator/log.js";
import type { Ran } from "./world.js";

/** Notes taken while a story runs. */
export interface Notes {
  readonly lines: string[];
  readonly broken: string[];
  /** Calls of others. */
  readonly others: EditCall[];
  /** The count of each kind of event. */
  readonly counts: Map<string, number>;
}

export function count({ counts }: Notes, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

export function breach({ broken, lines }: Notes, sentence: string, details: readonly string[]): void {
  for (const detail of details) {
    const text = plainly(`${sentence}: ${detail}`);
    broken.push(text);
    lines.push(`  BROKEN ${text}`);
  }
}

/** Ports and journal names differ in each telling. */
function plainly(text: string): string {
  return text
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://service")
    .replace(/\d{8}T\d{9}Z-[0-9a-f]{8}\.jsonl/g, "JOURNAL");
}

/** Notes a run request by request, and counts its events. */
export function noteRun(notes: Notes, what: string, ran: Ran): void {
  const { lines } = notes;
  lines.push(`${what}: ${endOf(ran)}`);
  for (const request of ran.requests) {
    lines.push(`  ${requestText(request)}`);
    if (request.fault !== undefined && request !== ran.killed) count(notes, `fault: ${request.fault}`);
  }
  for (const { edit, calls } of ran.others) {
    notes.others.push(...calls);
    if (calls.some(({ status }) => status < 300)) count(notes, `another client's change to: ${edit.edit}`);
  }
  if (ran.meanwhile !== null) {
    lines.push(`  between plan and confirmation, another client: ${JSON.stringify(ran.meanwhile.edit)}`);
    count(notes, "another client's change between plan and confirmation");
  }
  const planning = ran.problems.filter(({ severity }) => severity === "error");
  const problems = (ran.report?.zones ?? []).flatMap((zone) => zone.problems);
  for (const { code, detail } of [...planning, ...problems]) lines.push(`  ${code}: ${plainly(detail)}`);
  if (ran.report !== null || ran.killed !== null || ran.code === 3)
    for (const event of eventsIn(ran)) count(notes, event);
}

function endOf({ killed, code, report, journal, document }: Ran): string {
  const cut = journal?.isCut === true ? ", its last line torn" : "";
  const kept = journal === null ? "no journal" : `a journal of ${journal.text.length} characters${cut}`;
  if (killed !== null) return `killed, ${kept}`;
  const sums = report === null ? `${document?.calls.length ?? 0} calls` : JSON.stringify(report.summary);
  const standing = (document?.guardrails ?? []).flatMap(({ allowed, name }) => (allowed ? [] : [name]));
  const against = code === 3 ? `, against it ${[...new Set(standing)].join(" ")}` : "";
  return `exit code ${code}${against}, ${sums}, ${kept}`;
}

function requestText({ method, path, status, fault, tookEffect, edits = [] }: LoggedRequest): string {
  const others = edits.map(({ when, edit, calls }) => {
    const made = calls.map((call) => `${call.method} ${call.path} ${call.status}`);
    return `\n    ${when} it, another client: ${JSON.stringify(edit)} ${made.join(", ") || "nothing"}`;
  });
  const struck = fault === undefined ? "" : ` (${fault})`;
  return `${method} ${path} ${status ?? "no answer"}${struck}${tookEffect ? " *" : ""}${others.join("")}`;
}

function eventsIn(ran: Ran): readonly string[] {
  const { killed, planning, requests, journal, code, report } = ran;
  if (killed !== null)
    return [
      killed.method !== "GET"
        ? `killed ${killed.tookEffect ? "after the effect of a write" : "before the effect of a write"}`
        : requests.length <= planning
          ? "killed while planning"
          : "killed at another read",
      ...(journal?.isCut === true ? ["a torn journal"] : []),
    ];
  const codes = (report?.zones ?? []).flatMap((zone) => zone.problems.map((each) => each.code));
  return [
    code === 130
      ? "interrupted"
      : code === 3
        ? "refused by a guardrail"
        : report?.converged
          ? "done"
          : "not done",
    ...(codes.some((each) => each.startsWith("stale_")) ? ["refused as stale"] : []),
    ...(codes.includes("plan_edited") ? ["refused as edited"] : []),
    ...(codes.includes("not_converged") ? ["found not to be as declared afterwards"] : []),
    ...(journal?.text.includes('"status":"unknown"') ? ["an outcome that was not known at first"] : []),
  ];
}
