import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleepFor } from "node:timers/promises";
import { parseJson } from "../model/json-text.js";
import type { Delivery, Message } from "./answer.js";
import type { Body, Received } from "./service.js";

/** A longer body gets 413. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** A refused body is read up to here, so that its sender sees the answer. Beyond it, the connection is cut. */
const DRAIN_LIMIT_BYTES = 16 * BODY_LIMIT_BYTES;

/** Longer than clients keep idle connections, so that none is closed under a request. */
const KEEP_ALIVE_MS = 60_000;

interface Listening {
  readonly port: number;
  /** Closes open connections, too. */
  close(): Promise<void>;
}

/** Serves HTTP on loopback; port 0 is any free port. Rejects if it cannot listen. */
export async function listen(port: number, respond: (request: Received) => Delivery): Promise<Listening> {
  let rays = 0;
  const server = createServer(async (request, response) => {
    const received = await receive(request);
    rays += 1;
    if (received === null) response.destroy();
    else deliver(response, respond(received), rays);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return { port: await bind(server, port), close: () => close(server) };
}

/** null: the connection was lost, or cut for a body that is too long. */
async function receive(request: IncomingMessage): Promise<Received | null> {
  const { method = "GET", url: target = "/", headers } = request;
  const hasBody = "content-length" in headers || "transfer-encoding" in headers;
  const body: Body | null = hasBody ? await readBody(request) : { as: "not json" };
  return body === null ? null : { method, target, headers, body };
}

async function readBody(request: IncomingMessage): Promise<Body | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of request) {
      sizeBytes += chunk.length;
      if (sizeBytes > DRAIN_LIMIT_BYTES) return null;
      if (sizeBytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return sizeBytes > BODY_LIMIT_BYTES
    ? { as: "too large" }
    : parseBody(Buffer.concat(chunks).toString("utf8"));
}

function parseBody(text: string): Body {
  const parsed = parseJson(text);
  return parsed.as === "json" || parsed.as === "shadowing key" ? parsed : { as: "not json" };
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new Error(`The emulator cannot listen on 127.0.0.1:${port}: ${cause.message}`, { cause }));
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** @param ray for the `cf-ray` header of every answer, which identifies a request for the service's support */
function deliver(response: ServerResponse, delivery: Delivery, ray: number): void {
  switch (delivery.as) {
    case "whole": {
      const text = open(response, delivery.message, ray);
      // As a string: Node then sends head and body in one write.
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

/** Sets the head, and returns the body as text. */
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
