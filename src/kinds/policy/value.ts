import { fromMap, oneLine } from "../../csp/syntax.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { remembered } from "../../model/remembered.js";
import type { Finding } from "../kind.js";

/** A declared CSP, text or map, on one line. */
export function valueText(value: Json): string {
  if (typeof value === "string") return oneLine(value);
  return isObject(value) ? mapText(value) : "";
}

const mapText = remembered((map: JsonObject) =>
  fromMap(
    Object.fromEntries(
      Object.entries(map).map(([name, list]) => [name, isList(list) ? list.map(String) : []]),
    ),
  ),
);

/** What in a map form is not one token. */
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
  return {
    path,
    severity: "error",
    code: "csp_token",
    summary: "The CSP value cannot be used",
    detail: `${JSON.stringify(text)} is not one word. Each key is one directive and each item one source, without blanks, commas and semicolons.`,
  };
}

/** The map with what is whole; a list of which nothing is left goes with its directive. */
export function withoutBroken(map: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).flatMap(([directive, sources]) => {
      const kept = isList(sources) ? sources.filter(isSource) : [];
      const isBroken = !isOneToken(directive) || (kept.length === 0 && isList(sources) && sources.length > 0);
      return isBroken ? [] : [[directive, kept]];
    }),
  );
}

/** About all of a directive's sources, where some were left out. */
export function isOfBroken(map: JsonObject, [, directive, source]: Finding["path"]): boolean {
  const sources = typeof directive === "string" && source === undefined ? map[directive] : undefined;
  return isList(sources) && !sources.every(isSource);
}

/** Where a list has the source that is this one of those that are not broken. */
export function indexInMap(sources: Json | undefined, wanted: number): number {
  const whole = isList(sources)
    ? [...sources.keys()].filter((index) => isSource(sources[index] ?? null))
    : [];
  return whole[wanted] ?? wanted;
}

function isSource(source: Json): boolean {
  return typeof source !== "string" || isOneToken(source);
}

function isOneToken(text: string): boolean {
  return /^[^\s;,]+$/.test(text);
}
