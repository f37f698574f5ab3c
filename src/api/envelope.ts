import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { MAX_LEVELS, type ParsedJson, parseJson } from "../model/json-text.js";
import { failed, ok, type Result } from "../model/problem.js";
import { type ApiProblem, apiProblem, type Call, type Failure, type Quota } from "./problems.js";
import type { Cleaner } from "./redact.js";
import type { Answer } from "./transport.js";

/** The contents of a successful answer. */
export interface Contents {
  readonly result: Json;
  /** `result_info`: only lists have it, and not all of them. */
  readonly info: JsonObject | null;
}

const NOTHING: Contents = { result: null, info: null };

/**
 * Opens an answer. Lenient where users of the service have seen answers vary: lists of errors and messages that are
 * null or absent, errors without a code, writes answered with an empty body or without a result. Strict about
 * success: it needs a 2xx status and `success: true`, and for a read a `result`.
 */
export function open(call: Call, answer: Answer, clean: Cleaner): Result<Contents> {
  const parsed = parseJson(answer.body);
  const envelope = parsed.as === "json" ? parsed.value : undefined;
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (isSuccess && answer.body === "" && call.method !== "GET") return ok(NOTHING);
  if (isSuccess && isObject(envelope) && envelope.success === true) {
    const { result, result_info: info } = envelope;
    if (result !== undefined) return ok({ result, info: isObject(info) ? info : null });
    if (call.method !== "GET") return ok(NOTHING);
  }
  return failed(refusal(call, answer, parsed, clean));
}

/** The problem of an answer that is not a success. */
function refusal(call: Call, answer: Answer, parsed: ParsedJson, clean: Cleaner): ApiProblem {
  const { status, headers } = answer;
  const errors = parsed.as === "json" && isObject(parsed.value) ? errorsIn(parsed.value) : [];
  const codes = errors.flatMap((each) => each.codes);
  const pointsAtEnabled = errors.some(({ pointer }) => pointer === "/enabled");
  const quota = quotaIn(errors);
  const failure = failureOf(answer, parsed, errors, quota);
  const ray = typeof headers["cf-ray"] === "string" ? ` (request id ${clean(headers["cf-ray"], 64)})` : "";
  const content = contentText(failure, answer, parsed, errors, clean);
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
    `returned HTTP ${status}${ray}${content}`,
    failure === "no_envelope" && isEnvelope(parsed) ? CHANGED_ON_THE_WAY : undefined,
  );
}

/** For an envelope of the API: the base address is right, so advice about it would mislead. */
const CHANGED_ON_THE_WAY =
  "Try again. If it lasts, check the proxies between this machine and the API: they may have changed the answer.";

function isEnvelope(parsed: ParsedJson): boolean {
  if (parsed.as !== "json" || !isObject(parsed.value)) return false;
  const { value } = parsed;
  return ["success", "result", "errors"].some((name) => Object.hasOwn(value, name));
}

/**
 * The status decides, then the service's codes. "Absent" and "refused" count only from the API itself: an error page
 * from a proxy must not look like an absent object.
 */
function failureOf(
  { status, body }: Answer,
  parsed: ParsedJson,
  errors: readonly ServiceError[],
  quota: Quota | null,
): Failure {
  const codes = errors.flatMap((each) => each.codes);
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
  if (quota !== null || errors.some(({ text }) => NO_MORE_JOBS.test(text))) return "quota_full";
  if (status === 403 || codes.some((code) => DENIED.includes(code))) return "unauthorized";
  return BY_STATUS[status] ?? "api_error";
}

function isRefusal({ success, errors }: JsonObject): boolean {
  return success === false || (success === undefined && isList(errors));
}

/** "Could not route" and "no route for that URI": users see them for ids that are malformed or unknown. */
const NO_ROUTE: readonly number[] = [7000, 7003];

/** Authentication errors. Users see them with other statuses than 401 and 403, too. */
const DENIED: readonly number[] = [6003, 9103, 9106, 9109, 10000];

/** The code in the body of a 429. With another status, it means the same. */
const TOO_MANY = 971;

/** "not entitled to use the phase". Its status is that of a wrong or forbidden call. */
const NOT_IN_PLAN = 50002;

/**
 * The code is 1004, which the service also gives for a missing permission, and the status is that of a forbidden call.
 * Users also see it where no job is allowed at all.
 */
