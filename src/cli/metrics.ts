import path from "node:path";
import { readRegularFile } from "../disk/files.js";
import { failed, type Result } from "../model/problem.js";
import { goodRunIn, metricsText, type WatchedRun } from "../render/metrics.js";
import { type FileKind, outTarget, writeOut } from "../run/write-files.js";
import type { Terminal } from "./command.js";

const KIND: FileKind = {
  noun: "metrics",
  name: "zoneward.prom",
  called: "a file of metrics that zoneward wrote",
  recognizes: (text) => text.startsWith("# HELP zoneward_"),
};

const MAX_BYTES = 1024 * 1024;

/** Writes metrics of a run atomically: another program may read the file at any time. */
export async function writeMetrics(
  file: string,
  run: Omit<WatchedRun, "goodBefore">,
  { cwd }: Pick<Terminal, "cwd">,
): Promise<Result<string>> {
  const target = await outTarget(file, KIND, cwd);
  if (!target.ok) return failed(...target.problems);
  const before = readRegularFile(path.resolve(cwd, target.value.named), MAX_BYTES);
  const goodBefore = before.as === "file" ? goodRunIn(before.bytes.toString("utf8")) : null;
  return writeOut(file, { ...KIND, text: metricsText({ ...run, goodBefore }) }, cwd);
}
