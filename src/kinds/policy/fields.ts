/** The fields of a policy, in the order in which files and bodies have them. */
export const FIELDS = ["description", "action", "enabled", "expression", "value"] as const;
