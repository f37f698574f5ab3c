/** Bounds on how much one run changes. */
export const LIMITS = ["max_changes", "max_deletes", "max_changed_share"] as const;

/** What no change of a run may do, where `forbid` names it. */
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

/** Of these, what goes by what pages load, as the service and the logs that are named tell it. */
export const OF_LOADS: readonly string[] = [
  "starts_blocking",
  "blocks_active_scripts",
  "allows_malicious",
  "unproven",
] satisfies readonly (typeof FORBIDDABLE)[number][];

/** Hold without being named. */
export const ALWAYS = [
  "prune_all",
  "create_unlisted",
  "replace_with_gap",
  "base_unread",
  "failing_tests",
] as const;

/** What `apply` refuses unless `--allow` lifts it for the run. */
export const GUARDRAILS = [...LIMITS, ...FORBIDDABLE, ...ALWAYS] as const;

export type Limit = (typeof LIMITS)[number];
export type Forbiddable = (typeof FORBIDDABLE)[number];
export type Guardrail = (typeof GUARDRAILS)[number];

/** What the files ask for. */
export interface Guardrails {
  /** An absent one limits nothing. */
  readonly limits: { readonly [limit in Limit]?: number };
  readonly forbid: readonly Forbiddable[];
  /** How many days of evidence `unproven` asks for. Absent: nobody has said so. */
  readonly evidenceDays?: number;
}

/** A week has each of its days, and what runs once in one. */
export const DEFAULT_EVIDENCE_DAYS = 7;

export const NO_GUARDRAILS: Guardrails = { limits: {}, forbid: [] };

/** Of two, the stricter of each entry: neither can loosen the other. */
export function stricter(one: Guardrails, other: Guardrails): Guardrails {
  const limits = LIMITS.flatMap((name) => {
    const given = [one.limits[name] ?? [], other.limits[name] ?? []].flat();
    return given.length === 0 ? [] : [[name, Math.min(...given)] as const];
  });
  return {
    limits: Object.fromEntries(limits),
    forbid: FORBIDDABLE.filter((name) => one.forbid.includes(name) || other.forbid.includes(name)),
    ...stricterDays(one, other),
  };
}

/** Where one forbids what is unproven and does not say by how many days, it means the usual number. */
function stricterDays(...both: readonly Guardrails[]): Pick<Guardrails, "evidenceDays"> {
  const days = both.flatMap(({ evidenceDays, forbid }) =>
    evidenceDays === undefined && forbid.includes("unproven") ? DEFAULT_EVIDENCE_DAYS : (evidenceDays ?? []),
  );
  return days.length === 0 ? {} : { evidenceDays: Math.max(...days) };
}
