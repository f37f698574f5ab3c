import { type Problem, problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { type Adoption, adoptionCode, runAdopt } from "../run/adopt.js";
import { withClient } from "../run/client.js";
import { EXIT } from "../run/exit-codes.js";
import { idleFor, liftedFor } from "./inputs.js";
import { inputsOf } from "./option-names.js";
import { nothingDone, type StepContext, type StepOutcome } from "./outcome.js";
import { BEFORE_WRITING, inputFor, progressOn, unlessInterrupted, whoFor } from "./plan.js";
import { say } from "./report.js";

/** Writes drift into the files of the checkout, unless a guardrail refuses. */
export async function adopt(step: StepContext): Promise<StepOutcome> {
  const { allow } = step.inputs;
  const first = await adoptOnce([], step);
  // The digest of the drift is known only after the first look. If that is refused, nothing is written.
  const digest = first.document?.digest;
  const lifted = digest === undefined ? [] : liftedFor(digest, allow);
  const isAgain = lifted.length > 0 && first.adoption !== undefined && first.adoption.refused.length > 0;
  const outcome = isAgain ? await adoptOnce(lifted, step) : first;
  if (isAgain && outcome.document?.digest !== digest) return nothingDone("adopt", EXIT.error, [moving()]);
  return digest === undefined ? outcome : { ...outcome, remarks: idleFor(digest, allow) };
}

function moving(): Problem {
  const detail =
    "A guardrail is lifted for one drift, and the live state changed meanwhile. Run it again. Nothing is proposed.";
  return problem("moving", "Live state keeps changing", detail);
}

async function adoptOnce(lifted: readonly string[], step: StepContext): Promise<StepOutcome> {
  const { inputs } = step;
  const input = { ...inputFor(step, inputs.base, lifted), who: whoFor(step) };
  const ran = await withClient({ environment: input.environment }, (client) =>
    unlessInterrupted(runAdopt(input, client, progressOn(step)), step),
  );
  if (!ran.ok) return nothingDone("adopt", EXIT.error, ran.problems);
  if (ran.value === null) return nothingDone("adopt", EXIT.interrupted, [BEFORE_WRITING]);
  if (!ran.value.ok) return nothingDone("adopt", EXIT.error, ran.value.problems);
  const { adoption, driftIn } = ran.value.value;
  const drift = driftIn === null ? null : driftIn(inputsOf(driftIn(inputsOf(null)).digest));
  const document = drift === null ? null : shownOf(drift, adoption, inputs.zones);
  const refused = adoption.refused.map((each) => inWordsOf(document, each));
  const errors = adoption.problems.filter(({ severity }) => severity === "error");
  say(
    adoption.problems.filter((each) => !errors.includes(each)),
    step,
    "log",
  );
  return {
    ...nothingDone("adopt", adoptionCode(adoption), [...errors, ...refused]),
    document,
    adoption: { ...adoption, refused },
  };
}

/**
 * The drift as the reviewer of an adoption needs it. Only zones with drift were compared, and guardrails about undoing
 * the drift do not apply to adopting it.
 */
function shownOf(drift: PlanDocument, { refused }: Adoption, zones: readonly string[]): PlanDocument {
  const isAgainst = (name: string) => refused.some(({ code }) => code === name);
  return {
    ...drift,
    inputs: { ...drift.inputs, zones: [...zones] },
    guardrails: drift.guardrails.filter(({ name, allowed }) => allowed || isAgainst(name)),
    diagnostics: drift.diagnostics.filter(({ code }) => code !== "impact_not_asked"),
  };
}

/** A guardrail's message, with inputs in place of flags. */
function inWordsOf(document: PlanDocument | null, refusal: Problem): Problem {
  const message = document?.guardrails.find(({ name }) => name === refusal.code)?.message;
  return message === undefined ? refusal : { ...refusal, detail: `${message} The files are unchanged.` };
}
