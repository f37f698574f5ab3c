import { summaryOf } from "../../csp/check.js";
import { SERVICE_DIRECTIVES } from "../../csp/directives.js";
import { review } from "../../csp/lint.js";
import { oneLine, parsedCsp } from "../../csp/syntax.js";
import { isObject, type JsonObject } from "../../model/json.js";
import { remembered, rememberedText } from "../../model/remembered.js";
import type { Service } from "../../model/wanted.js";
import { expressionCheck } from "../expression.js";
import type { Finding } from "../kind.js";
import { allowingExpression, tooLong, withLimit } from "../limits.js";
import { brokenTokens, indexInMap, isOfBroken, valueText, withoutBroken } from "./value.js";

const checkExpression = expressionCheck("page_shield_policy");

/** What can be said offline about a declared policy, beyond its shape. */
export function checkPolicy(declared: JsonObject, service: Service): readonly Finding[] {
  if (declared.ensure === "absent") return [];
  return [...checkValue(declared, service), ...checkExpression(declared, service)];
}

function checkValue({ value }: JsonObject, service: Service): readonly Finding[] {
  if (typeof value === "string") return checkText(value, service);
  return isObject(value) ? mapChecks(service)(value) : [];
}

const mapChecks = remembered((service: Service) => remembered((map: JsonObject) => checkMap(map, service)));

const knownDirectives = remembered(
  (service: Service) => new Set([...SERVICE_DIRECTIVES, ...service.extra_csp_directives]),
);

const textFindings = remembered((service: Service) =>
  rememberedText((text) =>
    review(text, knownDirectives(service)).findings.map((finding): Finding => {
      const { severity, code, message, start } = finding;
      return { path: ["value"], offset: start, severity, code, summary: summaryOf(finding), detail: message };
    }),
  ),
);

function checkText(text: string, service: Service): readonly Finding[] {
  const found = textFindings(service)(text);
  const length = oneLine(text).length;
  const limit = service.limits.policy_value_chars;
  if (length <= limit) return found;
  return [...found, tooLong("value", "The CSP value", length, limit, "policy_value_chars")];
}

/**
 * In the map form every source is one token: a blank or a separator in it would change what the policy says. The rest
 * is looked at without such ones.
 */
function checkMap(map: JsonObject, service: Service): readonly Finding[] {
  const split = brokenTokens(map);
  const whole = split.length === 0 ? map : withoutBroken(map);
  if (split.length > 0 && Object.keys(whole).length === 0) return split;
  const text = valueText(whole);
  const found = checkText(text, service).map(({ offset, ...finding }) =>
    offset === undefined ? finding : { ...finding, ...placeIn(map, whole, text.slice(0, offset)) },
  );
  return [...split, ...found.filter(({ path, severity }) => severity === "error" || !isOfBroken(map, path))];
}

/**
 * Where a map form has what comes after this much of its text: in which directive, or where in which source.
 *
 * @param whole what the text is of: the map, or the map without what is broken
 */
function placeIn(map: JsonObject, whole: JsonObject, before: string): Pick<Finding, "path" | "offset"> {
  const directives = before.split("; ");
  const directive = Object.keys(whole)[directives.length - 1];
  if (directive === undefined) return { path: ["value"] };
  const words = directives.at(-1)?.split(" ") ?? [];
  if (words.length < 2) return { path: ["value", directive] };
  const index = map === whole ? words.length - 2 : indexInMap(map[directive], words.length - 2);
  return { path: ["value", directive, index], offset: words.at(-1)?.length ?? 0 };
}

/** A service that takes a policy as long as this one, with the directives that it has. */
export function allowing(declared: JsonObject, service: Service): Service {
  const text = valueText(declared.value ?? null);
  const long = withLimit(service, "policy_value_chars", oneLine(text).length);
  return allowingExpression(declared, allowingDirectives(text, long));
}

function allowingDirectives(text: string, service: Service): Service {
  const names = parsedCsp(text).policies.flatMap(({ directives }) => directives.map(({ name }) => name));
  const learnt = names.filter((name) => NAME.test(name) && !SERVICE_DIRECTIVES.has(name));
  const all = new Set([...service.extra_csp_directives, ...learnt]);
  if (all.size === service.extra_csp_directives.length) return service;
  return { ...service, extra_csp_directives: [...all] };
}

/** As files can name directives. */
const NAME = /^[a-z][a-z-]*$/;
