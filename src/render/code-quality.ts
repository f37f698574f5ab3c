import { jsonText } from "../model/json-text.js";
import type { Problem } from "../model/problem.js";
import { type Finding, fingerprints, planFindings, problemFindings } from "./findings.js";
import { textOf } from "./sarif.js";
import type { PlanView } from "./view.js";

/**
 * A plan as a Code Quality report. GitLab shows it at the lines of a merge request:
 * https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
export function planCodeQuality(view: PlanView): string {
  return codeQuality(planFindings(view));
}

export function problemsCodeQuality(problems: readonly Problem[]): string {
  return codeQuality(problemFindings(problems));
}

function codeQuality(all: readonly Finding[]): string {
  const open = all.filter(({ accepted }) => accepted === undefined);
  const prints = fingerprints(open);
  return jsonText(
    open.map((finding, index) => ({
      description: textOf(finding),
      check_name: finding.rule,
      fingerprint: prints[index],
      severity: SEVERITIES[finding.level],
      location: { path: finding.place?.file ?? NO_FILE, lines: { begin: finding.place?.line ?? 1 } },
    })),
  );
}

const SEVERITIES = { error: "critical", warning: "major", note: "info" } as const;

/** GitLab does not show issues without a place, so the start of a file stands for it. */
const NO_FILE = "zoneward.yaml";
