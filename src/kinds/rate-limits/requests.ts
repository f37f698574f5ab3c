import type { Json } from "../../model/json.js";
import { asText, textsIn } from "../../model/json.js";
import { COLO, type RequestLimit } from "../../model/request-lines.js";
import type { SealedObject } from "../../model/sealed.js";

/** A rate limit, as far as logged requests can tell its effect. Null: it has no known form. */
export function requestLimitIn(normal: SealedObject): RequestLimit | null {
  const { expression = "", counting_expression: counting, characteristics = null } = normal;
  const { requests_per_period: requests = null, period, mitigation_timeout: timeout = null } = normal;
  if (typeof period !== "number") return null;
  const isCounted = typeof requests === "number";
  const isTimed = typeof timeout === "number";
  const ofOrigin = normal.requests_to_origin === true;
  return {
    expression: asText(expression),
    counting_expression: asText(counting || expression),
    characteristics: [...textsIn(characteristics as Json), COLO], // no field is sensitive
    requests: isCounted ? requests : 0,
    period,
    timeout: isTimed ? timeout : 0,
    unknown: !isCounted ? "score" : ofOrigin ? "requests_to_origin" : isTimed ? null : "no_timeout",
  };
}
