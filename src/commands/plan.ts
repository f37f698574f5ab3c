import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { failed, ok, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { jsonText } from "../render/json-text.js";
import { EXIT, type Run } from "./command.js";
import { connect, planInput } from "./from-flags.js";
import { progressOn } from "./progress.js";
import { runPlan } from "./run-plan.js";
import { refuse, showPlan, showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  const client = connect(args, terminal);
  if (!client.ok) return refuse(client.problems, args, terminal);
  try {
    const planned = await runPlan(
      planInput(args, terminal),
      client.value,
      progressOn(terminal, args.on("quiet")),
    );
    if (!planned.ok) return refuse(planned.problems, args, terminal);
    const { document } = planned;
    const text = jsonText(document);
    if (args.text("format") === "json") terminal.out(text);
    else terminal.out(showPlan(document, terminal.colors.out, args.on("verbose")));
    showProblems(planned.problems, args, terminal);
    const written = await writeOut(args.text("out"), text, terminal.cwd);
    if (!written.ok) {
      showProblems(written.problems, args, terminal);
      return EXIT.error;
    }
    return exitCode(document, args.on("detailed-exitcode"));
  } finally {
    await client.value.close();
  }
};

function exitCode(document: PlanDocument, detailed: boolean): number {
  if (document.zones.some((zone) => zone.status === "failed")) return EXIT.error;
  return detailed && document.changes.length > 0 ? EXIT.changes : EXIT.done;
}

async function writeOut(file: string | undefined, text: string, cwd: string): Promise<Result<null>> {
  if (file === undefined) return ok(null);
  const target = path.resolve(cwd, file);
  try {
    // Whole or not at all: a plan file that broke off would be read as one that somebody edited.
    await writeFile(`${target}.partial`, text);
    await rename(`${target}.partial`, target);
    return ok(null);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(
      problem(
        "cannot_write",
        "The plan file cannot be written",
        `${file}: ${reason}. Nothing else is lost: run plan again.`,
      ),
    );
  }
}
