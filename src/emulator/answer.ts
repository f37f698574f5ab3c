import type { Json, JsonObject } from "../model/json.js";

/** What a route answers; the envelope around it is made in one place, `envelope`. */
export type Answer =
  | { readonly as: "result"; readonly result: Json; readonly info: JsonObject | null }
  | { readonly as: "empty" }
  | { readonly as: "failure"; readonly status: number; readonly errors: readonly JsonObject[] };

/** 200 with a result, and for lists with `result_info`. */
export function result(value: Json, info: JsonObject | null = null): Answer {
  return { as: "result", result: value, info };
}

/** 204. */
export const empty: Answer = { as: "empty" };

export function failure(status: number, ...errors: readonly JsonObject[]): Answer {
  return { as: "failure", status, errors };
}

/**
 * One item of `errors`. A code is given only where one is documented or seen: users of the service see errors
 * without.
 */
export function apiError(message: string, code?: number): JsonObject {
  return code === undefined ? { message } : { code, message };
}

/** An error about one field of the body; `source.pointer` is how the official TypeScript SDK types it. */
export function fieldError(field: string, message: string, code?: number): JsonObject {
  return { ...apiError(message, code), source: { pointer: `/${field}` } };
}

export interface Enveloped {
  readonly status: number;
  /** null: no body at all. */
  readonly body: JsonObject | null;
}

/**
 * The envelope around an answer.
 *
 * @param failureMessages the `messages` of a failure
 */
export function envelope(answer: Answer, failureMessages: Json): Enveloped {
  switch (answer.as) {
    case "empty":
      return { status: 204, body: null };
    case "result": {
      const body = { result: answer.result, success: true, errors: [], messages: [] };
      return { status: 200, body: answer.info === null ? body : { ...body, result_info: answer.info } };
    }
    case "failure":
      return {
        status: answer.status,
        body: { result: null, success: false, errors: answer.errors, messages: failureMessages },
      };
  }
}
