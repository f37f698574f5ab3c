import type { IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { buildConnector, type Dispatcher, Pool } from "undici";
import type { Connection, Credential } from "./connect.js";
import type { Call, Failure } from "./problems.js";
import { openTunnel, proxyFor } from "./proxy.js";

export interface Answer {
  readonly as: "answer";
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** No answer, or half of one. */
export interface Broken {
  readonly as: "broken";
  readonly how: Failure;
  /** False: certainly not. `unknown`: it was begun. */
  readonly sent: boolean | "unknown";
  readonly why: string;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to the service. The only file that loads undici: it is slow to start. */
export class Wire {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #headersWithBody: Readonly<Record<string, string>>;

  constructor(connection: Connection) {
    const { origin, pathname } = new URL(connection.baseUrl);
    this.#origin = origin;
    this.#prefix = pathname === "/" ? "" : pathname;
    this.#timeoutMs = connection.timeoutMs;
    this.#maxBodyBytes = connection.maxBodyBytes;
    this.#headers = {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": connection.userAgent,
      ...connection.headers,
      ...credentialHeaders(connection.credential),
    };
    this.#headersWithBody = { ...this.#headers, "content-type": "application/json" };
    this.#dispatcher = dispatcherFor(origin, connection);
  }

  /** One request and its answer. Redirects are not followed; an answer's body is always read to its end. */
  send({ method, path }: Call, body: string | null): Promise<Answer | Broken> {
    if (!SENDABLE.test(path)) throw new Error("what goes into a path is checked or encoded before");
    return new Promise((resolve) => {
      const headers = body === null ? this.#headers : this.#headersWithBody;
      const request = { origin: this.#origin, method, path: this.#prefix + path, headers, body };
      this.#dispatcher.dispatch(request, reception(this.#timeoutMs, this.#maxBodyBytes, resolve));
    });
  }

  /** Lets requests under way end. */
  close(): Promise<void> {
    return this.#dispatcher.close();
  }
}

/** Segments as ids and the API's own words have them, and a query that is encoded. Nothing leads up or elsewhere. */
const SENDABLE = /^(?:\/[A-Za-z0-9_-]+)+(?:\?[A-Za-z0-9_.~%&=,*!'()-]*)?$/;

function credentialHeaders(credential: Credential): Readonly<Record<string, string>> {
  switch (credential.as) {
    case "token":
      return { authorization: `Bearer ${credential.token}` };
    case "key":
      return { "x-auth-email": credential.email, "x-auth-key": credential.key };
  }
}

function dispatcherFor(
  origin: string,
  { concurrency, timeoutMs, maxBodyBytes, proxy }: Connection,
): Dispatcher {
  const connectTimeoutMs = Math.min(timeoutMs, CONNECT_TIMEOUT_MS);
  const through = proxy === undefined ? null : proxyFor(origin, proxy);
  return new Pool(origin, {
    connections: concurrency,
    pipelining: 1,
    // An idle connection is given up before the other side would close it under the next request.
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxBodyBytes,
    allowH2: false,
    connect: through === null ? { timeout: connectTimeoutMs } : connectorThrough(through, connectTimeoutMs),
  });
}

/** With the service, TLS is spoken inside the proxy's tunnel. */
function connectorThrough(proxy: URL, timeoutMs: number): buildConnector.connector {
  const speakTls = buildConnector({ timeout: timeoutMs });
  return (target, done) => {
    const { host = target.hostname, port } = target;
    openTunnel(proxy, port === "" ? `${host}:443` : host, timeoutMs, (outcome) => {
      if (outcome instanceof Error) done(outcome, null);
      else speakTls({ ...target, httpSocket: outcome }, done);
    });
  };
}

/** Collects one answer. One timer covers all of it; undici's own cover connecting and silence, not slowness. */
function reception(
  timeoutMs: number,
  maxBodyBytes: number,
  done: (outcome: Answer | Broken) => void,
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let begun: Dispatcher.DispatchController | null = null;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    done({
      as: "broken",
      how: "timeout",
      sent: sent(),
      why: `no complete answer within ${timeoutMs / 1000} s`,
    });
    begun?.abort(new Error("timeout"));
  }, timeoutMs);
  const sent = () => (begun === null ? false : status > 0 || "unknown");

  return {
    // Called when a connection stands and before the first byte is written to it: before, nothing was sent.
    onRequestStart(controller) {
      if (late) controller.abort(new Error("timeout"));
      else begun = controller;
    },
    onResponseStart(_controller, statusCode, responseHeaders) {
      status = statusCode;
      headers = responseHeaders;
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
    },
    onResponseEnd() {
      clearTimeout(timer);
      const body = decoded(Buffer.concat(chunks), headerText(headers, "content-encoding"), maxBodyBytes);
      if (body.as === "bytes") done({ as: "answer", status, headers, body: body.bytes.toString("utf8") });
      else done({ as: "broken", how: body.how, sent: true, why: body.why });
    },
    onResponseError(_controller, error) {
      clearTimeout(timer);
      done({ as: "broken", how: kindOf(error, begun !== null), sent: sent(), why: reasonOf(error) });
    },
  };
}

const KINDS: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: "connection_refused",
  ENOTFOUND: "dns_failure",
  EAI_AGAIN: "dns_failure",
  EAI_FAIL: "dns_failure",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "response_too_large",
  UND_ERR_HEADERS_OVERFLOW: "response_too_large",
  EPROTO: "tls_failure",
  proxy_failed: "proxy_failed",
  proxy_refused: "proxy_refused",
};

/** Node's own, and those that it has from OpenSSL for what is wrong with a certificate. */
const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|PATH_LENGTH_|INVALID_(CA|PURPOSE)$|HOSTNAME_)/;

function kindOf(error: Error, begun: boolean): Failure {
  const code = codeOf(error);
  const known = KINDS[code];
  if (known !== undefined) return known;
  if (TLS_CODES.test(code)) return "tls_failure";
  // The parser's errors come with and without a code.
  if (error.name === "HTTPParserError") return "not_http";
  return begun ? "connection_lost" : "connection_failed";
}

/** A name with several addresses fails with one error for each. */
function codeOf(error: Error): string {
  if ("code" in error && typeof error.code === "string") return error.code;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? codeOf(first) : "";
}

function reasonOf(error: Error): string {
  if (error.message !== "") return error.message;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : codeOf(error);
}

type Decoded =
  | { readonly as: "bytes"; readonly bytes: Buffer }
  | { readonly as: "broken"; readonly how: Failure; readonly why: string };

/**
 * A body without its content coding. The program asks for none, and something in between may not care. What is packed
 * small may be huge, so the limit is that of what comes out.
 */
function decoded(body: Buffer, coding: string, limitBytes: number): Decoded {
  const unpack = UNPACK[coding.toLowerCase()];
  if (coding === "" || /^identity$/i.test(coding) || body.length === 0) return { as: "bytes", bytes: body };
  if (unpack === undefined)
    return { as: "broken", how: "not_json", why: "its body is packed in an unknown way" };
  try {
    return { as: "bytes", bytes: unpack(body, { maxOutputLength: limitBytes }) };
  } catch (cause) {
    // Of what is no packed data at all, the error is of another kind.
    return cause instanceof RangeError
      ? { as: "broken", how: "response_too_large", why: "its body is larger once it is unpacked" }
      : { as: "broken", how: "truncated_json", why: "its body cannot be unpacked" };
  }
}

const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Empty: there is none. One that came several times is a list. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name] ?? "";
  return (typeof value === "string" ? value : value.join(", ")).trim();
}

