import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, type ClientIo } from "../../src/api/client.js";
import type { Connection } from "../../src/api/connect.js";
import type { HttpFacts } from "../../src/api/problems.js";
import { isApiProblem } from "../../src/api/problems.js";
import type { Json } from "../../src/model/json.js";
import type { Problem, Result } from "../../src/model/problem.js";

/** A secret that no output may contain. */
export const CANARY = "canary-7f3a9c5e1b";

export type Respond = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

export interface Served {
  readonly baseUrl: string;
  /** Method and target of each request. */
  readonly seen: readonly string[];
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

/** A server on the loopback address. `nth` counts its requests from 1. */
export async function serve(respond: Respond): Promise<Served> {
  const requests: IncomingMessage[] = [];
  const seen: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    respond(request, response, requests.length);
  });
  return {
    baseUrl: `http://127.0.0.1:${await listening(server)}`,
    seen,
    requests,
    close: () => closed(server),
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)); // The server listens on TCP, so its address is an object.
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export function answer(
  response: ServerResponse,
  status: number,
  body: Json | string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "cf-ray": "8f00d-LOC", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export function success(result: Json, info?: Json): Json {
  const envelope = { result, success: true, errors: [], messages: [] };
  return info === undefined ? envelope : { ...envelope, result_info: info };
}

/** The same service, which accepts the credential. */
export function accepting(respond: Respond): Respond {
  return (request, response, nth) =>
    request.url?.endsWith("/user/tokens/verify")
      ? answer(response, 200, success({ status: "active" }))
      : respond(request, response, nth);
}

export function refusal(...errors: readonly Json[]): Json {
  return { result: null, success: false, errors, messages: [] };
}

export function connection(baseUrl: string, other: Partial<Connection> = {}): Connection {
  return {
    baseUrl,
    credential: { as: "token", token: CANARY },
    concurrency: 4,
    rates: [],
    timeoutMs: 5000,
    maxWaitMs: 330_000,
    maxBodyBytes: 1024 * 1024,
    userAgent: "zoneward-test",
    ...other,
  };
}

/** A client that never really sleeps. `slept` records the pauses. */
export function impatient(at: Connection, io: Partial<ClientIo> = {}): { client: Client; slept: number[] } {
  const slept: number[] = [];
  let nowMs = Date.UTC(2026, 0, 1);
  const sleep = async (ms: number) => {
    slept.push(ms);
    nowMs += ms;
  };
  return { client: new Client(at, { now: () => nowMs, sleep, random: () => 0.5, ...io }), slept };
}

/** The only problem of a failed call. */
export function problemOf(result: Result<unknown>): Problem & { readonly http: HttpFacts } {
  if (result.ok) throw new Error(`expected a failure, got ${JSON.stringify(result.value)}`);
  const [first, second] = result.problems;
  if (first === undefined || second !== undefined) throw new Error("expected one problem");
  if (!isApiProblem(first)) throw new Error(`not a problem of an API call: ${first.code}`);
  return first;
}
