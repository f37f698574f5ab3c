import { oneLine, review, SERVICE_DIRECTIVES, summaryOf } from "../../csp/index.js";
import { isList, isObject, type JsonObject } from "../../model/json.js";
import { remembered } from "../../model/remembered.js";
import type { Service } from "../../model/wanted.js";
import { checkExpression } from "../expression.js";
import type { Finding } from "../kind.js";
import { tooLong } from "../limits.js";
import { valueText } from "./value.js";

/** What can be said offline about a declared policy, beyond its shape. */
export function checkPolicy(declared: JsonObject, service: Service): readonly Finding[] {
  if (declared.ensure === "absent") return [];
  return [...checkValue(declared, service), ...checkExpression(declared, "page_shield_policy", service)];
}

function checkValue({ value }: JsonObject, service: Service): readonly Finding[] {
  if (typeof value === "string") return checkText(value, service);
  return isObject(value) ? mapChecks(service)(value) : [];
}

const mapChecks = remembered((service: Service) => remembered((map: JsonObject) => checkMap(map, service)));

const knownDirectives = remembered(
  (service: Service) => new Set([...SERVICE_DIRECTIVES, ...service.extra_csp_directives]),
);

function checkText(text: string, service: Service): readonly Finding[] {
  const found = review(text, knownDirectives(service)).findings.map((finding): Finding => {
    const { severity, code, message, start } = finding;
    return { path: ["value"], offset: start, severity, code, summary: summaryOf(finding), detail: message };
  });
  const length = oneLine(text).length;
  const limit = service.limits.policy_value_chars;
  if (length <= limit) return found;
  return [...found, tooLong("value", "The CSP value", length, limit, "policy_value_chars")];
}

/** In the map form every source is one token: a blank or a separator in it would change what the policy says. */
function checkMap(map: JsonObject, service: Service): readonly Finding[] {
  const split = splitTokens(map);
  if (split.length > 0) return split;
  const text = valueText(map);
  return checkText(text, service).map(({ offset, ...finding }) =>
    offset === undefined ? finding : { ...finding, ...placeIn(map, text.slice(0, offset)) },
  );
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

/** Where a map form has what comes after this much of its text: in which directive, or where in which source. */
function placeIn(map: JsonObject, before: string): Pick<Finding, "path" | "offset"> {
  const directives = before.split("; ");
  const directive = Object.keys(map)[directives.length - 1];
  if (directive === undefined) return { path: ["value"] };
  const words = directives.at(-1)?.split(" ") ?? [];
  if (words.length < 2) return { path: ["value", directive] };
  return { path: ["value", directive, words.length - 2], offset: words.at(-1)?.length ?? 0 };
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
