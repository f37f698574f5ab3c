import type { DetectedKind, DetectionReport, ZoneDetections } from "../model/detection.js";
import { type Problem, problem } from "../model/problem.js";
import { detectionsCsv } from "../render/detections/csv.js";
import { detectionsJson } from "../render/detections/json.js";
import { detectionRecords, detectionTable } from "../render/detections/text.js";

import { palette } from "../render/palette.js";
import { type Question, readDetections } from "../run/detections.js";
import { zonesToRead } from "../run/zones-to-read.js";
import { type Arguments, EXIT, type Run, type Terminal } from "./command.js";
import { readQuestion } from "./detection-question.js";
import { connect, planInput } from "./options.js";
import { progressOn } from "./progress.js";
import { refuse, showProblems } from "./show.js";

export const scripts: Run = runOn("scripts");
export const connections: Run = runOn("connections");

/** What the service has detected: zones → reads → verdicts → table, JSON or CSV. */
function runOn(kind: DetectedKind): Run {
  return async (args, terminal) => {
    const question = readQuestion(args, kind);
    if (!question.ok) return refuse(question.problems, args, terminal);
    const client = connect(args, terminal);
    if (!client.ok) return refuse(client.problems, args, terminal);
    try {
      const chosen = await zonesToRead(planInput(args, terminal), client.value);
      if (!chosen.ok) return refuse(chosen.problems, args, terminal);
      const scoreBelow = chosen.value.service.limits.malicious_score_below;
      const asked = { kind, question: question.value, scoreBelow };
      const progress = progressOn(terminal, args.on("quiet"));
      const zones = await readDetections(chosen.value.zones, asked, client.value, progress);
      return tell({ kind, scoreBelow, zones }, question.value, args, terminal);
    } finally {
      await client.value.close();
    }
  };
}

async function tell(
  report: DetectionReport,
  question: Question,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const problems = problemsOf(report, question);
  if (question.as === "show" && report.zones.every(isEmpty)) return refuse(problems, args, terminal);
  terminal.out(shown(report, question, args, terminal));
  showProblems(problems, terminal);
  return problems.length > 0 ? EXIT.error : EXIT.done;
}

function problemsOf({ zones, kind }: DetectionReport, question: Question): readonly Problem[] {
  const problems = zones.flatMap(({ found }) => (found.ok ? [] : found.problems));
  const isNowhere = question.as === "show" && problems.length === 0 && zones.every(isEmpty);
  return isNowhere ? [nowhere(kind, question.id, zones.length)] : problems;
}

function isEmpty({ found }: ZoneDetections): boolean {
  return !found.ok || found.value.length === 0;
}

function nowhere(kind: DetectedKind, id: string, zones: number): Problem {
  const detail = `None of the ${zones} zones has ${id} among its ${kind}. zoneward ${kind} list shows the ids.`;
  return problem("not_found", "No zone has this detection", detail);
}

function shown(report: DetectionReport, question: Question, args: Arguments, terminal: Terminal): string {
  switch (args.text("format")) {
    case "json":
      return detectionsJson(report);
    case "csv":
      return detectionsCsv(report, question.as === "list" ? "brief" : "whole");
    default: {
      const colors = palette(terminal.colors.out);
      return question.as === "list" ? detectionTable(report, colors) : detectionRecords(report, colors);
    }
  }
}
