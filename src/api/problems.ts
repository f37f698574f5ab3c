import { NOT_ENTITLED, QUOTA_FULL } from "../model/plan.js";
import { type Problem, problem } from "../model/problem.js";
import { type Sentences, says } from "../model/sentence.js";

/** One call, as problems name it. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the base address. */
  readonly path: string;
}

export interface ApiProblem extends Problem {
  readonly http: HttpFacts;
}

export interface HttpFacts {
  /** null: no answer. */
  readonly status: number | null;
  /** The service's own error codes. */
  readonly codes: readonly number[];
  /** Whether the request reached the service. `unknown`: the connection broke after sending began. */
  readonly sent: boolean | "unknown";
  /** The quota that the call would exceed: `6 out of 5`. */
  readonly quota?: Quota;
  /** The service points at `enabled` in the body. Other pointers are not kept: they may contain anything. */
  readonly pointsAtEnabled?: true;
}

export interface Quota {
  readonly asked: number;
  readonly allowed: number;
}

export type Failure = keyof typeof FAILURES;

/** Code → fixed summary and advice. */
const FAILURES = {
  connection_refused: [
    "The service refuses the connection",
    "Check the base address, and that nothing in between blocks it.",
  ],
  dns_failure: ["The service's name cannot be resolved", "Check the base address and the network."],
  tls_failure: [
    "No secure connection to the service",
    "The certificate is not trusted here, or this is not a TLS address. A certificate authority of your own goes into NODE_EXTRA_CA_CERTS.",
  ],
  proxy_failed: [
    "No way through the proxy",
    "Check HTTPS_PROXY. What is to be reached without a proxy goes into NO_PROXY.",
  ],
  proxy_refused: [
    "The proxy refuses the connection",
    "It may ask for a user (407), as in http://USER:PASSWORD@HOST:PORT, or not allow this address. Check HTTPS_PROXY; what is to be reached without a proxy goes into NO_PROXY.",
  ],
  connection_failed: ["The service cannot be reached", "Check the base address and the network."],
  connection_lost: [
    "The connection broke before the answer was complete",
    "Try again; if it lasts, look at what stands in between.",
  ],
  not_http: ["The service does not answer in HTTP", "Check the base address and its port."],
  timeout: [
    "The service did not answer in time",
    says`Try again${{ flag: "timeout", lead: ", or give it longer with " }}.`,
  ],
  response_too_large: [
    "The answer is larger than it may be",
    "Check the base address: the API has no answers of this size.",
  ],
  redirect: [
    "The service redirects",
    "No redirect is followed, so that the credential stays where it was meant for. Check the base address.",
  ],
  not_json: [
    "The answer is not JSON",
    "Something other than the API has answered. Check the base address, and what stands in between.",
  ],
  truncated_json: [
    "The answer is damaged JSON",
    "The body is cut off or broken. Try again; if it lasts, look at what stands in between.",
  ],
  too_deep: [
    "The answer is nested too deep",
    "The API has no answers of this shape. Check the base address, and what stands in between.",
  ],
  bad_key: [
    "The answer has a key that cannot be used",
    "The API has no objects with this key. Check the base address, and what stands in between.",
  ],
  no_envelope: [
    "The answer has not the API's form",
    "Check the base address: it ends in the API's version, such as /client/v4.",
  ],
  api_error: ["The service refuses the call", "Where the service gives a reason, its message has it."],
  unauthorized: [
    "The credential is not accepted for this call",
    "The credential (CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY) is wrong, has expired, is limited to other addresses, or lacks a permission that this call needs.",
  ],
  // The advice depends on the call, so the caller adds it.
  not_entitled: ["The zone's plan at the service does not include this", ""],
  quota_full: ["The zone has as many as its plan at the service includes", ""],
  not_found: [
    "The service does not have this object",
    "The object does not exist, or the credential cannot see it.",
  ],
  no_route: [
    "The service does not know this path",
    "An id in the path belongs to nothing that the credential can see, or the base address is not the API's root: it ends in the version segment, as in /client/v4.",
  ],
  method_not_allowed: [
    "The service does not offer this call",
    "This service, or the account's plan, does not have it.",
  ],
  conflict: [
    "The call conflicts with the state at the service",
    "Something else has changed or made the object. Plan again.",
  ],
  unprocessable: [
    "The service cannot use what it was sent",
    "Where the service gives a reason, its message has it.",
  ],
  rate_limited: [
    "Too many requests",
    says`The limit counts everything of this user, the dashboard and other runs included. Wait${{ flag: "rate-limit", lead: ", or lower " }}.`,
  ],
  server_error: [
    "The service has failed",
    "Try again later; the request id helps its support to find the reason.",
  ],
  too_many_pages: ["A list has no end", "There are more pages than any list of this API can have."],
  list_too_long: ["A list is longer than is read", "No more pages of it are asked for."],
  incomplete_list: [
    "A list is not complete",
    "It may have changed while it was read: try again. If it lasts, the service does not give all that it counts.",
  ],
  not_a_list: ["The answer is not a list", "The service gave something else where the API has a list."],
} as const;

