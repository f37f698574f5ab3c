import type { Json, JsonObject } from "../model/json.js";

/** A route's answer, before `envelope` wraps it. */
export type Answer =
  | { readonly as: "result"; readonly result: Json; readonly info: JsonObject | null }
  | { readonly as: "empty" }
  | { readonly as: "failure"; readonly status: number; readonly errors: readonly JsonObject[] };

/** 200 with a result, and for a list with `result_info`. */
export function result(value: Json, info: JsonObject | null = null): Answer {
  return { as: "result", result: value, info };
}

/** 204. */
export const empty: Answer = { as: "empty" };

export function failure(status: number, ...errors: readonly JsonObject[]): Answer {
  return { as: "failure", status, errors };
}

/** One item of `errors`. A code is given only where one is documented or seen: users see errors without codes. */
export function apiError(message: string, code?: number): JsonObject {
  return code === undefined ? { message } : { code, message };
}

/** An error about one value, at this JSON pointer. The official TypeScript SDK has the type of `source.pointer`. */
export type FieldError = JsonObject & {
  readonly message: string;
  readonly source: { readonly pointer: string };
};

export function fieldError(pointer: string, message: string, code?: number): FieldError {
  return { ...apiError(message, code), message, source: { pointer } };
}

export interface Enveloped {
  readonly status: number;
  /** null: no body. */
  readonly body: JsonObject | null;
}

/**
 * Wraps an answer.
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

/** The bytes that a client gets. */
export type Delivery =
  | { readonly as: "whole"; readonly message: Message }
  /** The whole body's length is announced, but the connection ends after the message's part of it. */
  | { readonly as: "cut off"; readonly message: Message; readonly announcedBytes: number }
  /** The body comes in small pieces. */
  | { readonly as: "drip"; readonly message: Message; readonly overMs: number }
  | { readonly as: "reset" }
  /** Nothing is sent, but the connection stays open. */
  | { readonly as: "nothing" };

export interface Message {
  readonly status: number;
  /** Headers besides those of every message. */
  readonly headers: { readonly [name: string]: string };
  /** A string is sent as it is. null: no body. */
  readonly body: JsonObject | string | null;
}

/** A correct answer. */
export function whole({ status, body }: Enveloped): Delivery {
  return { as: "whole", message: { status, headers: {}, body } };
}

/** Status and body of a delivery; null: none. */
export function sentIn(delivery: Delivery): {
  readonly status: number | null;
  readonly response: Json | null;
} {
  if (delivery.as === "reset" || delivery.as === "nothing") return { status: null, response: null };
  return { status: delivery.message.status, response: delivery.message.body };
}
