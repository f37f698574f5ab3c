import type { ServerResponse } from "node:http";
import { setTimeout as sleepFor } from "node:timers/promises";
import type { Delivery, Message } from "./delivery.js";

/** @param ray makes the `cf-ray` that every answer carries, by which the service's support finds a request */
export function deliver(response: ServerResponse, delivery: Delivery, ray: number): void {
  switch (delivery.as) {
    case "whole": {
      const text = open(response, delivery.message, ray);
      // As text, not bytes: Node then sends head and body in one write.
      if (text === null) response.end();
      else response.end(text);
      return;
    }
    case "cut off": {
      const text = open(response, delivery.message, ray) ?? "";
      response.setHeader("content-length", delivery.announcedBytes);
      response.write(text, () => response.destroy());
      return;
    }
    case "drip": {
      const text = open(response, delivery.message, ray) ?? "";
      void drip(response, Buffer.from(text), delivery.overMs);
      return;
    }
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "nothing":
      return;
  }
}

/** Sets the head, and gives the body as text. */
function open(response: ServerResponse, { status, headers, body }: Message, ray: number): string | null {
  response.statusCode = status;
  response.setHeader("cf-ray", `${ray.toString(16).padStart(16, "0")}-LOC`);
  const text = body === null || typeof body === "string" ? body : JSON.stringify(body);
  if (text !== null) {
    response.setHeader("content-type", "application/json");
    response.setHeader("content-length", Buffer.byteLength(text));
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return text;
}

const PIECES = 20;

async function drip(response: ServerResponse, bytes: Buffer, overMs: number): Promise<void> {
  const sizeBytes = Math.max(1, Math.ceil(bytes.length / PIECES));
  response.flushHeaders();
  for (let at = 0; at < bytes.length && !response.destroyed; at += sizeBytes) {
    await sleepFor(overMs / PIECES, undefined, { ref: false });
    if (!response.destroyed) response.write(bytes.subarray(at, at + sizeBytes));
  }
  response.end();
}
