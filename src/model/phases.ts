import { LOGS, type Permissions, ZONE_WAF } from "./permissions.js";

/** The phases whose rules a zone can have, each with the permission groups for its rulesets (the documentation). */
export const phasePermissions = {
  http_config_settings: group("Config Settings"),
  http_custom_errors: group("Custom Errors"),
  http_log_custom_fields: LOGS,
  http_ratelimit: group("Zone WAF"),
  http_request_cache_settings: group("Cache Settings"),
  http_request_dynamic_redirect: group("Dynamic URL Redirects"),
  http_request_firewall_custom: group("Zone WAF"),
  http_request_firewall_managed: ZONE_WAF,
  http_request_late_transform: group("Zone Transform Rules"),
  http_request_origin: group("Origin"),
  http_request_transform: group("Zone Transform Rules"),
  http_response_compression: group("Response Compression"),
  http_response_headers_transform: group("Zone Transform Rules"),
} as const satisfies { readonly [phase: string]: Permissions };

/** A phase that a kind can have its rules in. */
export type PhaseName = keyof typeof phasePermissions;

function group(name: string): Permissions {
  return { read: `${name} Read`, write: `${name} Write` };
}
