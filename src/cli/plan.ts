import { ok, type Problem, problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { plain } from "../render/plain.js";
import { hasDrift } from "../render/undeclared.js";
import type { PlanView } from "../render/view.js";
import { runPlan } from "../run/plan.js";
import { planIn } from "../run/plan-formats.js";
import { endAfter, writePlan } from "../run/saved-plan.js";
import { type Arguments, EXIT, type Run, type Terminal } from "./command.js";
import { connect, fileProblems, maxAgeMinutes, maxBytesOf, planInput } from "./options.js";
import { refuse, showProblems } from "./show.js";
import { progressOn } from "./terminal.js";

export const plan: Run = (args, terminal) => planAbout("plan", args, terminal);
export const drift: Run = (args, terminal) => planAbout("drift", args, terminal);

/** Plans, and shows all that would change, or only what was changed outside the files. */
async function planAbout(about: PlanView["about"], args: Arguments, terminal: Terminal): Promise<number> {
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
