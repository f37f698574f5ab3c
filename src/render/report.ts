import { jsonText } from "../model/json-text.js";
import type { Problem } from "../model/problem.js";
import type { ApplyReport, CallOutcome } from "../model/report.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./plain.js";

/** What an apply is called, and what its zones are when all went well. */
export interface ReportWords {
  readonly heading: string;
  readonly outcome: string;
}

/** What an apply did, for people: call by call, then the sum in one line. */
export function reportText(report: ApplyReport, colors: Palette, words: ReportWords): string {
  const { outcome } = words;
  const heading = colors.strong(`${words.heading}:`);
  const { done, failed, not_started, zones_converged, zones_failed } = report.summary;
  const each = report.outcomes
    .map(
      ({ step, zone, status, call }) =>
        `  ${markOf(status, colors)} ${step}. ${plain(call)} (${plain(zone)})\n`,
    )
    .join("");
  if (report.outcomes.length === 0 && report.converged) {
    return `${heading} nothing to do; ${count(zones_converged, "zone")} ${outcome}.\n`;
  }
  const calls = `${count(done, "call")} done, ${failed} failed, ${not_started} not started`;
  const zones = `${count(zones_converged, "zone")} ${outcome}${zones_failed === 0 ? "" : `, ${colors.error(`${zones_failed} not`)}`}`;
  return `${each}${heading} ${calls}; ${zones}.\n${journalText(report)}`;
}

function journalText({ journal, undoable }: ApplyReport): string {
  if (journal === null) return "";
  const back = undoable ? `To go back: zoneward rollback ${plain(journal)}\n` : "";
  return `Journal: ${plain(journal)}\n${back}`;
}

function markOf(status: CallOutcome["status"], colors: Palette): string {
  switch (status) {
    case "done":
      return colors.stronger("done");
    case "failed":
      return colors.error("failed");
    case "not_started":
      return colors.warning("not started");
  }
}

/** What an apply did, for programs. */
export function reportJson({ summary, outcomes, zones, journal, converged }: ApplyReport): string {
  const report = {
    summary,
    outcomes: outcomes.map(({ step, zone, status, problem }) => ({
      step,
      zone,
      status,
      ...(problem === null ? {} : { problem: brief(problem) }),
    })),
    zones: zones.map(({ zone, converged: done, problems }) => ({
      zone,
      converged: done,
      problems: problems.map(brief),
    })),
    journal,
    converged,
  };
  return jsonText(report);
}

function brief({ code, summary, detail }: Problem) {
  return { code, summary, detail };
}
