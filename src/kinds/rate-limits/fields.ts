import { isObject, isTexts, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { COLO } from "../../model/request-lines.js";
import type { SealedObject } from "../../model/sealed.js";
import { expressionField } from "../expression.js";
import { type Fields, setField } from "../fields.js";
import { actionField, responseField } from "../rule-actions.js";

export const limitFields: Fields = {
  characteristics: {
    ...setField,
    form: "list",
    required: true,
    spell: (value) => textsIn(value).filter((name) => name !== COLO),
    show: (value) => textsIn(value).join(", "),
  },
  period: { form: "any", required: true, show: secondsText },
  requests_per_period: { form: "any" },
  score_per_period: { form: "any" },
  score_response_header_name: { form: "text" },
  mitigation_timeout: { form: "any", show: secondsText },
  counting_expression: { ...expressionField, form: "text", unset: "" },
  requests_to_origin: { form: "flag", unset: false },
};

export const fields: Fields = { ...limitFields, action: actionField, response: responseField };

function secondsText(value: Json): string | null {
  return typeof value === "number" ? `${value} s` : null;
}

/**
 * The rate limit of a live rule. An empty counting expression is the service's default. Null: the rule has none, or its
 * characteristics have an unknown form.
 */
export function limitIn({ ratelimit }: JsonObject): JsonObject | null {
  if (!isObject(ratelimit)) return null;
  const { characteristics = [], ...limit } = ratelimit;
  if (!isTexts(characteristics)) return null;
  const known = Object.entries(limit).filter(
    ([name, value]) =>
      name in limitFields && value !== null && !(name === "counting_expression" && value === ""),
  );
  return {
    ...Object.fromEntries(known),
    characteristics: characteristics.filter((each) => each !== COLO),
  };
}

/** The service's form. Members of the live rule that files cannot declare stay. */
export function limitOf(normal: SealedObject, live: JsonObject | null): JsonObject {
  const before = isObject(live?.ratelimit) ? live.ratelimit : {};
  const others = Object.entries(before).filter(([name]) => !(name in limitFields));
  // No field is sensitive.
  const known = Object.keys(limitFields).flatMap((name) => {
    const value = (normal as JsonObject)[name] ?? null;
    return value === null
      ? []
      : [[name, name === "characteristics" ? [COLO, ...textsIn(value)] : value] as const];
  });
  return Object.fromEntries([...others, ...known]);
}
