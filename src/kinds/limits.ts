import { normalise } from "../expression/spelling/canonical.js";
import type { JsonObject } from "../model/json.js";
import type { Service } from "../model/wanted.js";
import type { Finding, Kind } from "./kind.js";

/** @param setting the limit's name among the service's */
export function tooLong(
  field: string,
  name: string,
  length: number,
  limit: number,
  setting: keyof Service["limits"],
): Finding {
  return {
    path: [field],
    severity: "error",
    code: "too_long",
    summary: `${name} is too long`,
    detail: `It has ${length} characters as it is sent; the service takes ${limit}. Shorten it, or set service.limits.${setting} if your account allows more.`,
  };
}

/** A live text that is longer than the limit can stay: it may be there since the limit was another one. */
export function beyondLimit(
  object: () => string,
  field: string,
  value: unknown,
  limit: number,
): ReturnType<Kind["concerns"]> {
  if (typeof value !== "string" || value.length <= limit) return [];
  return [
    {
      code: "live_beyond_limit",
      summary: "A live object is beyond a limit",
      detail: `The ${field} of the live ${object()} has ${value.length} characters; the limit is ${limit}. It can stay as it is, but a change of it may be refused.`,
    },
  ];
}

/** A service that allows so many. */
export function withLimit(service: Service, setting: keyof Service["limits"], needed: number): Service {
  const { limits } = service;
  return needed <= (limits[setting] ?? 0)
    ? service
    : { ...service, limits: { ...limits, [setting]: needed } };
}

/** A service that takes an expression as long as the declared one. */
export function allowingExpression({ expression }: JsonObject, service: Service): Service {
  if (typeof expression !== "string") return service;
  return withLimit(service, "expression_chars", normalise(expression).length);
}
