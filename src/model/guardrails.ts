/** What `apply` refuses unless `--allow` lifts it for the run. */
export const GUARDRAILS = ["prune_all", "create_unlisted"] as const;

export type Guardrail = (typeof GUARDRAILS)[number];
