import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { MAX_LEVELS, type ParsedJson, parseJson } from "../model/json-text.js";
import { failed, ok, type Result } from "../model/problem.js";
import { type ApiProblem, apiProblem, type Call, type Failure, type Quota } from "./problems.js";
import type { Cleaner } from "./redact.js";
import type { Answer } from "./wire.js";

/** What an envelope of success holds. */
export interface Contents {
  readonly result: Json;
  /** `result_info`, which only lists have, and not all of them. */
  readonly info: JsonObject | null;
}

const NOTHING: Contents = { result: null, info: null };

/**
 * Opens an answer. Generous where users of the service have seen it vary: lists of errors and messages that are
 * null or absent, errors without a code, writes that are answered with an empty body or without a result. Strict
 * about success: a status of 2xx and `success: true`, and for a read a `result`.
 */
export function open(call: Call, answer: Answer, clean: Cleaner): Result<Contents> {
  const parsed = parseJson(answer.body);
  const envelope = parsed.as === "json" ? parsed.value : undefined;
  const taken = answer.status >= 200 && answer.status < 300;
  if (taken && answer.body === "" && call.method !== "GET") return ok(NOTHING);
  if (taken && isObject(envelope) && envelope.success === true) {
    const { result, result_info: info } = envelope;
    if (result !== undefined) return ok({ result, info: isObject(info) ? info : null });
    if (call.method !== "GET") return ok(NOTHING);
  }
  return failed(refusal(call, answer, parsed, clean));
}

/** What is wrong with an answer that is not one of success. */
function refusal(call: Call, answer: Answer, parsed: ParsedJson, clean: Cleaner): ApiProblem {
  const { status, headers } = answer;
  const said = parsed.as === "json" && isObject(parsed.value) ? saidBy(parsed.value) : [];
  const codes = said.flatMap((each) => each.codes);
  const pointsAtEnabled = said.some(({ pointer }) => pointer === "/enabled");
  const quota = quotaIn(said);
  const failure = failureOf(answer, parsed, said, quota);
  const ray = typeof headers["cf-ray"] === "string" ? ` (request id ${clean(headers["cf-ray"], 64)})` : "";
  const content = contentText(failure, answer, parsed, said, clean);
  return apiProblem(
    failure,
    call,
    {
      status,
      codes,
      sent: true,
      ...(quota === null ? {} : { quota }),
      ...(pointsAtEnabled ? { pointsAtEnabled } : {}),
    },
    `was answered with HTTP ${status}${ray}${content}`,
    failure === "no_envelope" && isEnvelope(parsed) ? CHANGED_ON_THE_WAY : undefined,
  );
}

/** For what is an envelope of the API, so the base address is right. */
const CHANGED_ON_THE_WAY =
  "The API gives what was asked for, or says why not: something in between may have changed the answer. Try again; if it lasts, look at what stands in between.";

function isEnvelope(parsed: ParsedJson): boolean {
  if (parsed.as !== "json" || !isObject(parsed.value)) return false;
  const { value } = parsed;
  return ["success", "result", "errors"].some((name) => Object.hasOwn(value, name));
}

/**
 * The status decides, then the service's codes. A status that may mean that something is absent, or is refused,
 * counts only where the API itself says it: an error page of something in between must not look like an absent
 * object.
 */
