import type { PlannedChange, PlannedField } from "../plan/generated/plan-document.js";

/** What is to be said of where a change comes from; null: it comes from the files, or nobody knows. */
export function originText({ origin, drift_effect }: PlannedChange): string | null {
  const text = ORIGINS[origin];
  if (text === null || drift_effect === undefined) return text;
  return `${text}; ${DONE_THERE[drift_effect]}`;
}

const ORIGINS: { readonly [origin in PlannedChange["origin"]]: string | null } = {
  declared: null,
  unknown: null,
  drift: "drift: changed outside the files",
  conflict: "conflict: changed in the files and outside them",
  mixed: "mixed: partly changed outside the files",
};

type DriftEffect = NonNullable<PlannedChange["drift_effect"]>;

const DONE_THERE: { readonly [effect in DriftEffect]: string } = {
  weakens: "what was done there weakened protection",
  strengthens: "what was done there strengthened protection",
  mixed: "what was done there weakened and strengthened protection",
  neutral: "what was done there did nothing to protection",
  unknown: "nobody can tell what was done there to protection",
};

/** Of a change whose fields come from different places, where this one comes from; null: nothing to be said. */
export function fieldOriginText({ origin }: PlannedChange, field: PlannedField): string | null {
  if (origin !== "mixed") return null;
  return field.origin === "drift" || field.origin === "conflict" ? field.origin : null;
}

/** Where the files say it: of what is deleted because they no longer do, where the base did. */
export function placeText({ source, removed }: PlannedChange): string | null {
  if (removed !== undefined) return `no longer in ${removed.file}:${removed.line} (base)`;
  return source === null ? null : `${source.file}:${source.line}`;
}
