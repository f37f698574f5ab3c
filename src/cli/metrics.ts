import path from "node:path";
import { codeOf, readRegularFile, replaceFile } from "../disk/files.js";
import { type Problem, problem } from "../model/problem.js";
import { goodRunIn, metricsText, type WatchedRun } from "../render/metrics.js";

const MAX_BYTES = 1024 * 1024;

/** Writes metrics of a run into a file, whole or not at all: somebody else reads it at any time. */
export function writeMetrics(
  named: string,
  cwd: string,
  run: Omit<WatchedRun, "goodBefore">,
): readonly Problem[] {
  const file = path.resolve(cwd, named);
  const before = readRegularFile(file, MAX_BYTES);
  const goodBefore = before.as === "file" ? goodRunIn(before.bytes.toString("utf8")) : null;
  try {
    replaceFile(file, metricsText({ ...run, goodBefore }));
    return [];
  } catch (error) {
    return [problem("not_written", "The metrics cannot be written", `${named}: ${codeOf(error)}.`)];
  }
}
