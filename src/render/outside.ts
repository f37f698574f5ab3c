import type { Effect, EffectCounts, PlanDocument, PlannedChange } from "../plan/generated/plan-document.js";

/** What was done to protection outside the files. */
export function outsideEffect({ drift_effect }: PlannedChange): Effect {
  return drift_effect ?? "unknown";
}

/** What happened outside the files, in the words that lead a change. */
export const OUTSIDE_WORDS: { readonly [effect in Effect]: string } = {
  weakens: "weakened outside the files",
  unknown: "changed outside the files, effect unknown",
  mixed: "weakened and strengthened outside the files",
  strengthens: "strengthened outside the files",
  neutral: "changed outside the files",
};

/** What happened to the object outside: the plan's action would undo it. */
export const OUTSIDE_ACTIONS: { readonly [action in PlannedChange["action"]]: string } = {
  create: "deleted",
  update: "changed",
  delete: "added",
};

/** What a reviewer has to see first comes first. */
export const WORST_FIRST: readonly Effect[] = ["weakens", "unknown", "mixed", "strengthens", "neutral"];

/** Changes by what was done outside the files. */
export function outsideCounts({ changes }: PlanDocument): EffectCounts {
  const counts = { strengthens: 0, weakens: 0, mixed: 0, neutral: 0, unknown: 0 };
  for (const change of changes) counts[outsideEffect(change)] += 1;
  return counts;
}

/** The document with what was weakened outside first: its zones, and the changes in each. */
export function worstOutsideFirst(document: PlanDocument): PlanDocument {
  const rank = (change: PlannedChange) => WORST_FIRST.indexOf(outsideEffect(change));
  const changes = document.changes.toSorted((a, b) => rank(a) - rank(b));
  const order = new Map([...new Set(changes.map(({ zone }) => zone))].map((zone, index) => [zone, index]));
  const place = ({ zone }: { readonly zone: string }) => order.get(zone) ?? order.size;
  return { ...document, changes, zones: document.zones.toSorted((a, b) => place(a) - place(b)) };
}