function failureOf(
  { status, body }: Answer,
  parsed: ParsedJson,
  said: readonly Said[],
  quota: Quota | null,
): Failure {
  const codes = said.flatMap((each) => each.codes);
  if (status === 429) return "rate_limited";
  if (status >= 500) return "server_error";
  if (status === 401) return "unauthorized";
  if (status >= 300 && status < 400) return "redirect";
  if (parsed.as === "too deep") return "too_deep";
  if (parsed.as === "shadowing key") return "bad_key";
  if (parsed.as === "not json") return /^\s*[{[]/.test(body) ? "truncated_json" : "not_json";
  if (!isObject(parsed.value) || !isRefusal(parsed.value)) return "no_envelope";
  if (status === 404) return codes.some((code) => NO_ROUTE.includes(code)) ? "no_route" : "not_found";
  if (codes.includes(TOO_MANY)) return "rate_limited";
  if (codes.includes(NOT_IN_PLAN) || quota?.allowed === 0) return "not_entitled";
  if (quota !== null || said.some(({ text }) => NO_MORE_JOBS.test(text))) return "quota_full";
  if (status === 403 || codes.some((code) => DENIED.includes(code))) return "unauthorized";
  return BY_STATUS[status] ?? "api_error";
}

function isRefusal({ success, errors }: JsonObject): boolean {
  return success === false || (success === undefined && isList(errors));
}

/** "Could not route" and "no route for that URI": users see them for ids that are malformed or nobody's. */
const NO_ROUTE: readonly number[] = [7000, 7003];

/** Authentication errors that users see with other statuses than 401 and 403 too. */
const DENIED: readonly number[] = [6003, 9103, 9106, 9109, 10000];

/** What the body of a 429 has: seen with another status, it means the same. */
const TOO_MANY = 971;

/** "not entitled to use the phase", with the status of a call that is wrong or that the credential may not make. */
const NOT_IN_PLAN = 50002;

/**
 * The code is 1004, which the service also gives for a missing permission, and the status that of a call that the
 * credential may not make. Users see it where no job is allowed at all, too.
 */
const NO_MORE_JOBS = /exceeded max jobs allowed/i;

/** Users see "1 out of 0" where the zone's plan has none at all, and "6 out of 5" where it has five. */
const OUT_OF = /exceeded the maximum number of rules in the phase \S{1,64}: (\d{1,6}) out of (\d{1,6})/i;

function quotaIn(said: readonly Said[]): Quota | null {
  for (const { text } of said) {
    const [, asked, allowed] = OUT_OF.exec(text) ?? [];
    if (allowed !== undefined) return { asked: Number(asked), allowed: Number(allowed) };
  }
  return null;
}

const BY_STATUS: Readonly<Record<number, Failure>> = {
  405: "method_not_allowed",
  409: "conflict",
  422: "unprocessable",
};

function contentText(
  failure: Failure,
  answer: Answer,
  parsed: ParsedJson,
  said: readonly Said[],
  clean: Cleaner,
): string {
  if (failure === "redirect") {
    const { location } = answer.headers;
    return location === undefined ? "" : ` to ${clean(location, 200)}`;
  }
  if (said.length > 0) return `: ${errorsText(said, clean)}`;
  if (answer.body.trim() === "") return " and an empty body";
  if (parsed.as === "too deep") return ` and a body of more than ${MAX_LEVELS} levels`;
  if (parsed.as === "shadowing key")
    return ` and the key ${clean(parsed.at, 120)}, a name of something that every object has`;
  if (parsed.as === "not json") return ` and a body that is not JSON: ${excerptOf(answer.body, clean)}`;
  if (failure === "no_envelope") return ` and ${formText(answer, parsed)}: ${excerptOf(answer.body, clean)}`;
  return " and no reason";
}

/** What is wrong with the form of an answer that is JSON. */
function formText({ status }: Answer, parsed: ParsedJson): string {
  if (!isEnvelope(parsed)) return "no envelope of the API around it";
  const isSuccess = parsed.as === "json" && isObject(parsed.value) && parsed.value.success === true;
  if (!isSuccess) return "an envelope that does not say whether the call has succeeded";
  return status < 300 ? "an envelope without a result" : "an envelope that says that the call has succeeded";
}

function excerptOf(body: string, clean: Cleaner): string {
  return JSON.stringify(clean(body, 120));
}

/** One item of `errors`, with those it was caused by. */
interface Said {
  readonly codes: readonly number[];
  readonly text: string;
  /** To what it is about in the body; null: it does not say. */
  readonly pointer: string | null;
}

const SHOWN_ERRORS = 10;
const CHAIN_DEPTH = 3;

function errorsText(said: readonly Said[], clean: Cleaner): string {
  const shown = said.slice(0, SHOWN_ERRORS).map(({ text }) => clean(text).replace(/\.$/, ""));
  const more = said.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** Some refusals have their reason among the messages; and what is no list is read as the one item of it. */
function saidBy({ errors = [], messages = [] }: JsonObject): readonly Said[] {
  const [listed, other] = [errors, messages].map((each) => (isList(each) ? each : [each]).slice(0, 1000));
  const said = (items: readonly Json[] = []) => items.flatMap((item) => saidIn(item, CHAIN_DEPTH));
  const errorsSaid = said(listed);
  return errorsSaid.length > 0 ? errorsSaid : said(other);
}

function saidIn(item: Json, depth: number): readonly Said[] {
  if (typeof item === "string") return item.trim() === "" ? [] : [{ codes: [], text: item, pointer: null }];
  if (!isObject(item)) return [];
  const { code, message, source, documentation_url: url, error_chain: chain } = item;
  const numeric =
    typeof code === "number" || (typeof code === "string" && /^\d{1,9}$/.test(code)) ? Number(code) : null;
  const pointer = isObject(source) && typeof source.pointer === "string" ? source.pointer : null;
  const causes =
    isList(chain) && depth > 0 ? chain.slice(0, SHOWN_ERRORS).flatMap((each) => saidIn(each, depth - 1)) : [];
  const parts = [
    ...(numeric === null ? [] : [String(numeric)]),
    (typeof message === "string" ? message : "no message") + (pointer === null ? "" : ` (${pointer})`),
    ...causes.map(({ text }) => `← ${text}`),
    ...(typeof url === "string" ? [`see ${url}`] : []),
  ];
  const codes = [...(numeric === null ? [] : [numeric]), ...causes.flatMap((each) => each.codes)];
  return [{ codes, text: parts.join(" "), pointer }];
}
