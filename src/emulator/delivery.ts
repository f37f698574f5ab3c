import type { Json, JsonObject } from "../model/json.js";
import type { Enveloped } from "./answer.js";

/** What comes over the wire after a request. */
export type Delivery =
  | { readonly as: "whole"; readonly message: Message }
  /** The length of the whole body is announced; what the message has of it is sent, then the connection ends. */
  | { readonly as: "cut off"; readonly message: Message; readonly announcedBytes: number }
  /** The body comes in small pieces. */
  | { readonly as: "drip"; readonly message: Message; readonly overMs: number }
  /** The connection is reset; nothing is sent. */
  | { readonly as: "reset" }
  /** Nothing is sent, and the connection stays open. */
  | { readonly as: "nothing" };

export interface Message {
  readonly status: number;
  /** Those beside the ones that every message has. */
  readonly headers: { readonly [name: string]: string };
  /** A text: as it stands. null: none. */
  readonly body: JsonObject | string | null;
}

/** The answer as it should be. */
export function whole({ status, body }: Enveloped): Delivery {
  return { as: "whole", message: { status, headers: {}, body } };
}

/** Status and body of what is sent; null where there is none. */
export function sentIn(delivery: Delivery): {
  readonly status: number | null;
  readonly response: Json | null;
} {
  if (delivery.as === "reset" || delivery.as === "nothing") return { status: null, response: null };
  return { status: delivery.message.status, response: delivery.message.body };
}
