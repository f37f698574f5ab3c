import type { IncomingHttpHeaders } from "node:http";
import { httpDateMs } from "./http-date.js";

/** Empty: there is none. One that came several times is a list. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  return [headers[name] ?? ""].flat().join(", ").trim();
}

/**
 * How long until the date that a header has, by the service's clock, where it tells it: the one here may be off.
 * Negative: it is past. Null: it is not a date.
 */
export function untilMs(headers: IncomingHttpHeaders, name: string, nowMs: number): number | null {
  const then = httpDateMs(headerText(headers, name), nowMs);
  return then === null ? null : then - (httpDateMs(headerText(headers, "date"), nowMs) ?? nowMs);
}
