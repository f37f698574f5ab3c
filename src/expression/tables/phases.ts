import type { PhaseName } from "../../model/phases.js";
import type { FieldScope } from "./fields.js";

/** Where an expression is evaluated. */
export interface Phase {
  /** For a sentence: "in …". */
  readonly label: string;
  /** Why the fields of a place are missing in this phase. A place without a reason is available. */
  readonly lacks: { readonly [place in FieldScope]?: string };
}

/**
 * A phase of rulesets; the counting expressions of rate limits, which see the response; or a phase of content security
 * rules, by its old name or its new one.
 */
export type ExpressionPhase =
  | PhaseName
  | "http_ratelimit_counting"
  | "page_shield_policy"
  | "http_response_page_shield";

const { transform, error_response, ...everywhere } = {
  network: "only the network firewall has it",
  account: "only rules at the account level have it",
  rewrite: "only rewrite expressions of Transform Rules have it",
  transform: "only Transform Rules have it",
  error_response: "only response header Transform Rules and custom errors have it",
};

const elsewhere = { ...everywhere, transform, error_response };

const response = "they run before the response";

// Inferred: the service documents no list of fields for a phase.
const ofRequests: Phase = { label: "rules for requests", lacks: { ...elsewhere, response } };
const transformsOfRequests: Phase = {
  label: "Transform Rules for requests",
  lacks: { ...everywhere, error_response, response },
};
const ofResponses: Phase = { label: "rules for responses", lacks: elsewhere };

const pageShield: Phase = {
  label: "a content security rule",
  lacks: {
    ...elsewhere,
    response: "Cloudflare does not document response fields for these rules",
    body: "Cloudflare documents request bodies only for other rules",
  },
};

const phases: { readonly [name in ExpressionPhase]: Phase } = {
  http_config_settings: ofRequests,
  http_custom_errors: { label: "custom error rules", lacks: { ...everywhere, transform } },
  http_log_custom_fields: { label: "logging rules", lacks: {} },
  http_ratelimit: ofRequests,
  http_ratelimit_counting: { label: "counting expressions", lacks: elsewhere },
  http_request_cache_settings: ofRequests,
  http_request_dynamic_redirect: ofRequests,
  http_request_firewall_custom: ofRequests,
  http_request_firewall_managed: ofRequests,
  http_request_late_transform: transformsOfRequests,
  http_request_origin: ofRequests,
  http_request_transform: transformsOfRequests,
  http_response_compression: ofResponses,
  http_response_headers_transform: { label: "Transform Rules for responses", lacks: everywhere },
  page_shield_policy: pageShield,
  http_response_page_shield: pageShield,
};

/** Phases by name. */
export const PHASES: ReadonlyMap<string, Phase> = new Map(Object.entries(phases));
