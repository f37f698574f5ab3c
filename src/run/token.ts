import { cutEnd } from "../model/cut.js";
import { isObject, type Json } from "../model/json.js";
import { type Problem, problem, type Result, warning } from "../model/problem.js";

/** What the service says of the credential. */
export interface TokenState {
  /** As the service words it: active, disabled, expired. Null: it does not say. */
  readonly status: string | null;
  /** RFC 3339; null: never, or the service does not say. */
  readonly expires: string | null;
}

/**
 * @param answer of the service, asked whether the token is accepted. Of an email and a key it does not say: that reads are
 *   accepted shows.
 * @param nowMs the time, in milliseconds since 1970
 */
export function tokenState(
  answer: Result<Json>,
  nowMs: number,
): { readonly state: TokenState; readonly problems: readonly Problem[] } {
  const unsaid = { status: null, expires: null };
  if (!answer.ok || !isObject(answer.value)) return { state: unsaid, problems: [] };
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

/** Two weeks: time to have another one made. */
const SOON_MS = 14 * 24 * 60 * 60 * 1000;

/** More than any word or time that the service documents here. */
const MAX_CHARS = 40;
