import { check as checkCsp, oneLine, SERVICE_DIRECTIVES } from "../../csp/index.js";
import { isList, isObject, type JsonObject } from "../../model/json.js";
import { remembered } from "../../model/remembered.js";
import type { Service } from "../../model/wanted.js";
import type { Finding } from "../kind.js";
import { checkExpression, tooLong } from "../limits.js";
import { valueText } from "./value.js";

/** What can be said offline about a declared policy, beyond its shape. */
export function checkPolicy(declared: JsonObject, service: Service): readonly Finding[] {
  if (declared.ensure === "absent") return [];
  return [...checkValue(declared, service), ...checkExpression(declared, service)];
}

function checkValue({ value }: JsonObject, service: Service): readonly Finding[] {
  if (typeof value === "string") return checkText(value, service).map((each) => each.finding);
  return isObject(value) ? mapChecks(service)(value) : [];
}

const mapChecks = remembered((service: Service) => remembered((map: JsonObject) => checkMap(map, service)));

const knownDirectives = remembered(
  (service: Service) => new Set([...SERVICE_DIRECTIVES, ...service.extra_csp_directives]),
);

function checkText(
  text: string,
  service: Service,
): readonly { readonly finding: Finding; readonly start: number }[] {
  const found = checkCsp(text, knownDirectives(service)).map(({ severity, code, message, start }) => {
    const summary =
      severity === "error" ? "The CSP value cannot be used" : "The CSP value may not mean what it says";
    return { finding: { path: ["value"], severity, code, summary, detail: message }, start };
  });
  const length = oneLine(text).length;
  const limit = service.limits.policy_value_chars;
  if (length <= limit) return found;
  return [
    ...found,
    { finding: tooLong("value", "The CSP value", length, limit, "policy_value_chars"), start: 0 },
  ];
}

/** In the map form every source is one token: a blank or a separator in it would change what the policy says. */
function checkMap(map: JsonObject, service: Service): readonly Finding[] {
  const split = splitTokens(map);
  if (split.length > 0) return split;
  const text = valueText(map);
  return checkText(text, service).map(({ finding, start }) => {
    return finding.code === "too_long" ? finding : { ...finding, path: placeIn(map, text.slice(0, start)) };
  });
}

function splitTokens(map: JsonObject): readonly Finding[] {
  return Object.entries(map).flatMap(([directive, sources]) => {
    const list = isList(sources) ? sources : [];
    const nameFindings = isOneToken(directive) ? [] : [broken(["value", directive], directive)];
    const sourceFindings = list.flatMap((source, index) =>
      typeof source !== "string" || isOneToken(source) ? [] : [broken(["value", directive, index], source)],
    );
    return [...nameFindings, ...sourceFindings];
  });
}

function isOneToken(text: string): boolean {
  return /^[^\s;,]+$/.test(text);
}

/** The directive or the source of a map form that begins after this much of its text. */
function placeIn(map: JsonObject, before: string): Finding["path"] {
  const directives = before.split("; ");
  const directive = Object.keys(map)[directives.length - 1];
  if (directive === undefined) return ["value"];
  const words = directives.at(-1)?.split(" ").length ?? 1;
  return words === 1 ? ["value", directive] : ["value", directive, words - 2];
}

function broken(path: Finding["path"], text: string): Finding {
  return {
    path,
    severity: "error",
    code: "csp_token",
    summary: "The CSP value cannot be used",
    detail: `${JSON.stringify(text)} is not one word. Each key is one directive and each item one source, without blanks, commas and semicolons.`,
  };
}
