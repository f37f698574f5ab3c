import type { Json } from "../model/json.js";

/**
 * The API is described in two ways that disagree. `service`: as the real service answers and its published OpenAPI document has it.
 * `interface`: as the examples of the service's documentation show it, with a neutral name for the field that
 * carries the service's own. What the two do differently with a resource stands with that resource.
 */
export type Dialect = "interface" | "service";

/** The `messages` of a failure of a request for this path. */
export function failureMessages(dialect: Dialect, path: string): Json {
  // Users of the page shield endpoints see `messages: null` where both descriptions have a list.
  return dialect === "service" && path.includes("/page_shield") ? null : [];
}
