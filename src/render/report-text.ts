import type { ApplyReport } from "../model/report.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./plain.js";

/** What an apply did, for people: the calls that did not go through, then the sum in one line. */
export function reportText(report: ApplyReport, colors: Palette): string {
  const { done, failed, not_started, zones_converged, zones_failed } = report.summary;
  const missed = report.outcomes
    .filter((outcome) => outcome.status !== "done")
    .map(({ step, zone, status, call }) => {
      const mark = status === "failed" ? colors.error("failed") : colors.warning("not started");
      return `  ${mark} ${step}. ${plain(call)} (${plain(zone)})\n`;
    })
    .join("");
  const calls = `${count(done, "call")} done, ${failed} failed, ${not_started} not started`;
  const zones = `${count(zones_converged, "zone")} as declared${zones_failed === 0 ? "" : `, ${colors.error(`${zones_failed} not`)}`}`;
  return `${missed}${colors.strong("Apply:")} ${calls}; ${zones}.\n`;
}
