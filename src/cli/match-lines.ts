import { eachRecord } from "../disk/lines.js";
import { logFiles } from "../disk/log-files.js";
import { MatchCounts } from "../evidence/line-counts.js";
import { isRequestLine } from "../evidence/request-line.js";
import type { Request } from "../expression/evaluate/evaluate.js";
import type { Expression } from "../expression/tree.js";
import { jsonText } from "../model/json-text.js";
import { failed, problem } from "../model/problem.js";
import { matchedLinesText } from "../render/request-lines.js";
import { cutOff } from "../run/reported-loads.js";
import type { Arguments, Ended, Terminal } from "./command.js";
import { answerCode, showProblems } from "./show.js";

/** An expression × logged requests → how many match, do not match, and are undecided. */
export async function matchLines(
  paths: readonly string[],
  { text, tree, fields }: { readonly text: string; readonly tree: Expression; readonly fields: Request },
  args: Arguments,
  terminal: Terminal,
): Promise<Ended> {
  if (args.operands[2] !== undefined) {
    const detail = `--requests takes the requests from logs, and ${args.operands[2]} is a single URL. Pass one or the other.`;
    return failed(problem("bad_operand", "--requests and a URL exclude each other", detail));
  }
  const files = await logFiles(paths, terminal.cwd, terminal.bytes);
  if (!files.ok) return files;
  const counts = new MatchCounts(tree, fields);
  let otherDatasets = 0;
  const unread = await eachRecord(files.value, (line) => {
    if (isRequestLine(line)) counts.add(line);
    else otherDatasets += 1;
  });
  const leftOut = { other_datasets: otherDatasets, broken: unread.broken + unread.tooLong };
  const isJson = args.text("format") === "json";
  terminal.out(
    isJson
      ? jsonText({ expression: text, ...counts.counts, left_out: leftOut })
      : matchedLinesText(counts.counts, leftOut),
  );
  showProblems(cutOff(unread), terminal);
  return answerCode(args, counts.counts.matches.lines > 0);
}
