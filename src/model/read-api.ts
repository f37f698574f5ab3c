import type { Json } from "./json.js";
import type { Result } from "./problem.js";

/** How a list answers: whole, or in pages of at most this many. */
export type Paging = "whole" | { readonly perPage: number };

/**
 * All that planning may do to the service. It has no way to write, so a preview cannot.
 *
 * Paths are relative to the base address and start with `/`: `/zones/{id}/page_shield`. Their segments are
 * already checked and encoded.
 */
export interface ReadApi {
  /** The `result` of the envelope. A failed read is a problem, never an absent object. */
  get(path: string): Promise<Result<Json>>;
  /** The items of all pages. */
  list(path: string, paging: Paging): Promise<Result<readonly Json[]>>;
}
