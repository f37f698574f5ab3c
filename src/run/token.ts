import { cutEnd } from "../model/cut.js";
import { isObject, type Json } from "../model/json.js";
import { type Problem, problem, type Result, warning } from "../model/problem.js";

/** The credential's state at the service. */
export interface TokenState {
  /** The service's word: active, disabled, expired. Null: unknown. */
  readonly status: string | null;
  /** RFC 3339. Null: never, or unknown. */
  readonly expires: string | null;
}

/**
 * @param answer the service's verification of the token. It verifies no e-mail address and key
 * @param nowMs milliseconds since 1970
 */
export function tokenState(
  answer: Result<Json>,
  nowMs: number,
): { readonly state: TokenState; readonly problems: readonly Problem[] } {
  const unknown = { status: null, expires: null };
  if (!answer.ok || !isObject(answer.value)) return { state: unknown, problems: [] };
  const { status, expires_on: expires } = answer.value;
  const state = {
    status: typeof status === "string" ? cutEnd(status, MAX_CHARS) : null,
    expires: typeof expires === "string" ? cutEnd(expires, MAX_CHARS) : null,
  };
  const anew = "Create a new token with the permission groups that zoneward permissions lists.";
  if (state.status !== null && state.status !== "active") {
    const detail = `The service says that the token is ${state.status}. ${anew}`;
    return { state, problems: [problem("token_not_active", "Token is not active", detail)] };
  }
  const left = Date.parse(state.expires ?? "") - nowMs;
  if (!(left < SOON_MS)) return { state, problems: [] };
  const detail = `The service says that the token expires at ${state.expires}. ${anew}`;
  return { state, problems: [warning("token_expires", "Token expires soon", detail)] };
}

/** Two weeks: enough time to get a new token. */
const SOON_MS = 14 * 24 * 60 * 60 * 1000;

/** More than any word or time that the service documents here. */
const MAX_CHARS = 40;
