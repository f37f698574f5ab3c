import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
import { isBoolean, isFilledText, isText, type ValueCheck, valueErrors } from "./action-parameters.js";

export const RATE_LIMITS = "http_ratelimit";

/** Errors of a rate limit. The published OpenAPI document has the fields, the documentation of parameters the rest. */
export function rateLimitErrors({ ratelimit, expression }: JsonObject, at: string): readonly JsonObject[] {
  if (!isObject(ratelimit)) return [fieldError(`${at}ratelimit`, "ratelimit is required")];
  const field = `${at}ratelimit/`;
  const missing = ["characteristics", "period"].filter((name) => ratelimit[name] === undefined);
  const { characteristics, requests_per_period: requests, score_per_period: score } = ratelimit;
  const isLimited = requests !== undefined || score !== undefined;
  return [
    ...missing.map((name) => fieldError(field + name, `${name} is required`)),
    ...(isLimited ? [] : [fieldError(`${field}requests_per_period`, "requests_per_period is required")]),
    ...(requests !== undefined && score !== undefined
      ? [fieldError(`${field}score_per_period`, "cannot be given with requests_per_period")]
      : []),
    ...valueErrors(ratelimit, checks, field),
    ...(isList(characteristics) ? characteristicErrors(characteristics, `${field}characteristics`) : []),
    ...(ratelimit.requests_to_origin === true && typeof expression === "string" && / in \$\w/.test(expression)
      ? [fieldError(`${field}requests_to_origin`, "cannot be true with a list in the expression")]
      : []),
  ];
}

function characteristicErrors(characteristics: readonly Json[], field: string): readonly JsonObject[] {
  const has = (name: string) => characteristics.includes(name);
  const capitals = characteristics.filter(
    (name) =>
      typeof name === "string" && name.startsWith("http.request.headers[") && name !== name.toLowerCase(),
  );
  return [
    ...(has("cf.colo.id") ? [] : [fieldError(field, "cf.colo.id is mandatory")]),
    ...(has("ip.src") && has("cf.unique_visitor_id")
      ? [fieldError(field, "cf.unique_visitor_id cannot be given with ip.src")]
      : []),
    ...capitals.map((name) => fieldError(field, `the header name in ${name} must be in lower case`)),
  ];
}

const checks: ReadonlyMap<string, ValueCheck> = new Map<string, ValueCheck>([
  ["characteristics", { isRight: isTexts, wanted: "must be a list of fields" }],
  ["period", { isRight: isCount, wanted: "must be a positive number of seconds" }],
  ["requests_per_period", { isRight: isCount, wanted: "must be a positive number" }],
  ["score_per_period", { isRight: isCount, wanted: "must be a positive number" }],
  ["score_response_header_name", { isRight: isFilledText, wanted: "must be a string that is not empty" }],
  [
    "mitigation_timeout",
    { isRight: (value) => value === 0 || isCount(value), wanted: "must be a number of seconds" },
  ],
  ["counting_expression", { isRight: isText, wanted: "must be a string" }],
  ["requests_to_origin", { isRight: isBoolean, wanted: "must be true or false" }],
]);

function isCount(value: Json): boolean {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

function isTexts(value: Json): boolean {
  return isList(value) && value.every(isFilledText);
}

/** Errors of the parameters of the action `block`. The published OpenAPI document requires all three. */
export function responseErrors({ response }: JsonObject, at: string): readonly JsonObject[] {
  if (response === undefined) return [];
  if (!isObject(response)) return [fieldError(`${at}response`, "must be an object")];
  const missing = ["status_code", "content", "content_type"].filter((name) => response[name] === undefined);
  return [
    ...missing.map((name) => fieldError(`${at}response/${name}`, `${name} is required`)),
    ...valueErrors(response, responseChecks, `${at}response/`),
  ];
}

const responseChecks: ReadonlyMap<string, ValueCheck> = new Map<string, ValueCheck>([
  [
    "status_code",
    {
      isRight: (value) => typeof value === "number" && value >= 400 && value <= 499,
      wanted: "must be from 400 to 499",
    },
  ],
  ["content", { isRight: isText, wanted: "must be a string" }],
  ["content_type", { isRight: isFilledText, wanted: "must be a string that is not empty" }],
]);
