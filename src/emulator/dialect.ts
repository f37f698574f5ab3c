import type { JsonObject } from "../model/json.js";
import { type Answer, empty, result } from "./answer.js";

/**
 * The API is described in two ways that disagree. `service`: as the published OpenAPI document has it.
 * `interface`: as the examples of the service's documentation show it, with a neutral name for the field that
 * carries the service's own.
 */
export type Dialect = "interface" | "service";

/** Everything that the two dialects do differently. */
export interface Habits {
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
}

interface ZonesPage {
  readonly page: number;
  readonly per_page: number;
  readonly count: number;
  readonly total_count: number;
}

export const dialects: { readonly [name in Dialect]: Habits } = {
  service: {
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
  },
  interface: {
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
  },
};

const spelled: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ["true", true],
  ["false", false],
]);
