import type { Json } from "../model/json.js";

/**
 * The API has two descriptions that disagree. `service`: as the real service answers, and as its published OpenAPI
 * document says. `interface`: as the examples of the service's documentation show it, with a neutral name for the field
 * that carries the service's own. Each resource has its own differences.
 */
export type Dialect = "interface" | "service";

/** The `messages` of a failure of a request for this path. */
export function failureMessages(dialect: Dialect, path: string): Json {
  // Users of the page shield endpoints see `messages: null`, where both descriptions have a list.
  return dialect === "service" && path.includes("/page_shield") ? null : [];
}
