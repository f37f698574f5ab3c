import { readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { jsonText } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { plain } from "../render/plain.js";
import { type Arguments, EXIT, type Run } from "./command.js";
import { connect, fileProblems, planInput } from "./from-flags.js";
import { endAfter, maxAgeMinutes } from "./max-age.js";
import { progressOn } from "./progress.js";
import { runPlan } from "./run-plan.js";
import { refuse, showPlan, showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  const maxAge = maxAgeMinutes(args);
  if (!maxAge.ok) return refuse(maxAge.problems, args, terminal);
  const client = connect(args, terminal);
  if (!client.ok)
    return refuse([...client.problems, ...(await fileProblems(args, terminal))], args, terminal);
  try {
    const planned = await runPlan(
      planInput(args, terminal),
      client.value,
      progressOn(terminal, args.on("quiet")),
    );
    if (!planned.ok) return refuse(planned.problems, args, terminal);
    const document = withEnd(planned.document, maxAge.value);
    if (args.text("format") === "json") terminal.out(jsonText(document));
    else terminal.out(showPlan(document, terminal.colors.out, args.on("verbose")));
    showProblems(planned.problems, args, terminal);
    const written = await writeOut(args.text("out"), document, terminal.cwd);
    if (!written.ok) {
      showProblems(written.problems, args, terminal);
      return EXIT.error;
    }
    const out = args.text("out");
    if (out !== undefined && !args.on("quiet"))
      terminal.err(
        `Wrote ${plain(out)}. To carry it out: ${["zoneward apply", plain(out), ...lifted(args)].join(" ")}\n`,
      );
    const refused = refusals(document, args.texts("fail-on"));
    showProblems(refused, args, terminal);
    return exitCode(document, refused.length > 0, args.on("detailed-exitcode"));
  } finally {
    await client.value.close();
  }
};

/** The plan itself knows no time, so that the same files and the same live state give the same bytes. */
function withEnd(document: PlanDocument, minutes: number | null): PlanDocument {
  if (minutes === null) return document;
  return { ...document, expires_at: endAfter(minutes) };
}

function refusals(document: PlanDocument, failOn: readonly string[]): readonly Problem[] {
  return document.guardrails
    .filter(({ name, allowed }) => !allowed && failOn.includes(name))
    .map(({ name, message }) => problem(name, `The guardrail ${name} says no`, message));
}

/** What is lifted for one run is lifted for the next only if that says so too. */
function lifted(args: Arguments): readonly string[] {
  return args.texts("allow").map((name) => `--allow ${plain(name)}`);
}

function exitCode(document: PlanDocument, isRefused: boolean, detailed: boolean): number {
  if (document.zones.some((zone) => zone.status === "failed")) return EXIT.error;
  if (isRefused) return EXIT.refused;
  return detailed && document.changes.length > 0 ? EXIT.changes : EXIT.done;
}

async function writeOut(
  file: string | undefined,
  document: PlanDocument,
  cwd: string,
): Promise<Result<null>> {
  if (file === undefined) return ok(null);
  const text = jsonText(document);
  const target = await realpath(path.resolve(cwd, file)).catch(() => path.resolve(cwd, file));
  // A pipe or a device is written to, never replaced by a file.
  const isStream = await stat(target).then(
    (found) => !found.isFile() && !found.isDirectory(),
    () => false,
  );
  if (!isStream && (await isSomethingElse(target)))
    return failed(cannotWrite(`${file} is there and is no plan. Name another file.`));
  try {
    // Whole or not at all: a plan file that broke off would be read as one that somebody edited.
    if (isStream) await writeFile(target, text);
    else {
      await writeFile(`${target}.partial`, text);
      await rename(`${target}.partial`, target);
    }
    return ok(null);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // what node:fs rejects with
    return failed(cannotWrite(`Writing ${file} failed with ${code ?? message}. Does its folder exist?`));
  }
}

/** A file that -o would destroy: most likely a desired-state file, named by mistake. */
async function isSomethingElse(target: string): Promise<boolean> {
  const text = await readFile(target, "utf8").catch(() => null);
  return text !== null && !/^\s*(\{\s*"format_version"|$)/.test(text);
}

function cannotWrite(detail: string): Problem {
  return problem("cannot_write", "The plan file cannot be written", detail);
}
