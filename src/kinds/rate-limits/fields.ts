import {
  isObject,
  isTexts,
  type JsonObject,
  mapValues,
  pick,
  pickBy,
  textsIn,
  without,
} from "../../model/json.js";
import { COLO } from "../../model/request-lines.js";
import { expressionField } from "../expression.js";
import { type Field, type Fields, setField } from "../fields.js";
import { ACTIONS, actionField, responseField } from "../rule-actions.js";
import { text } from "../schema.js";

const limitFields: Fields = {
  characteristics: {
    schema: {
      type: "array",
      minItems: 1,
      items: text("An expression field."),
      description: "The fields that requests are counted by. cf.colo.id is always added.",
      examples: [["ip.src"]],
    },
    ...setField,
    form: "list",
    required: true,
    spell: (value) => textsIn(value).filter((name) => name !== COLO),
    show: (value) => textsIn(value).join(", "),
  },
  period: { ...seconds("The seconds over which requests are counted.", 60), required: true },
  requests_per_period: {
    schema: { type: "integer", minimum: 1, description: "The most requests in a period." },
    form: "any",
  },
  score_per_period: {
    schema: { type: "integer", minimum: 1, description: "The highest sum of scores in a period." },
    form: "any",
  },
  score_response_header_name: {
    schema: text("The header in which the origin answers a request's score."),
    form: "text",
  },
  mitigation_timeout: seconds("The seconds that the action lasts.", 600),
  counting_expression: {
    schema: {
      type: "string",
      description: "The requests that count, as a filter expression. Default: those of the expression.",
      examples: ["http.response.code eq 401"],
    },
    ...expressionField,
    form: "text",
    unset: "",
    limits: "counts some requests only",
  },
  requests_to_origin: {
    schema: { type: "boolean", description: "Whether only requests that reach the origin count." },
    form: "flag",
    unset: false,
    limits: "counts requests to the origin only",
  },
};

const NAMES = Object.keys(limitFields);

export const fields: Fields = {
  ...limitFields,
  action: actionField(ACTIONS, "The action on requests beyond the rate"),
  response: responseField,
};

function seconds(description: string, example: number): Field {
  return {
    schema: { type: "integer", minimum: 0, description, examples: [example] },
    form: "any",
    show: (value) => (typeof value === "number" ? `${value} s` : null),
  };
}

/**
 * The rate limit of a live rule. An empty counting expression is the service's default. Null: the rule has none, or its
 * characteristics have an unknown form.
 */
export function limitIn({ ratelimit }: JsonObject): JsonObject | null {
  if (!isObject(ratelimit)) return null;
  const { characteristics = [], ...limit } = ratelimit;
  if (!isTexts(characteristics)) return null;
  return {
    ...pickBy(
      limit,
      (value, name) =>
        name in limitFields && value !== null && !(name === "counting_expression" && value === ""),
    ),
    characteristics: characteristics.filter((each) => each !== COLO),
  };
}

/** The service's form. Members of the live rule that files cannot declare stay. */
export function limitOf(normal: JsonObject, live: JsonObject | null): JsonObject {
  const before = isObject(live?.ratelimit) ? live.ratelimit : {};
  const known = pickBy(pick(normal, NAMES), (value) => value !== null);
  return {
    ...without(before, NAMES),
    ...mapValues(known, (value, name) => (name === "characteristics" ? [COLO, ...textsIn(value)] : value)),
  };
}