/**
 * @param middle the middle of the detail: what happened to the call, without a full stop
 * @param advice what to do, where the failure's own advice does not fit
 */
export function apiProblem(
  failure: Failure,
  call: Call,
  http: HttpFacts,
  middle: string | Sentences,
  advice: string | Sentences = FAILURES[failure][1],
): ApiProblem {
  return explain(failure, http, [`${callText(call)} `, ...[middle].flat()], advice);
}

/**
 * Why a request was not sent. The reason lies with the service, so the problem names no call and is the same for all.
 *
 * @param why without a full stop
 */
export function notSent(failure: Failure, why: string | Sentences): ApiProblem {
  return explain(failure, { status: null, codes: [], sent: false }, [why].flat(), FAILURES[failure][1]);
}

function explain(failure: Failure, http: HttpFacts, text: Sentences, advice: string | Sentences): ApiProblem {
  return { ...problem(failure, FAILURES[failure][0], [...text, ". ", ...[advice].flat()]), http };
}

/** Adds a place in the files, unless the problem has one or was not sent: unsent requests concern no single place. */
export function atPlace(reason: Problem, place: Problem["at"]): Problem {
  return isUnsent(reason) ? reason : { ...reason, at: reason.at ?? place };
}

/** Whether the request certainly did not reach the service. */
export function isUnsent(reason: Problem): boolean {
  return isApiProblem(reason) && reason.http.sent === false;
}

function callText({ method, path }: Call): string {
  return `${method} ${path.length <= 300 ? path : `${path.slice(0, 300)}…`}`;
}

export function isApiProblem(reason: Problem): reason is ApiProblem {
  return "http" in reason;
}

/**
 * Whether a failed write may have taken effect. It has certainly not where it was never sent, was refused (4xx), or was
 * redirected (3xx).
 */
export function mayHaveTakenEffect(reason: Problem): boolean {
  if (!isApiProblem(reason) || reason.http.sent === false) return false;
  const { status } = reason.http;
  return status === null || status === 408 || status < 300 || status >= 500;
}

/** Whether the service refused the value of `enabled` in the body. */
export function isAboutEnabled(reason: Problem): boolean {
  return isApiProblem(reason) && reason.http.status === 400 && reason.http.pointsAtEnabled === true;
}

/** Whether the zone's Cloudflare plan is the reason of the refusal. */
export function isOfPlan(reason: Problem): reason is ApiProblem {
  return isApiProblem(reason) && (reason.code === NOT_ENTITLED || reason.code === QUOTA_FULL);
}

/** Whether the credential is the reason of the refusal: a permission group may be missing. */
export function isDenied(reason: Problem): boolean {
  return isApiProblem(reason) && reason.code === "unauthorized";
}
