/** The permission groups of API tokens that some endpoints need, as the service's dashboard names them. */
export interface Permissions {
  readonly read: string;
  readonly write: string;
  /** For reads below `/accounts/`, where there are any. */
  readonly account?: string;
}

/** To list zones. */
export const ZONE_READ = "Zone Read";

/** Of an account: its audit log. */
export const ACCOUNT_SETTINGS = {
  read: "Account Settings Read",
  write: "Account Settings Write",
} as const satisfies Permissions;

/** Client-side security: its settings, its policies, and what it has detected. */
export const PAGE_SHIELD: Permissions = { read: "Page Shield Read", write: "Page Shield Write" };

/** Rulesets of the phases in which managed rulesets are executed. */
export const ZONE_WAF = {
  read: "Zone WAF Read",
  write: "Zone WAF Write",
  account: "Account WAF Read",
} as const satisfies Permissions;

/** The ruleset of custom log fields. */
export const LOGS: Permissions = { read: "Logs Read", write: "Logs Write" };

/** Log-push jobs: even to see them takes the right to write them. */
export const LOGPUSH: Permissions = { read: LOGS.write, write: LOGS.write };
