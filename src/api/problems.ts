import type { Permissions } from "../model/permissions.js";
import { NOT_ENTITLED, QUOTA_FULL } from "../model/plan.js";
import { failed, type Problem, problem, type Result, remarked, rephrased } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
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
    "Connection refused by the service",
    "Check the base address and the firewalls on the way.",
  ],
  dns_failure: ["Host name of the service not found", "Check the base address and the network."],
  tls_failure: [
    "No secure connection to the service",
    "The certificate is not trusted here, or the address does not speak TLS. Name your own certificate authority in NODE_EXTRA_CA_CERTS.",
  ],
  proxy_failed: [
    "Cannot connect through the proxy",
    "Check HTTPS_PROXY. Name hosts to reach without a proxy in NO_PROXY.",
  ],
  proxy_refused: [
    "Request refused by the proxy",
    "Check HTTPS_PROXY. The proxy may need a user name and a password in that URL (407), or forbid this address. Name hosts to reach without a proxy in NO_PROXY.",
  ],
  connection_failed: ["Cannot reach the service", "Check the base address and the network."],
  connection_lost: [
    "Connection broke during the answer",
    "Try again. If it lasts, check the proxies on the way.",
  ],
  not_http: ["Answer is not HTTP", "Check the base address and its port."],
  timeout: ["Service timed out", says`Try again${{ flag: "timeout", lead: ", or wait longer with " }}.`],
  response_too_large: ["Answer too large", "Check the base address: the API has no answers of this size."],
  redirect: [
    "Service redirects",
    "Check the base address. Redirects are not followed, to keep the credential at its address.",
  ],
  not_json: [
    "Answer is not JSON",
    "Check the base address and the proxies on the way: something other than the API answered.",
  ],
  truncated_json: [
    "Answer is damaged JSON",
    "Try again. If it lasts, check the proxies on the way: the body is cut off.",
  ],
  too_deep: [
    "Answer nested too deep",
    "Check the base address and the proxies on the way: the API has no such answers.",
  ],
  bad_key: [
    "Answer has a reserved key",
    "Check the base address and the proxies on the way: the API has no such key.",
  ],
  no_envelope: [
    "Answer is not from the API",
    "Check the base address: it ends in the API's version, such as /client/v4.",
  ],
  api_error: ["Call refused by the service", ""],
  unauthorized: [
    "Permission denied",
    "Check the credential (CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY): it is wrong, expired, limited to other addresses, or lacks a permission for this call.",
  ],
  token_rejected: ["Token rejected for every call", ""],
  // The advice depends on the call, so the caller adds it.
  not_entitled: ["Not in the zone's Cloudflare plan", ""],
  quota_full: ["Quota of the zone's Cloudflare plan is full", ""],
  not_found: ["Object not found", "The object does not exist, or is not visible to this token."],
  no_route: [
    "Path not found",
    "An id in the path is not visible to this token, or the base address is wrong: it ends in the API's version, such as /client/v4.",
  ],
  method_not_allowed: [
    "Call not available",
    "The service or the account's Cloudflare plan does not offer it.",
  ],
  conflict: ["Conflict with the live state", "Plan again: the object was changed or created meanwhile."],
  unprocessable: ["Request rejected by the service", ""],
  rate_limited: [
    "Rate limited",
    says`The limit counts all requests of this user, also from the dashboard and other runs. Wait${{ flag: "rate-limit", lead: ", or lower " }}.`,
  ],
  server_error: ["Service error", "Try again later. Give the request id to Cloudflare's support."],
  too_many_pages: ["List has no end", "It has more pages than any list of this API."],
  list_too_long: ["List too long", "Its further pages are not read."],
  incomplete_list: ["List is incomplete", "Try again: it may have changed during the read."],
  not_a_list: ["Answer is not a list", "The API has a list here."],
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
  const end = advice === "" ? ["."] : [". ", ...[advice].flat()];
  return { ...problem(failure, FAILURES[failure][0], [...text, ...end]), http };
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

/** A refusal with the permission that the call needs. The general advice about credentials would only repeat that. */
export function needing(reason: Problem, advice: string): Problem {
  if (!isDenied(reason)) return reason;
  const fact = rephrased(reason, (text) => text.replace(` ${FAILURES.unauthorized[1]}`, ""));
  return remarked(fact, { before: `${advice} ` });
}

/** The same reads, whose refusals name the permission group that the call needs. */
export function namingPermissions(api: ReadApi, { read, account }: Permissions): ReadApi {
  const needed = (path: string) => (path.startsWith("/accounts/") ? (account ?? read) : read);
  const named = <T>(path: string, answer: Result<T>): Result<T> =>
    answer.ok ? answer : failed(...answer.problems.map((each) => naming(each, needed(path))));
  return {
    get: async (path, asking) => named(path, await api.get(path, asking)),
    list: async (path, paging) => named(path, await api.list(path, paging)),
  };
}

/** Adds the permission group that the call needs to a refusal. */
export function naming(reason: Problem, permission: string): Problem {
  return needing(reason, `Give the token the permission group ${permission}.`);
}

/**
 * In place of each refusal where the credential is rejected: it names no call, so it is shown once.
 *
 * @param variables where the credential comes from
 */
export function rejected(variables: string): ApiProblem {
  const why = "The service denied all calls: the credential is wrong, expired, or limited to other addresses";
  return explain("token_rejected", { status: null, codes: [], sent: false }, [why], `Check ${variables}.`);
}