const NO_MORE_JOBS = /exceeded max jobs allowed/i;

/** Users see "1 out of 0" where the zone's Cloudflare plan has no rules here, and "6 out of 5" where it has five. */
const OUT_OF = /exceeded the maximum number of rules in the phase \S{1,64}: (\d{1,6}) out of (\d{1,6})/i;

function quotaIn(errors: readonly ServiceError[]): Quota | null {
  for (const { text } of errors) {
    const [, count, allowed] = OUT_OF.exec(text) ?? [];
    if (allowed !== undefined) return { asked: Number(count), allowed: Number(allowed) };
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
  errors: readonly ServiceError[],
  clean: Cleaner,
): string {
  if (failure === "redirect") {
    const { location } = answer.headers;
    return location === undefined ? "" : ` to ${clean(location, 200)}`;
  }
  if (errors.length > 0) return `: ${errorsText(errors, clean)}`;
  if (answer.body.trim() === "") return " and an empty body";
  if (parsed.as === "too deep") return ` and a body of more than ${MAX_LEVELS} levels`;
  if (parsed.as === "shadowing key") return ` and the key ${clean(parsed.at, 120)}, a reserved name`;
  if (parsed.as === "not json") return ` and a body that is not JSON: ${excerptOf(answer.body, clean)}`;
  if (failure === "no_envelope") return ` and ${formText(answer, parsed)}: ${excerptOf(answer.body, clean)}`;
  return " and no reason";
}

/** What is wrong with the form of a JSON answer. */
function formText({ status }: Answer, parsed: ParsedJson): string {
  if (!isEnvelope(parsed)) return "no envelope of the API";
  const isSuccess = parsed.as === "json" && isObject(parsed.value) && parsed.value.success === true;
  if (!isSuccess) return "an envelope without success";
  return status < 300 ? "an envelope without a result" : "an envelope with success: true";
}

function excerptOf(body: string, clean: Cleaner): string {
  return JSON.stringify(clean(body, 120));
}

/** One item of `errors`, with the errors in its chain. */
interface ServiceError {
  readonly codes: readonly number[];
  readonly text: string;
  /** A JSON pointer into the body that was sent; null: none given. */
  readonly pointer: string | null;
}

const SHOWN_ERRORS = 10;
const CHAIN_DEPTH = 3;

function errorsText(errors: readonly ServiceError[], clean: Cleaner): string {
  const texts = errors.slice(0, SHOWN_ERRORS).map(({ text }) => clean(text).replace(/\.$/, ""));
  const more = errors.length - texts.length;
  return texts.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** Some refusals give their reason in `messages`. A value that is not a list is read as its only item. */
function errorsIn({ errors = [], messages = [] }: JsonObject): readonly ServiceError[] {
  const read = (value: Json) =>
    (isList(value) ? value : [value]).slice(0, 1000).flatMap((item) => errorsOf(item, CHAIN_DEPTH));
  const fromErrors = read(errors);
  return fromErrors.length > 0 ? fromErrors : read(messages);
}

function errorsOf(item: Json, depth: number): readonly ServiceError[] {
  if (typeof item === "string") return item.trim() === "" ? [] : [{ codes: [], text: item, pointer: null }];
  if (!isObject(item)) return [];
  const { code, message, source, documentation_url: url, error_chain: chain } = item;
  const numeric =
    typeof code === "number" || (typeof code === "string" && /^\d{1,9}$/.test(code)) ? Number(code) : null;
  const pointer = isObject(source) && typeof source.pointer === "string" ? source.pointer : null;
  const chained = isList(chain) && depth > 0 ? chain.slice(0, SHOWN_ERRORS) : [];
  const causes = chained.flatMap((each) => errorsOf(each, depth - 1));
  const facts = [...(numeric === null ? [] : [`code ${numeric}`]), ...(pointer === null ? [] : [pointer])];
  const parts = [
    (typeof message === "string" ? message.replace(/\.$/, "") : "no message") +
      (facts.length === 0 ? "" : ` (${facts.join(", ")})`),
    ...causes.map(({ text }) => `← ${text}`),
    ...(typeof url === "string" ? [`see ${url}`] : []),
  ];
  const codes = [...(numeric === null ? [] : [numeric]), ...causes.flatMap((each) => each.codes)];
  return [{ codes, text: parts.join(" "), pointer }];
}
