import { type Limit, limitNames } from "./limits.js";

/** The guardrails that `forbid` may name. */
export const FORBIDDABLE = [
  "weakens",
  "deletes",
  "service_off",
  "starts_blocking",
  "blocks_active_scripts",
  "allows_malicious",
  "unproven",
  "redirects",
  "drift",
  "conflict",
  "unmanaged",
] as const;

/** Guardrails that depend on detected and reported loads. */
export const LOAD_GUARDRAILS: readonly string[] = [
  "starts_blocking",
  "blocks_active_scripts",
  "allows_malicious",
  "unproven",
] satisfies readonly (typeof FORBIDDABLE)[number][];

/** Guardrails that judge changes made outside the files by themselves, so they can refuse to adopt them. */
export const DRIFT_GUARDRAILS = [
  "weakens",
  "deletes",
  "service_off",
  "redirects",
] as const satisfies readonly (typeof FORBIDDABLE)[number][];

/** Guardrails that always apply. */
export const ALWAYS = [
  "prune_all",
  "create_unlisted",
  "replace_with_gap",
  "base_unread",
  "failing_tests",
] as const;

/** `apply` refuses on these unless `--allow` lifts one for the run. */
export const GUARDRAILS = [...limitNames, ...FORBIDDABLE, ...ALWAYS] as const;

export type Forbiddable = (typeof FORBIDDABLE)[number];
export type DriftGuardrail = (typeof DRIFT_GUARDRAILS)[number];
export type Guardrail = (typeof GUARDRAILS)[number];

/** The guardrails of the files. */
export interface Guardrails {
  /** Absent: no limit. */
  readonly limits: { readonly [limit in Limit]?: number };
  readonly forbid: readonly Forbiddable[];
  /** The days of evidence that `unproven` needs. Absent: the default. */
  readonly evidenceDays?: number;
}

/** A week includes every weekday, and weekly jobs. */
export const DEFAULT_EVIDENCE_DAYS = 7;

export const NO_GUARDRAILS: Guardrails = { limits: {}, forbid: [] };

/** Whether a guardrail of a drift report can refuse to adopt the drift. The others are about calls, or about drift. */
export function refusesAdopt(guardrail: string): boolean {
  return [...limitNames, ...DRIFT_GUARDRAILS].some((name) => name === guardrail);
}

export function refusedBy(guardrail: string): string {
  return `Refused by guardrail ${guardrail}`;
}

/** The stricter value of each entry: neither side can loosen the other. */
export function stricter(first: Guardrails, second: Guardrails): Guardrails {
  const limits = limitNames.flatMap((name) => {
    const values = [first.limits[name] ?? [], second.limits[name] ?? []].flat();
    return values.length === 0 ? [] : [[name, Math.min(...values)] as const];
  });
  return {
    limits: Object.fromEntries(limits),
    forbid: FORBIDDABLE.filter((name) => first.forbid.includes(name) || second.forbid.includes(name)),
    ...stricterDays(first, second),
  };
}

/** Forbidding `unproven` without a number of days means the default. */
function stricterDays(...guardrails: readonly Guardrails[]): Pick<Guardrails, "evidenceDays"> {
  const days = guardrails.flatMap(({ evidenceDays, forbid }) =>
    evidenceDays === undefined && forbid.includes("unproven") ? DEFAULT_EVIDENCE_DAYS : (evidenceDays ?? []),
  );
  return days.length === 0 ? {} : { evidenceDays: Math.max(...days) };
}
