import { ok, problem } from "../model/problem.js";
import { plain } from "../render/plain.js";
import { EXIT } from "../run/exit.js";
import { mergeFiles } from "../run/merge.js";
import { refusalsOf } from "../run/plan.js";
import { writePlan } from "../run/saved-plan.js";
import type { Run } from "./command.js";
import { planExitCode } from "./plan.js";
import { readPages, writePages } from "./plan-pages.js";
import { refuse, showProblems } from "./show.js";

/** The plans of all shards → one plan, shown and kept as if it had been made in one. */
export const run: Run = async (args, terminal) => {
  if (args.operands.length === 0) return refuse([noFiles()], args, terminal);
  const pages = await readPages(args, terminal);
  if (!pages.ok) return refuse(pages.problems, args, terminal);
  const made = await mergeFiles(args.operands, terminal.cwd, args.texts("fail-on"));
  if (!made.ok) return refuse(made.problems, args, terminal);
  const document = made.value;
  const about = document.inputs.about ?? "plan";
  const unwritten = await writePages(pages.value, document, about, args, terminal);
  const out = args.text("out");
  const written = out === undefined ? ok(null) : await writePlan(out, document, terminal);
  const problems = [...unwritten, ...(written.ok ? [] : written.problems)];
  showProblems(problems, terminal);
  if (problems.length > 0) return EXIT.error;
  if (written.ok && written.value !== null && !args.on("quiet")) {
    const file = plain(written.value);
    terminal.err(
      `Wrote ${file}. To carry it out: zoneward apply ${file}, or with --shard I/N for each part of it.\n`,
    );
  }
  const refused = refusalsOf(document, args.texts("fail-on"));
  showProblems(refused, terminal);
  return planExitCode(document, about, refused.length > 0, args.on("detailed-exitcode"));
};

function noFiles() {
  return problem(
    "bad_operand",
    "Missing argument",
    "Name the plans of all shards: zoneward merge plan-*.json. zoneward plan --shard I/N -o writes one.",
  );
}
