import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { type FieldError, fieldError } from "../../answer.js";
import {
  anyFlag,
  anyText,
  type Checks,
  filledText,
  isFilledText,
  isText,
  memberErrors,
  missingErrors,
  must,
} from "../../checks.js";

export const RATE_LIMITS = "http_ratelimit";

/** Errors of a rate limit. The published OpenAPI document has the fields, the documentation of parameters the rest. */
export function rateLimitErrors({ ratelimit, expression }: JsonObject, rule: string): readonly FieldError[] {
  const at = `${rule}/ratelimit`;
  if (!isObject(ratelimit)) return [fieldError(at, "ratelimit is required")];
  const { characteristics, requests_per_period: requests, score_per_period: score } = ratelimit;
  const required = ["characteristics", "period", ...(score === undefined ? ["requests_per_period"] : [])];
  return [
    ...missingErrors(ratelimit, required, at),
    ...(requests !== undefined && score !== undefined
      ? [fieldError(`${at}/score_per_period`, "cannot be given with requests_per_period")]
      : []),
    ...memberErrors(ratelimit, checks, at),
    ...(isList(characteristics) ? characteristicErrors(characteristics, `${at}/characteristics`) : []),
    ...(ratelimit.requests_to_origin === true && typeof expression === "string" && / in \$\w/.test(expression)
      ? [fieldError(`${at}/requests_to_origin`, "cannot be true with a list in the expression")]
      : []),
  ];
}

function characteristicErrors(characteristics: readonly Json[], at: string): readonly FieldError[] {
  const has = (name: string) => characteristics.includes(name);
  const capitals = characteristics.filter(
    (name) => isText(name) && name.startsWith("http.request.headers[") && name !== name.toLowerCase(),
  );
  return [
    ...(has("cf.colo.id") ? [] : [fieldError(at, "cf.colo.id is mandatory")]),
    ...(has("ip.src") && has("cf.unique_visitor_id")
      ? [fieldError(at, "cf.unique_visitor_id cannot be given with ip.src")]
      : []),
    ...capitals.map((name) => fieldError(at, `the header name in ${name} must be in lower case`)),
  ];
}

const positive = must("must be a positive number", isCount);

const checks: Checks = {
  characteristics: must("must be a list of fields", (value) => isList(value) && value.every(isFilledText)),
  period: must("must be a positive number of seconds", isCount),
  requests_per_period: positive,
  score_per_period: positive,
  score_response_header_name: filledText,
  mitigation_timeout: must("must be a number of seconds", (value) => value === 0 || isCount(value)),
  counting_expression: anyText,
  requests_to_origin: anyFlag,
};

function isCount(value: Json): boolean {
  return Number.isInteger(value) && Number(value) > 0;
}

/** Errors of the parameters of the action `block`. The published OpenAPI document requires all three. */
export function responseErrors({ response }: JsonObject, parameters: string): readonly FieldError[] {
  const at = `${parameters}/response`;
  if (response === undefined) return [];
  if (!isObject(response)) return [fieldError(at, "must be an object")];
  return [
    ...missingErrors(response, ["status_code", "content", "content_type"], at),
    ...memberErrors(response, responseChecks, at),
  ];
}

const responseChecks: Checks = {
  status_code: must(
    "must be from 400 to 499",
    (value) => typeof value === "number" && value >= 400 && value <= 499,
  ),
  content: anyText,
  content_type: filledText,
};
