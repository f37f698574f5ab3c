import type { Json, JsonObject } from "../model/json.js";
import { type Answer, empty, result } from "./answer.js";

/**
 * The API is described in two ways that disagree. `service`: as the published OpenAPI document has it.
 * `interface`: as the examples of the service's documentation show it, with a neutral name for the field that
 * carries the service's own.
 */
export type Dialect = "interface" | "service";

/** Everything that the two dialects do differently. */
export interface Habits {
  /** The `messages` of a failure of a request for this path. */
  readonly failureMessages: (path: string) => Json;
  /** The settings field that says where browsers send their reports. */
  readonly reportingField: "use_cloudflare_reporting_endpoint" | "use_service_reporting_endpoint";
  /** Which settings the answer to an update has. */
  readonly settingsAfterUpdate: readonly string[];
  readonly policyActions: readonly string[];
  /** How an answer spells a policy's `enabled`. */
  readonly enabledOut: (enabled: boolean) => boolean | "true" | "false";
  /** null: not a spelling that a request may use. */
  readonly enabledIn: (value: unknown) => boolean | null;
  /** The `result_info` of a list of policies, which always comes whole. */
  readonly policiesInfo: (count: number) => JsonObject | null;
  readonly policyDeleted: (id: string) => Answer;
  readonly zonesInfo: (page: ZonesPage) => JsonObject;
  /** Whether creating is all that can be done with log-push jobs. */
  readonly logpushCreationOnly: boolean;
  /** Whether a job's `output_options` come back with the defaults of what they were sent without. */
  readonly logpushOutputFilled: boolean;
  /** Endpoints that it does not have, as `METHOD path`. */
  readonly notOffered: ReadonlySet<string>;
  /** Whether a list of rulesets comes in pages, where `per_page` or a cursor asks for one. */
  readonly rulesetPages: boolean;
  /** What counts in the body of a request that creates a ruleset. */
  readonly rulesetCreation: (body: JsonObject) => JsonObject;
  /** Whether a request only tries what it asks for; null: the query does not say so rightly. */
  readonly dryRun: (query: URLSearchParams) => boolean | null;
  /** The lists of names that a rule of custom log fields may have: those of headers, and those of cookies. */
  readonly customFieldLists: { readonly headers: readonly string[]; readonly cookies: readonly string[] };
  /** How many names a rule of custom log fields may have. */
  readonly customFieldLimit: { readonly names: number; readonly in: "each list" | "all lists" };
  /** The parameters of lists of detections, with what holds where they are not given; null: nothing. */
  readonly detectionParameters: ReadonlyMap<string, string | null>;
  /** Whether `page=all` asks for a list of detections in one piece. */
  readonly wholeDetections: boolean;
  /** The `total_count` of a list of detections: how many fit what is asked for, and how many there are. */
  readonly detectionsTotal: (fitting: number, all: number) => number;
  /** A script with an integrity score below this is malicious. */
  readonly maliciousBelow: number;
}

interface ZonesPage {
  readonly page: number;
  readonly per_page: number;
  readonly count: number;
  readonly total_count: number;
}

function unset(parameter: string): readonly [string, null] {
  return [parameter, null];
}

/** Those that both descriptions have. */
const describedParameters: readonly (readonly [string, string | null])[] = [
  unset("hosts"),
  ["status", "active"],
  ["page", "1"],
  ["per_page", "20"],
];

