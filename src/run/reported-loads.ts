import { eachRecord, type Unread } from "../disk/lines.js";
import { logFiles, type StandardInput } from "../disk/log-files.js";
import { withReported } from "../evidence/loads.js";
import { otherReportsOf, Violations } from "../evidence/violations.js";
import { cut } from "../model/cut.js";
import { type Evidence, NOISE, type Noise, type OthersOf, type WithReports } from "../model/evidence.js";
import { ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import { daysText, grouped } from "../render/safe-text.js";

/** The reports of browsers, load by load. */
interface LoadsRead {
  readonly evidence: Evidence;
  /** The number of logs that could not be read to their end. */
  readonly logsCut: number;
  /** Notes and warnings. */
  readonly warnings: readonly Problem[];
}

interface ReportsRead {
  readonly withReports: WithReports;
  readonly othersOf: OthersOf;
  /** Notes and warnings. */
  readonly warnings: readonly Problem[];
}

/**
 * Reads logs of the dataset page_shield_events.
 *
 * @param named files, folders, globs, or `-`
 * @param input the content of `-`. Null: `-` cannot be read
 */
export async function readReports(
  named: readonly string[],
  zones: readonly string[],
  cwd: string,
  input: StandardInput | null,
): Promise<Result<ReportsRead>> {
  const read = await reportedLoads(named, zones, cwd, input);
  if (!read.ok) return read;
  const { evidence, logsCut, warnings } = read.value;
  // The unread part of a log may have reports of any object.
  const notRead = { object: null, what: "not_read", directive: "", count: logsCut } as const;
  return ok({
    withReports: (zone, detected) => withReported(detected, evidence.loads.get(zone) ?? []),
    othersOf: (zone, id) => [...otherReportsOf(evidence, zone, id), ...(logsCut === 0 ? [] : [notRead])],
    warnings,
  });
}

/**
 * The loads in logs of the dataset page_shield_events.
 *
 * @param zones names of zones. Null: all pages count, and the host of a page stands for its zone
 */
export async function reportedLoads(
  named: readonly string[],
  zones: readonly string[] | null,
  cwd: string,
  input: StandardInput | null,
): Promise<Result<LoadsRead>> {
  const files = await logFiles(named, cwd, input);
  if (!files.ok) return files;
  const violations = new Violations(zones);
  const unread = await eachRecord(files.value, (record) => violations.take(record));
  const evidence = violations.evidence(unread);
  return ok({ evidence, logsCut: unread.cut.length, warnings: [summed(evidence), ...cutOff(unread)] });
}

function summed(evidence: Evidence): Problem {
  const { reports, noise } = evidence;
  const days = daysText(evidence);
  const zones = [...evidence.loads.values()].filter(({ length }) => length > 0).length;
  const summary =
    reports === 0
      ? "The logs have no report of a load in these zones."
      : `${counted(reports, "report")} of loads in ${counted(zones, "zone")}${days === "" ? "" : `, ${days}`}.`;
  const ignored = ORDER.flatMap((name) => {
    const lines = noise.get(name) ?? 0;
    return lines === 0 ? [] : [`${counted(lines, "line")} ${NOISE[name]}`];
  });
  const detail = ignored.length === 0 ? summary : `${summary} Ignored: ${ignored.join(", ")}.`;
  // A change may block the loads that were not kept.
  const isIncomplete = reports === 0 || noise.has("not_kept");
  return {
    ...problem("reports_read", "Reports by browsers", detail),
    severity: isIncomplete ? "warning" : "note",
  };
}

const ORDER = Object.keys(NOISE) as readonly Noise[];

function counted(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** Warns of cut-off logs, one by one for the first few. */
export function cutOff({ cut: files }: Unread): readonly Problem[] {
  const names = files.slice(0, MOST_NAMED).map(({ file, why }) => {
    const detail = `${cut(file, MOST_CHARS)} could not be read to its end (${cut(why, MOST_CHARS)}). The part before that counts.`;
    return warning("log_cut", "Log is cut off", detail);
  });
  const unnamed = files.length - names.length;
  if (unnamed === 0) return names;
  const detail = `${counted(unnamed, "more file")} could not be read to the end.`;
  return [...names, warning("log_cut", "Logs are cut off", detail)];
}

const MOST_NAMED = 5;
const MOST_CHARS = 300;
