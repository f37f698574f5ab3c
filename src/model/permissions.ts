/** Permission groups of API tokens, as the service's dashboard names them. */
export interface Permissions {
  readonly read: string;
  readonly write: string;
  /** For reads below `/accounts/`. */
  readonly account?: string;
}

/** For listing zones. */
export const ZONE_READ = "Zone Read";

/** For an account's audit log. */
export const ACCOUNT_SETTINGS = {
  read: "Account Settings Read",
  write: "Account Settings Write",
} as const satisfies Permissions;

/** For client-side security: settings, policies and detections. */
export const PAGE_SHIELD: Permissions = { read: "Page Shield Read", write: "Page Shield Write" };

/** For a zone's TLS and security settings. */
export const ZONE_SETTINGS: Permissions = { read: "Zone Settings Read", write: "Zone Settings Write" };

/** For rulesets of the phases that execute managed rulesets. */
export const ZONE_WAF = {
  read: "Zone WAF Read",
  write: "Zone WAF Write",
  account: "Account WAF Read",
} as const satisfies Permissions;

/** For the ruleset of custom log fields. */
export const LOGS: Permissions = { read: "Logs Read", write: "Logs Write" };

/** For log-push jobs: even reading them needs the write permission. */
export const LOGPUSH: Permissions = { read: LOGS.write, write: LOGS.write };
