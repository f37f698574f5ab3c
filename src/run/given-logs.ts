import type { OthersOf, WithReports } from "../model/evidence.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { says } from "../model/sentence.js";
import type { PlanInput } from "./files.js";
import type { CountLines } from "./request-lines.js";

/** Reports of browsers. Absent: no logs. */
export interface Reported {
  readonly withReports?: WithReports | undefined;
  readonly othersOf?: OthersOf | undefined;
}

/** The reports of browsers in the logs of `--events`. */
export async function reportsFor(
  { events = [], input, impact, cwd }: Pick<PlanInput, "events" | "input" | "impact" | "cwd">,
  zones: readonly string[],
): Promise<Result<Reported & { readonly warnings: readonly Problem[] }>> {
  if (events.length === 0) return ok({ warnings: [] });
  if (impact === "none") return failed(NO_IMPACT_OF_EVENTS);
  const { readReports } = await import("./reported-loads.js");
  return readReports(events, zones, cwd, input ?? null);
}

const NO_IMPACT_OF_EVENTS = problem(
  "bad_flag",
  "Reports without impact",
  says`${{ flag: "events" }} adds reports to the impact, and ${{ flag: "no-impact" }} turns the impact off. Leave one of them out.`,
);

/** The contents of all logs of a plan. */
export interface Logged extends Reported {
  /** Counts logged requests. Absent: no logs of requests. */
  readonly countLines?: CountLines;
  /** Notes and warnings on the logs of reports. */
  readonly warnings: readonly Problem[];
}

export async function readLogs(
  input: PlanInput,
  zones: readonly { readonly name: string }[],
): Promise<Result<Logged>> {
  const names = zones.map(({ name }) => name);
  const reports = await reportsFor(input, names);
  const { requests = [], cwd, input: standardInput = null } = input;
  if (!reports.ok || requests.length === 0) return reports;
  const { findLines } = await import("./request-lines.js");
  const countLines = await findLines(requests, names, cwd, standardInput);
  return countLines.ok ? ok({ ...reports.value, countLines: countLines.value }) : countLines;
}