export const dialects: { readonly [name in Dialect]: Habits } = {
  service: {
    // Users of the page shield endpoints see `messages: null` where the OpenAPI document has a list.
    failureMessages: (path) => (path.includes("/page_shield") ? null : []),
    reportingField: "use_cloudflare_reporting_endpoint",
    settingsAfterUpdate: [
      "enabled",
      "updated_at",
      "use_cloudflare_reporting_endpoint",
      "use_connection_url_path",
    ],
    // The third action is newer than the published OpenAPI document; the official TypeScript SDK lists it.
    policyActions: ["allow", "log", "add_reporting_directives"],
    enabledOut: (enabled) => enabled,
    enabledIn: (value) => (typeof value === "boolean" ? value : null),
    // The document requires a result_info although the list takes no page parameters.
    policiesInfo: (count) => ({
      page: 1,
      per_page: Math.max(count, 20),
      count,
      total_count: count,
      total_pages: 1,
    }),
    // 204 without a body, in the published OpenAPI document.
    policyDeleted: () => empty,
    // The document's result_info of the zone list has no total_pages, unlike all other lists.
    zonesInfo: (page) => ({ ...page }),
    logpushCreationOnly: false,
    // The acceptance tests of the official Terraform provider get back what they have sent.
    logpushOutputFilled: false,
    notOffered: new Set(),
    // Newer than the published OpenAPI document; the official TypeScript SDK pages with cursors.
    rulesetPages: true,
    rulesetCreation: (body) => body,
    // The documentation of dry runs: `true` and `false` are the values, and others a mistake.
    dryRun: (query) => truths.get(query.get("dry_run") ?? "false") ?? null,
    // The last two are newer than the published OpenAPI document; the official TypeScript SDK lists them.
    customFieldLists: {
      headers: ["request_fields", "response_fields", "raw_response_fields", "transformed_request_fields"],
      cookies: ["cookie_fields"],
    },
    // The limit in the documentation of custom fields; the examples' text has an older one.
    customFieldLimit: { names: 100, in: "each list" },
    detectionParameters: new Map([
      ...describedParameters,
      ...["urls", "exclude_urls", "page_url", "order_by", "direction", "export"].map(unset),
      ["prioritize_malicious", "false"],
      ["exclude_cdn_cgi", "true"],
      ["exclude_duplicates", "true"],
    ]),
    wholeDetections: true,
    // The document counts here what is there without any search parameters.
    detectionsTotal: (_, all) => all,
    // The documentation says that this is the threshold at present.
    maliciousBelow: 10,
  },
  interface: {
    // Its documentation has a list in every answer.
    failureMessages: () => [],
    reportingField: "use_service_reporting_endpoint",
    // The documentation's example of an update answers with these two only.
    settingsAfterUpdate: ["enabled", "updated_at"],
    policyActions: ["allow", "log"],
    // The documentation's examples of requests and answers have the text "true".
    enabledOut: (enabled) => (enabled ? "true" : "false"),
    enabledIn: (value) => spelled.get(value) ?? null,
    policiesInfo: () => null,
    policyDeleted: (id) => result({ id }),
    zonesInfo: (page) => ({ ...page, total_pages: Math.ceil(page.total_count / page.per_page) }),
    // It documents no other operation on a job.
    logpushCreationOnly: true,
    logpushOutputFilled: false,
    // Its documentation has seven operations on rulesets and no more.
    notOffered: new Set([
      ...["GET", "DELETE"].map((method) => `${method} /zones/{zone_id}/rulesets/{ruleset_id}`),
      "POST /zones/{zone_id}/rulesets/{ruleset_id}/rules",
      "DELETE /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}",
      "PUT /zones/{zone_id}/rulesets/phases/{ruleset_phase}/entrypoint",
      "POST /accounts/{account_id}/rulesets",
      ...["PUT", "DELETE"].map((method) => `${method} /accounts/{account_id}/rulesets/{ruleset_id}`),
      "POST /accounts/{account_id}/rulesets/{ruleset_id}/rules",
      "PATCH /accounts/{account_id}/rulesets/{ruleset_id}/rules/{rule_id}",
      "DELETE /accounts/{account_id}/rulesets/{ruleset_id}/rules/{rule_id}",
      "GET /accounts/{account_id}/rulesets/phases/{ruleset_phase}/entrypoint",
      "PUT /accounts/{account_id}/rulesets/phases/{ruleset_phase}/entrypoint",
    ]),
    rulesetPages: false,
    // In its examples rules come into a ruleset with a PUT, after the POST that creates it.
    rulesetCreation: ({ rules: _, ...body }) => body,
    dryRun: () => false,
    customFieldLists: { headers: ["request_fields", "response_fields"], cookies: ["cookie_fields"] },
    customFieldLimit: { names: 40, in: "all lists" },
    // It says that further parameters exist, and not which.
    detectionParameters: new Map(describedParameters),
    wholeDetections: false,
    detectionsTotal: (fitting) => fitting,
    maliciousBelow: 50,
  },
};

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

const spelled: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ["true", true],
  ["false", false],
]);