/**
 * How long until the date that a header has, by the service's clock, where it tells it: the one here may be off.
 * Negative: it is past. Null: it is not a date.
 */
export function untilMs(headers: IncomingHttpHeaders, name: string, nowMs: number): number | null {
  const then = httpDateMs(headerText(headers, name));
  return then === null ? null : then - (httpDateMs(headerText(headers, "date")) ?? nowMs);
}

/** Milliseconds since 1970 of a date as HTTP has it (RFC 9110, section 5.6.7); null: it is none. */
export function httpDateMs(text: string): number | null {
  const whole = AS_C_WRITES_IT.test(text) ? `${text} GMT` : text;
  const ms = whole.endsWith(" GMT") ? Date.parse(whole) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** It is in UTC too, and does not say so. */
const AS_C_WRITES_IT = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** What an answer says of a limit of the service: for so long, no more than these requests remain. */
export interface Countdown {
  readonly remaining: number;
  readonly forMs: number;
}

/** A longer countdown is not a rate limit of this service. */
const LONGEST_MS = 86_400_000;

/** Seconds are whole, and what was cut off from them may be nearly one more. */
const ROUNDED_OFF_MS = 1000;

/**
 * Documented are `x-ratelimit-remaining` with a date in `x-ratelimit-reset`, and a newer `ratelimit` list in which
 * `r` is what remains and `t` the seconds. What is not complete, or makes no sense, says nothing.
 */
export function countdownsIn(headers: IncomingHttpHeaders, nowMs: number): readonly Countdown[] {
  const listed = headerText(headers, "ratelimit")
    .split(",", 20)
    .map((item) => ({ remaining: parameter(item, "r"), untilMs: parameter(item, "t") * 1000 }));
  const remaining = whole(headerText(headers, "x-ratelimit-remaining"));
  const all = [...listed, { remaining, untilMs: untilMs(headers, "x-ratelimit-reset", nowMs) ?? Number.NaN }];
  return all.flatMap((each) =>
    !Number.isNaN(each.remaining) && each.untilMs >= 0 && each.untilMs <= LONGEST_MS
      ? [{ remaining: Math.max(0, each.remaining), forMs: each.untilMs + ROUNDED_OFF_MS }]
      : [],
  );
}

function parameter(item: string, name: keyof typeof PARAMETERS): number {
  const [, value = ""] = PARAMETERS[name].exec(item) ?? [];
  return whole(value.trimEnd());
}

const PARAMETERS = { r: /(?:^|;)\s*r=([^;=]*)/, t: /(?:^|;)\s*t=([^;=]*)/ };

/** NaN: it is not a whole number. */
function whole(text: string): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
