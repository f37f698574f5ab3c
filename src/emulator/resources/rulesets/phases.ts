/**
 * The phases of the published OpenAPI document, and two newer ones that the official TypeScript SDK lists. They are the
 * service's, and do not come from the phases that zoneward knows: a mistake there must show here.
 */
export const phases: readonly string[] = [
  "ddos_l4",
  "ddos_l7",
  "http_config_settings",
  "http_custom_errors",
  "http_log_custom_fields",
  "http_ratelimit",
  "http_request_cache_settings",
  "http_request_dynamic_redirect",
  "http_request_firewall_custom",
  "http_request_firewall_managed",
  "http_request_late_transform",
  "http_request_origin",
  "http_request_redirect",
  "http_request_sanitize",
  "http_request_sbfm",
  "http_request_select_configuration",
  "http_request_transform",
  "http_response_cache_settings",
  "http_response_compression",
  "http_response_firewall_managed",
  "http_response_headers_transform",
  "magic_transit",
  "magic_transit_ids_managed",
  "magic_transit_managed",
  "magic_transit_ratelimit",
];

/** The allowed actions. Other phases allow any. */
export const actionsOfPhase: ReadonlyMap<string, readonly string[]> = new Map([
  // The documentation: `execute` deploys rulesets, and `skip` rules are their exceptions.
  ["http_request_firewall_managed", ["execute", "skip"]],
  ["http_response_firewall_managed", ["execute", "skip"]],
  // The documentation of actions.
  [
    "http_request_firewall_custom",
    ["block", "challenge", "execute", "js_challenge", "log", "managed_challenge", "skip"],
  ],
  ["http_log_custom_fields", ["log_custom_field"]],
  ["http_ratelimit", ["block", "challenge", "js_challenge", "log", "managed_challenge"]],
]);
