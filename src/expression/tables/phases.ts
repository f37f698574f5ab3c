import type { Place } from "./fields.js";

/** Where an expression is evaluated. */
export interface Phase {
  /** For a sentence: "in …". */
  readonly label: string;
  /** Why the fields of a place are missing in this phase. A place without a reason is available. */
  readonly lacks: { readonly [place in Place]?: string };
}

const elsewhere = {
  network: "only the network firewall has it",
  account: "only rules at the account level have it",
  rewrite: "only rewrite expressions of Transform Rules have it",
  transform: "only Transform Rules have it",
  error_response: "only response header Transform Rules and custom errors have it",
};

/** Inferred: the service documents no list of fields for either. */
const managed: Phase = {
  label: "rules for requests",
  lacks: { ...elsewhere, response: "they run before the response" },
};

const pageShield: Phase = {
  label: "a content security rule",
  lacks: {
    ...elsewhere,
    response: "Cloudflare does not document response fields for these rules",
    body: "Cloudflare documents request bodies only for other rules",
  },
};

/** Phases by name. */
export const PHASES: ReadonlyMap<string, Phase> = new Map([
  ["http_request_firewall_managed", managed],
  ["page_shield_policy", pageShield],
  ["http_response_page_shield", pageShield],
  ["http_log_custom_fields", { label: "logging rules", lacks: {} }],
]);
