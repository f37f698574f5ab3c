import type { IncomingHttpHeaders } from "node:http";
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

/** No answer, or a truncated one. */
export interface Broken {
  readonly as: "broken";
  readonly how: Failure;
  /** False: certainly not sent. `unknown`: sending began. */
  readonly sent: boolean | "unknown";
  readonly why: string;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to the service. The only file that loads undici, which is slow to start. */
export class Wire {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #headersWithBody: Readonly<Record<string, string>>;

  constructor(connection: Connection) {
    const { origin, pathname } = new URL(connection.baseUrl);
    this.#origin = origin;
    this.#prefix = pathname === "/" ? "" : pathname;
    this.#timeoutMs = connection.timeoutMs;
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

  /** One request and its answer. Redirects are not followed. An answer's body is always read to its end. */
  send({ method, path }: Call, body: string | null): Promise<Answer | Broken> {
    if (!SENDABLE.test(path)) throw new Error("what goes into a path is checked or encoded before");
    return new Promise((resolve) => {
      const headers = body === null ? this.#headers : this.#headersWithBody;
      const request = { origin: this.#origin, method, path: this.#prefix + path, headers, body };
      this.#dispatcher.dispatch(request, reception(this.#timeoutMs, resolve));
    });
  }

  /** Lets running requests end. */
  close(): Promise<void> {
    return this.#dispatcher.close();
  }
}

/** Path segments of ids and API words, and an encoded query. Dots cannot lead out of the API. */
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
    // Give up an idle connection before the other side closes it under the next request.
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxBodyBytes,
    allowH2: false,
    connect: through === null ? { timeout: connectTimeoutMs } : connectorThrough(through, connectTimeoutMs),
  });
}

/** TLS with the service runs inside the proxy's tunnel. */
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

/** Collects one answer under one timer. Undici's own timers cover connecting and silence, not slow answers. */
function reception(timeoutMs: number, onEnd: (outcome: Answer | Broken) => void): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let request: Dispatcher.DispatchController | null = null;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    onEnd({
      as: "broken",
      how: "timeout",
      sent: reached(),
      why: `no complete answer within ${timeoutMs / 1000} s`,
    });
    request?.abort(new Error("timeout"));
  }, timeoutMs);
  const reached = () => (request === null ? false : status > 0 || "unknown");

  return {
    // Called once connected, before the first byte is written: until then, nothing was sent.
    onRequestStart(controller) {
      if (late) controller.abort(new Error("timeout"));
      else request = controller;
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
      const body = Buffer.concat(chunks).toString("utf8");
      // The client asks for no content coding.
      if (body === "" || /^(identity)?$/i.test(headerText(headers, "content-encoding")))
        onEnd({ as: "answer", status, headers, body });
      else onEnd({ as: "broken", how: "not_json", sent: true, why: "its body has an unknown encoding" });
    },
    onResponseError(_controller, error) {
      clearTimeout(timer);
      onEnd({ as: "broken", how: kindOf(error, request !== null), sent: reached(), why: reasonOf(error) });
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

/** Codes of Node, and codes that Node takes from OpenSSL for certificate errors. */
const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|PATH_LENGTH_|INVALID_(CA|PURPOSE)$|HOSTNAME_)/;

function kindOf(error: Error, hasBegun: boolean): Failure {
  const code = codeOf(error);
  const failure = KINDS[code];
  if (failure !== undefined) return failure;
  if (TLS_CODES.test(code)) return "tls_failure";
  // The parser's errors come with and without a code.
  if (error.name === "HTTPParserError") return "not_http";
  return hasBegun ? "connection_lost" : "connection_failed";
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

/** Empty: absent. A repeated header is joined. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name] ?? "";
  return (typeof value === "string" ? value : value.join(", ")).trim();
}

/**
 * How long until the date in a header, by the service's clock where it sends one: the local clock may be off. Negative:
 * past. Null: not a date.
 */
export function untilMs(headers: IncomingHttpHeaders, name: string, nowMs: number): number | null {
  const then = httpDateMs(headerText(headers, name));
  return then === null ? null : then - (httpDateMs(headerText(headers, "date")) ?? nowMs);
}

/** Milliseconds since 1970 of an HTTP date (RFC 9110, section 5.6.7); null: not a date. */
export function httpDateMs(text: string): number | null {
  const ms = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** A limit that an answer announces: for this long, no more than these requests remain. */
export interface Countdown {
  readonly remaining: number;
  readonly forMs: number;
}

/** A longer countdown is not a rate limit of this service. */
const LONGEST_MS = 86_400_000;

/** Seconds are rounded down, by up to nearly one. */
const ROUNDED_OFF_MS = 1000;

/**
 * Documented: `x-ratelimit-remaining` with a date in `x-ratelimit-reset`, and a newer `ratelimit` list with `r` for the
 * remaining requests and `t` for the seconds. Incomplete or absurd values are ignored.
 */
export function countdownsIn(headers: IncomingHttpHeaders, nowMs: number): readonly Countdown[] {
  const listed = headerText(headers, "ratelimit")
    .split(",", 20)
    .map((item) => ({ remaining: parameter(item, "r"), untilMs: parameter(item, "t") * 1000 }));
  const remaining = whole(headerText(headers, "x-ratelimit-remaining"));
  const resetMs = untilMs(headers, "x-ratelimit-reset", nowMs) ?? Number.NaN;
  const countdowns = [...listed, { remaining, untilMs: resetMs }];
  return countdowns.flatMap((countdown) =>
    !Number.isNaN(countdown.remaining) && countdown.untilMs >= 0 && countdown.untilMs <= LONGEST_MS
      ? [{ remaining: Math.max(0, countdown.remaining), forMs: countdown.untilMs + ROUNDED_OFF_MS }]
      : [],
  );
}

function parameter(item: string, name: keyof typeof PARAMETERS): number {
  const [, value = ""] = PARAMETERS[name].exec(item) ?? [];
  return whole(value.trimEnd());
}

const PARAMETERS = { r: /(?:^|;)\s*r=([^;=]*)/, t: /(?:^|;)\s*t=([^;=]*)/ };

/** NaN: not a whole number. */
function whole(text: string): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
