import { type DetectionStatus, STATUSES } from "../api/detections.js";
import type { DetectedKind, DetectionReport, ZoneDetections } from "../model/detection.js";
import { suggest } from "../model/did-you-mean.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isId } from "../model/read-api.js";
import { detectionsJson } from "../render/detections-json.js";
import { detectionRecords, detectionTable } from "../render/detections-text.js";
import { palette } from "../render/palette.js";
import { type Question, readDetections, zonesToRead } from "../run/detections.js";
import { EXIT } from "../run/exit-codes.js";
import type { Arguments, Ended, Run, Terminal } from "./command.js";
import { planInput } from "./inputs.js";
import { readSubcommand } from "./operands.js";
import { withService } from "./service.js";
import { showProblems } from "./show.js";

export const scripts: Run = runOn("scripts");
export const connections: Run = runOn("connections");

/** Detected scripts or connections: zones → reads → verdicts → table or JSON. */
function runOn(kind: DetectedKind): Run {
  return async (args, terminal) => {
    const question = readQuestion(args, kind);
    if (!question.ok) return question;
    return withService(args, terminal, async (client, progress) => {
      const chosen = await zonesToRead(planInput(args, terminal), client);
      if (!chosen.ok) return chosen;
      const scoreBelow = chosen.value.service.limits.malicious_score_below;
      const query = { kind, question: question.value, scoreBelow };
      const zones = await readDetections(chosen.value.zones, query, client, progress);
      return tell({ kind, scoreBelow, zones }, question.value, args, terminal);
    });
  };
}

async function tell(
  report: DetectionReport,
  question: Question,
  args: Arguments,
  terminal: Terminal,
): Promise<Ended> {
  const problems = problemsOf(report, question);
  if (question.as === "show" && report.zones.every(isEmpty)) return failed(...problems);
  terminal.out(textOf(report, question, args, terminal));
  showProblems(problems, terminal);
  return problems.length > 0 ? EXIT.error : EXIT.done;
}

function problemsOf({ zones, kind }: DetectionReport, question: Question): readonly Problem[] {
  const problems = zones.flatMap(({ detections }) => (detections.ok ? [] : detections.problems));
  const isNowhere = question.as === "show" && problems.length === 0 && zones.every(isEmpty);
  return isNowhere ? [nowhere(kind, question.id, zones.length)] : problems;
}

function isEmpty({ detections }: ZoneDetections): boolean {
  return !detections.ok || detections.value.length === 0;
}

function nowhere(kind: DetectedKind, id: string, zones: number): Problem {
  const detail = `${zones === 1 ? "The zone has" : `None of the ${zones} zones has`} ${zones === 1 ? "no " : ""}${kind.slice(0, -1)} ${id}. List the ids: zoneward ${kind} list.`;
  return problem("not_found", `No ${kind.slice(0, -1)} with this id`, detail);
}

function textOf(report: DetectionReport, question: Question, args: Arguments, terminal: Terminal): string {
  if (args.text("format") === "json") return detectionsJson(report);
  const colors = palette(terminal.colors.out);
  return question.as === "list" ? detectionTable(report, colors) : detectionRecords(report, colors);
}

export function readQuestion(args: Arguments, kind: DetectedKind): Result<Question> {
  const word = readSubcommand(kind, args.operands[0], ["list", "show"]);
  if (!word.ok) return word;
  switch (word.value) {
    case "list":
      return readList(args, kind);
    case "show":
      return readShow(args, kind);
  }
}

function readList(args: Arguments, kind: DetectedKind): Result<Question> {
  const surplus = args.operands[1];
  const tooMuch = surplus === undefined ? [] : [unwanted(kind, surplus)];
  const hosts = partsOf(args, "host").map((each) => each.toLowerCase());
  const names = partsOf(args, "status").map((each) => each.toLowerCase());
  const unknown = names.filter((each) => !STATUSES.some((status) => status === each));
  const problems = [...tooMuch, ...unknown.map(noSuchStatus)];
  if (problems.length > 0) return failed(...problems);
  const selection = STATUSES.filter((status) => names.includes(status));
  // The service's own default.
  const statuses: readonly DetectionStatus[] = selection.length === 0 ? ["active"] : selection;
  return ok({ as: "list", filter: { hosts, statuses }, which: args.on("malicious") ? "malicious" : "all" });
}

/** A flag's values. Each may be several, separated by commas. */
function partsOf(args: Arguments, flag: string): readonly string[] {
  const parts = args.texts(flag).flatMap((each) => each.split(","));
  return [...new Set(parts.map((each) => each.trim()).filter((each) => each !== ""))];
}

function unwanted(kind: DetectedKind, word: string): Problem {
  const detail = `zoneward ${kind} list takes no ID. For one of them, run zoneward ${kind} show ${word}. For a zone, pass --zone ${word}.`;
  return problem("bad_operand", "Unexpected argument", detail);
}

function noSuchStatus(status: string): Problem {
  const close = suggest(status, STATUSES);
  const advice = close === null ? "" : ` Did you mean ${close}?`;
  const detail = `--status must be ${STATUSES.join(", ")}, not ${status}.${advice}`;
  return problem("bad_flag", "--status is not a status", detail);
}

const OF_LISTS = ["host", "status", "malicious"];

function readShow(args: Arguments, kind: DetectedKind): Result<Question> {
  const id = args.operands[1];
  const misplaced = OF_LISTS.filter((flag) => args.on(flag)).map((flag) =>
    problem(
      "bad_flag",
      "Flag of another command",
      `--${flag} belongs to zoneward ${kind} list. Leave it out.`,
    ),
  );
  if (misplaced.length > 0) return failed(...misplaced);
  if (id === undefined) {
    const detail = `Run zoneward ${kind} show ID. zoneward ${kind} list shows the ids.`;
    return failed(problem("bad_operand", "Missing argument ID", detail));
  }
  if (isId(id)) return ok({ as: "show", id });
  const detail = `${id} is not an id: ids have letters, digits, - and _. List the ids: zoneward ${kind} list.`;
  return failed(problem("bad_operand", "Invalid id", detail));
}
