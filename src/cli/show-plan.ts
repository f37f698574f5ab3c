import { allOf, failed, problem } from "../model/problem.js";
import { EXIT } from "../run/exit-codes.js";
import { planInFile } from "../run/saved-plan.js";
import type { Run } from "./command.js";
import { readPages, tellDigest, writePages } from "./plan-pages.js";
import { showProblems } from "./show.js";

/** A saved plan → its pages. No desired state is read, and nothing is sent. */
export const run: Run = async (args, terminal) => {
  const [file] = args.operands;
  const saved = file === undefined ? failed(noFile()) : await planInFile(file, terminal.cwd);
  const read = allOf([await readPages(args, terminal), saved]);
  if (!read.ok) return read;
  const [pages, { document }] = read.value;
  const unwritten = await writePages(pages, document, document.inputs.about ?? "plan", args, terminal);
  tellDigest(pages, document, terminal);
  showProblems(unwritten, terminal);
  return unwritten.length > 0 ? EXIT.error : EXIT.done;
};

function noFile() {
  return problem(
    "bad_operand",
    "Missing argument plan.json",
    "Run zoneward show plan.json. zoneward plan -o plan.json writes the file.",
  );
}
