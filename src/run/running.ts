import { ok, type Problem, type Result } from "../model/problem.js";
import type { PlanInput } from "./files.js";
import { type Reported, reportsFor } from "./impact.js";
import type { CountLines } from "./request-lines.js";

/** What logs tell of what runs in zones. */
export interface Logged extends Reported {
  /** What asks lines of requests about plans. Absent: none are named. */
  readonly countLines?: CountLines;
  /** Notes and warnings on the logs of what browsers reported. */
  readonly told: readonly Problem[];
}

/**
 * Reads the logs that are named.
 *
 * @param zones the names of all zones of the files
 */
export async function readLogs(input: PlanInput, zones: readonly string[]): Promise<Result<Logged>> {
  const reports = await reportsFor(input, zones);
  const { requests = [], cwd, input: standardInput = null } = input;
  if (!reports.ok || requests.length === 0) return reports;
  const { findLines } = await import("./request-lines.js");
  const countLines = await findLines(requests, zones, cwd, standardInput);
  return countLines.ok ? ok({ ...reports.value, countLines: countLines.value }) : countLines;
}
