import { jsonText } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { readPlan } from "../plan/read.js";
import { plain } from "../render/plain.js";
import { hasDrift } from "../render/undeclared.js";
import type { PlanView } from "../render/view.js";
import { type Arguments, EXIT, type Run, type Terminal } from "./command.js";
import { connect, fileProblems, planInput } from "./from-flags.js";
import { endAfter, maxAgeMinutes } from "./max-age.js";
import { maxBytesOf } from "./max-bytes.js";
import { progressOn } from "./progress.js";
import { runPlan } from "./run-plan.js";
import { planIn, refuse, showProblems } from "./show.js";
import { hidden, type Written, writeOut } from "./write-out.js";

export const run: Run = (args, terminal) => planAbout("plan", args, terminal);

/** Plans, and shows all that would change, or only what was changed outside the files. */
export async function planAbout(
  about: PlanView["about"],
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const maxAge = maxAgeMinutes(args);
  if (!maxAge.ok) return refuse(maxAge.problems, args, terminal);
  const maxBytes = maxBytesOf(args);
  if (!maxBytes.ok) return refuse(maxBytes.problems, args, terminal);
  const client = connect(args, terminal);
  if (!client.ok)
    return refuse([...client.problems, ...(await fileProblems(args, terminal))], args, terminal);
  try {
    const planned = await runPlan(
      { ...planInput(args, terminal), about },
      client.value,
      progressOn(terminal, args.on("quiet")),
    );
    if (!planned.ok) return refuse(planned.problems, args, terminal);
    const document = withEnd(planned.document, maxAge.value);
    terminal.onPlan?.(document);
    const shape = {
      color: terminal.colors.out,
      verbose: args.on("verbose"),
      maxBytes: maxBytes.value,
    };
    terminal.out(await planIn(args.text("format"), document, about, shape));
    showProblems(planned.problems, terminal);
    const out = args.text("out");
    const written = out === undefined ? ok(null) : await writePlan(out, document, terminal);
    if (!written.ok) {
      showProblems(written.problems, terminal);
      return EXIT.error;
    }
    if (out !== undefined && !args.on("quiet"))
      terminal.err(
        `Wrote ${plain(out)}. To carry it out: ${["zoneward apply", plain(out), ...lifted(args)].join(" ")}\n`,
      );
    const refused = refusals(document, args.texts("fail-on"));
    showProblems(refused, terminal);
    return exitCode(document, about, refused.length > 0, args.on("detailed-exitcode"));
  } finally {
    await client.value.close();
  }
}

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

function exitCode(
  document: PlanDocument,
  about: PlanView["about"],
  isRefused: boolean,
  detailed: boolean,
): number {
  if (document.zones.some((zone) => zone.status === "failed")) return EXIT.error;
  if (isRefused) return EXIT.refused;
  const isNews = about === "drift" ? hasDrift(document) : document.changes.length > 0;
  return detailed && isNews ? EXIT.changes : EXIT.done;
}

/** Writes what `apply` takes. */
export async function writePlan(
  file: string,
  document: PlanDocument,
  terminal: Pick<Terminal, "hiding" | "cwd">,
): Promise<Result<null>> {
  const whole = planFile(document);
  const written = hidden(whole, terminal);
  // Of a plan, words of messages may be missing, and nothing else.
  if (written.text !== whole.text && !readPlan(file, written.text).ok) return failed(cannotSave(file));
  return writeOut(file, written, terminal.cwd);
}

function cannotSave(file: string): Problem {
  const detail = `The value of a secret stands where the plan shows it. Without it the file would be another plan, which apply refuses, so ${file} is not written. Take the value out there; where it is no secret, write \${env:…} in place of \${secret:…}.`;
  return problem("secret_exposed", "A plan with a secret in it cannot be saved", detail);
}

function planFile(document: PlanDocument): Written {
  const isOne = (text: string) => /^\s*\{\s*"format_version"/.test(text);
  return { text: jsonText(document), noun: "plan", isOne };
}
