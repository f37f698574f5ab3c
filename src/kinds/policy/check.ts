import { summaryOf } from "../../csp/check.js";
import { SERVICE_DIRECTIVES } from "../../csp/directives.js";
import { review } from "../../csp/lint.js";
import { fromMap, oneLine, parsedCsp } from "../../csp/syntax.js";
import { quoted } from "../../model/cut.js";
import type { Service } from "../../model/declared-zone.js";
import { isList, isObject, type Json, type JsonObject, mapValues } from "../../model/json.js";
import { lastIndexWhere } from "../../model/last-index-where.js";
import { rememberedObject, rememberedText } from "../../model/remembered.js";
import { expressionCheck } from "../expression.js";
import { error, type Finding } from "../kind.js";

const checkExpression = expressionCheck("page_shield_policy");

/** Problems of a declared policy that can be found offline and that the schema does not find. */
export function checkPolicy(declared: JsonObject, service: Service): readonly Finding[] {
  return [...checkValue(declared, service), ...checkExpression(declared, service)];
}

function checkValue({ value }: JsonObject, service: Service): readonly Finding[] {
  if (typeof value === "string") return checkText(value, service);
  return isObject(value) ? checkMap(value, service) : [];
}

/** The findings by a JSON list of the text and the service's extra directives. */
const textFindings = rememberedText((key): readonly Finding[] => {
  const [text = "", ...extra] = JSON.parse(key) as readonly string[]; // the key is made below
  return review(text, new Set([...SERVICE_DIRECTIVES, ...extra])).findings.map((finding) => {
    const { severity, code, message, start } = finding;
    return {
      path: ["value"],
      offset: start,
      severity,
      code,
      summary: summaryOf(finding, text),
      detail: message,
    };
  });
});

function checkText(text: string, service: Service): readonly Finding[] {
  return textFindings(JSON.stringify([text, ...service.extra_csp_directives]));
}

/**
 * In a map, every source is one token: a space or separator would change the policy. The rest of the map is checked
 * without such sources.
 */
function checkMap(map: JsonObject, service: Service): readonly Finding[] {
  const brokenFindings = brokenTokens(map);
  const whole = brokenFindings.length === 0 ? map : withoutBroken(map);
  if (brokenFindings.length > 0 && Object.keys(whole).length === 0) return brokenFindings;
  const tokens = tokensOf(map, whole);
  const findings = checkText(valueText(whole), service).map(({ offset, ...finding }) =>
    offset === undefined ? finding : { ...finding, ...placeIn(tokens, offset) },
  );
  return [
    ...brokenFindings,
    ...findings.filter(({ path, severity }) => severity === "error" || !isOfBroken(map, path)),
  ];
}

/** A directive or a source of a map, and where it begins in the map's text. */
interface Token {
  readonly path: Finding["path"];
  readonly start: number;
}

/** @param whole the map of the text: the declared map, or the map without its broken tokens */
function tokensOf(map: JsonObject, whole: JsonObject): readonly Token[] {
  const tokens: Token[] = [];
  let start = 0;
  const add = (path: Finding["path"], text: string) => {
    tokens.push({ path, start });
    start += text.length + " ".length;
  };
  for (const directive of Object.keys(whole)) {
    add(["value", directive], directive);
    const sources = map[directive];
    for (const [index, source] of (isList(sources) ? sources : []).entries())
      if (isSource(source)) add(["value", directive, index], String(source));
    start += ";".length;
  }
  return tokens;
}

/** The token of a map at an index in the map's text. */
function placeIn(tokens: readonly Token[], at: number): Pick<Finding, "path" | "offset"> {
  const { path, start } = tokens[lastIndexWhere(tokens, (each) => each.start <= at)] ?? NO_TOKEN;
  const [, , source] = path;
  return source === undefined ? { path } : { path, offset: at - start };
}

const NO_TOKEN: Token = { path: ["value"], start: 0 };

/** A service that accepts the directives of a policy. */
export function allowing({ value = null }: JsonObject, service: Service): Service {
  const names = parsedCsp(valueText(value)).policies.flatMap(({ directives }) =>
    directives.map(({ name }) => name),
  );
  const extra = names.filter((name) => NAME.test(name) && !SERVICE_DIRECTIVES.has(name));
  const extended = new Set([...service.extra_csp_directives, ...extra]);
  if (extended.size === service.extra_csp_directives.length) return service;
  return { ...service, extra_csp_directives: [...extended] };
}

/** The directive names that files can have. */
const NAME = /^[a-z][a-z-]*$/;

/** A declared CSP, text or map, as one line. */
export function valueText(value: Json): string {
  if (typeof value === "string") return oneLine(value);
  return isObject(value) ? mapText(value) : "";
}

const mapText = rememberedObject((map: JsonObject): string =>
  fromMap(mapValues(map, (list) => (isList(list) ? list.map(String) : []))),
);

/** The tokens of a map that contain several words. */
export function brokenTokens(map: JsonObject): readonly Finding[] {
  return Object.entries(map).flatMap(([directive, sources]) => {
    const list = isList(sources) ? sources : [];
    const nameFindings = isOneToken(directive) ? [] : [broken(["value", directive], directive)];
    const sourceFindings = list.flatMap((source, index) =>
      typeof source !== "string" || isOneToken(source) ? [] : [broken(["value", directive, index], source)],
    );
    return [...nameFindings, ...sourceFindings];
  });
}

function broken(path: Finding["path"], text: string): Finding {
  return error(
    path,
    "csp_token",
    `Several words in CSP token ${quoted(text)}`,
    "Write one directive per key and one source per item, without spaces, commas and semicolons.",
  );
}

/** The map without broken tokens. A directive is removed if all its sources are broken. */
function withoutBroken(map: JsonObject): JsonObject {
  return mapValues(map, (sources, directive) => {
    const intact = isList(sources) ? sources.filter(isSource) : [];
    const isBroken = !isOneToken(directive) || (intact.length === 0 && isList(sources) && sources.length > 0);
    return isBroken ? undefined : intact;
  });
}

/** Whether the path is a directive, some of whose sources were left out. */
function isOfBroken(map: JsonObject, [, directive, source]: Finding["path"]): boolean {
  const sources = typeof directive === "string" && source === undefined ? map[directive] : undefined;
  return isList(sources) && !sources.every(isSource);
}

function isSource(source: Json): boolean {
  return typeof source !== "string" || isOneToken(source);
}

function isOneToken(text: string): boolean {
  return /^[^\s;,]+$/.test(text);
}
