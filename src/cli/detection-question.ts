import { type DetectionStatus, STATUSES } from "../api/detections.js";
import type { DetectedKind } from "../model/detection.js";
import { isId } from "../model/id.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import type { Question } from "../run/detections.js";
import type { Arguments } from "./command.js";
import { readSubcommand } from "./subcommand.js";

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
  const written = partsOf(args, "status").map((each) => each.toLowerCase());
  const unknown = written.filter((each) => !STATUSES.some((status) => status === each));
  const problems = [...tooMuch, ...unknown.map(noSuchStatus)];
  if (problems.length > 0) return failed(...problems);
  const asked = STATUSES.filter((status) => written.includes(status));
  // The service's own choice where there is none.
  const statuses: readonly DetectionStatus[] = asked.length === 0 ? ["active"] : asked;
  return ok({ as: "list", filter: { hosts, statuses }, which: args.on("malicious") ? "malicious" : "all" });
}

/** A flag's values; each may be several, separated by commas. */
function partsOf(args: Arguments, flag: string): readonly string[] {
  const parts = args.texts(flag).flatMap((each) => each.split(","));
  return [...new Set(parts.map((each) => each.trim()).filter((each) => each !== ""))];
}

function unwanted(kind: DetectedKind, written: string): Problem {
  const detail = `zoneward ${kind} list takes no ID: ${written} is too much. One of them: zoneward ${kind} show ${written}. A zone's: --zone ${written}.`;
  return problem("bad_operand", "A word too much", detail);
}

function noSuchStatus(written: string): Problem {
  const close = suggest(written, STATUSES);
  const advice = close === null ? "" : ` Did you mean ${close}?`;
  const detail = `--status can be ${STATUSES.join(", ")}, not ${written}.${advice}`;
  return problem("bad_flag", "Not a status", detail);
}

const OF_LISTS = ["host", "status", "malicious"];

function readShow(args: Arguments, kind: DetectedKind): Result<Question> {
  const id = args.operands[1];
  const misplaced = OF_LISTS.filter((flag) => args.on(flag)).map((flag) =>
    problem("bad_flag", "A flag for something else", `--${flag} goes with zoneward ${kind} list.`),
  );
  if (misplaced.length > 0) return failed(...misplaced);
  if (id === undefined) {
    const detail = `Name it by its id: zoneward ${kind} show ID. zoneward ${kind} list shows the ids.`;
    return failed(problem("bad_operand", "An id is missing", detail));
  }
  if (isId(id)) return ok({ as: "show", id });
  const detail = `${id} is no id: ids are letters, digits, - and _. zoneward ${kind} list shows the ids.`;
  return failed(problem("bad_operand", "Not an id", detail));
}
