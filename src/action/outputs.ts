import type { PlanDocument } from "../plan/generated/plan-document.js";
import { hasDrift } from "../render/undeclared.js";
import type { Outcome } from "./outcome.js";

/** Every output, as action.yml declares them. */
export const OUTPUTS = [
  "changes",
  "to-create",
  "to-update",
  "to-delete",
  "weakens",
  "effect",
  "drift",
  "digest",
  "plan-file",
  "journal",
  "exit-code",
  "html-file",
  "sarif-file",
  "comment-url",
] as const;

export type OutputName = (typeof OUTPUTS)[number];

/** What the steps after this one are told of the plan and of what was done. What is not known is empty. */
export function outputsOf({
  command,
  code,
  document,
  planFile,
  applied,
}: Outcome): Partial<Record<OutputName, string>> {
  return {
    ...(document === null ? {} : ofPlan(document, command)),
    "plan-file": planFile ?? "",
    journal: applied?.journal ?? "",
    "exit-code": String(code),
  };
}

/** Of what could not be planned nobody knows whether it has changes: then there are some, or nobody can tell. */
function ofPlan(document: PlanDocument, command: Outcome["command"]): Partial<Record<OutputName, string>> {
  const { summary, changes, digest, zones } = document;
  const failed = zones.filter(({ status }) => status === "failed");
  if (failed.length > 0 && failed.length === zones.length) return {};
  const toldOf = (isThere: boolean) => (isThere || failed.length === 0 ? String(isThere) : "");
  const isDrift = command === "drift" ? hasDrift(document) : driftIn(document);
  return {
    changes: toldOf(changes.length > 0),
    "to-create": String(summary.create),
    "to-update": String(summary.update),
    "to-delete": String(summary.delete),
    weakens: String(summary.effects.weakens),
    effect: worstEffect(document) ?? (failed.length > 0 ? "" : "none"),
    drift: isDrift === null ? "" : toldOf(isDrift),
    digest,
  };
}

/** Null: a plan without a base, of which nobody can tell. */
function driftIn({ base, summary }: PlanDocument): boolean | null {
  const { drift, conflict, mixed } = summary.origins;
  return base === undefined ? null : drift + conflict + mixed > 0;
}

/** The worst first: what cannot be decided may be the worst. */
const EFFECTS = ["weakens", "unknown", "mixed", "neutral", "strengthens"] as const;

function worstEffect({ summary }: PlanDocument): string | null {
  return EFFECTS.find((effect) => summary.effects[effect] > 0) ?? null;
}
