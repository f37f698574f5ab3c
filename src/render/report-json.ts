import { jsonText } from "../model/json-text.js";
import type { Problem } from "../model/problem.js";
import type { ApplyReport } from "../model/report.js";

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
