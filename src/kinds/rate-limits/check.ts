import { parsedExpression, readExpression } from "../../expression/parse/parse.js";
import { aboutFields, presentName } from "../../expression/tables/fields.js";
import { fieldMeantBy } from "../../expression/tables/usual-names.js";
import { comparisonsOf, fieldsOf } from "../../expression/visit.js";
import type { Service } from "../../model/declared-zone.js";
import { didYouMean } from "../../model/did-you-mean.js";
import { isList, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { COLO } from "../../model/request-lines.js";
import { error, type Finding, repeatsIn, warningAt } from "../kind.js";
import { unusual } from "../rule-actions.js";

/** Problems of a declared rate limit. The service's documentation of parameters says which ones exclude each other. */
export function checkLimit(body: JsonObject, service: Service): readonly Finding[] {
  const {
    period,
    mitigation_timeout: timeout,
    requests_per_period: requests,
    score_per_period: score,
  } = body;
  const counts = [requests, score].filter((each) => (each ?? null) !== null);
  return [
    ...checkCharacteristics(body.characteristics, service),
    ...(counts.length === 2 ? [twoCounts()] : []),
    ...(score !== undefined && body.score_response_header_name === undefined ? [noHeader()] : []),
    ...(isKnown(period, PERIODS)
      ? []
      : [unusual(["period"], `Cloudflare documents no period of ${period} seconds.`)]),
    ...(isKnown(timeout, [0, ...PERIODS])
      ? []
      : [unusual(["mitigation_timeout"], `Cloudflare documents no timeout of ${timeout} seconds.`)]),
    ...["expression", "counting_expression"].flatMap((key) => checkColo(key, body[key])),
    ...checkOrigin(body),
  ];
}

/** The values of both pages of the documentation. */
const PERIODS: readonly Json[] = [
  10, 15, 20, 30, 40, 45, 60, 90, 120, 180, 240, 300, 480, 600, 900, 1200, 1800, 2400, 3600, 65535, 86400,
];

function isKnown(value: Json | undefined, known: readonly Json[]): boolean {
  return value === undefined || known.includes(value);
}

function checkCharacteristics(value: Json | undefined, service: Service): readonly Finding[] {
  if (!isList(value)) return [];
  const names = textsIn(value);
  const at = (index: number) => ["characteristics", index];
  return [
    ...repeatsIn(names).map((index) =>
      warningAt(
        at(index),
        "duplicate_item",
        `Duplicate item ${JSON.stringify(names[index])}`,
        "Remove one of the two.",
      ),
    ),
    ...names.flatMap((name, index): readonly Finding[] => {
      if (name === COLO) return [alwaysCounted(at(index))];
      if (name === VISITOR && names.includes("ip.src")) return [twoVisitors(at(index))];
      if (isHeaderInCapitals(name)) return [capitals(at(index), name)];
      return isUsable(name, service) ? [] : [unusual(at(index), unknownField(name))];
    }),
  ];
}

const VISITOR = "cf.unique_visitor_id";

const FIELDS: ReadonlySet<string> = new Set(
  [...aboutFields].flatMap(([name, { only }]) => (only === "network" ? [] : [name])).concat(VISITOR),
);

/** Calls and members of maps are not checked. */
function isUsable(name: string, { extra_expression_fields: extra }: Service): boolean {
  return !/^[a-z0-9_.]+$/i.test(name) || FIELDS.has(presentName(name)) || Object.hasOwn(extra, name);
}

/** In expressions of other phases, `ip` is a field. */
function unknownField(name: string): string {
  const guess = didYouMean(name === "ip" ? "ip.src" : (fieldMeantBy(name) ?? name), FIELDS, "");
  return `Cloudflare documents no characteristic ${JSON.stringify(name)}. ${guess}`.trim();
}

function isHeaderInCapitals(name: string): boolean {
  return /^http\.request\.headers\[/.test(name) && name !== name.toLowerCase();
}

function checkColo(key: string, text: Json | undefined): readonly Finding[] {
  const parsed = typeof text === "string" && text !== "" ? readExpression(text) : null;
  const names = parsed?.ok === true ? fieldsOf(parsed.tree).map(({ name }) => name) : [];
  const detail = "Cloudflare allows cf.colo.id only as a characteristic. Remove it from the expression.";
  return names.includes(COLO)
    ? [error([key], "colo_in_expression", "cf.colo.id in an expression", detail)]
    : [];
}

function checkOrigin({ expression: text, requests_to_origin: ofOrigin }: JsonObject): readonly Finding[] {
  const parsed = ofOrigin === true && typeof text === "string" ? parsedExpression(text) : null;
  if (parsed?.ok !== true || !comparisonsOf(parsed.tree).some(({ test }) => test.as === "in_list")) return [];
  const detail =
    "Cloudflare refuses requests_to_origin: true with a list in the expression. Remove the list or requests_to_origin.";
  return [error(["requests_to_origin"], "origin_with_list", "requests_to_origin beside a list", detail)];
}

function twoCounts(): Finding {
  const detail =
    "A rate limit counts either requests or scores. Remove requests_per_period or score_per_period.";
  return error(["score_per_period"], "two_counts", "Rate limit with two counts", detail);
}

function noHeader(): Finding {
  const detail = "A score comes from a header of the origin's answers. Add score_response_header_name.";
  return error(["score_per_period"], "no_score_header", "Score without a header", detail);
}

function alwaysCounted(path: Finding["path"]): Finding {
  const detail =
    "zoneward adds cf.colo.id to every rate limit, because Cloudflare requires it. Leave it out.";
  return warningAt(path, "always_counted", "cf.colo.id is added automatically", detail);
}

function twoVisitors(path: Finding["path"]): Finding {
  const detail = "Cloudflare refuses cf.unique_visitor_id beside ip.src. Remove one of them.";
  return error(path, "characteristics_conflict", "Characteristics exclude each other", detail);
}

function capitals(path: Finding["path"], name: string): Finding {
  const detail = `Cloudflare requires lowercase header names in characteristics. Write ${name.toLowerCase()}.`;
  return error(path, "characteristic_case", "Uppercase in a header name", detail);
}
