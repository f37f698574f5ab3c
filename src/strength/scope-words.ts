import { domainToASCII } from "node:url";
import { coverage } from "../expression/coverage/coverage.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { renderBytes } from "../expression/spelling/render.js";
import type { Comparison, Expression, Value } from "../expression/tree.js";
import { fromBytes, toBytes } from "../expression/value.js";
import { cut, quoted } from "../model/cut.js";
import { listText, type Way } from "./move.js";

type Noun = "page" | "request";

/** The effect of a change of pages or requests, in words. */
export function coverWords(way: Way, before: string, after: string, noun: Noun): string {
  if (way === "unknown") return `unknown whether fewer ${noun}s are covered`;
  if (way !== "stronger" && matchesNone(after)) return `no longer on any ${noun}`;
  if (way !== "weaker" && matchesAll(after)) return `now on every ${noun}`;
  const leftOut = matchesAll(before) ? placesLeftOut(after) : null;
  if (leftOut !== null) return `no longer on ${placeWords(leftOut)}`;
  const [old, next] = [placesOf(before), placesOf(after)];
  const words = next && inPlaces(way, { before, old, after, next });
  return words ?? inGeneral[way](noun);
}

/** An expression that matches no request. */
export const NOTHING = "false";

/** Whether an expression surely matches no request. */
export function isNowhere(where: string): boolean {
  return coverage(where, NOTHING) === "equal";
}

/** Both sides as expressions and as places. Null: the old side is more than a list of places. */
interface Sides {
  readonly before: string;
  readonly old: readonly HostAndPath[] | null;
  readonly after: string;
  readonly next: readonly HostAndPath[];
}

/** Null: the sentence needs the old places, and they are unknown. */
function inPlaces(way: Exclude<Way, "unknown">, { before, old, after, next }: Sides): string | null {
  const removed = old === null ? [] : without(old, after, next);
  const added = without(next, before, old ?? []);
  switch (way) {
    case "weaker":
      return removed.length > 0 && areApart(removed, after)
        ? `no longer on ${placeWords(removed)}`
        : `now only on ${placeWords(next)}`;
    case "stronger":
      return added.length > 0
        ? `now ${areApart(added, before) ? "also " : ""}on ${placeWords(added)}`
        : `now on ${placeWords(next)}`;
    case "mixed": {
      if (removed.length === 0 || added.length === 0) return null;
      const verb = areApart(removed, after) ? "no longer on" : "no longer everywhere on";
      return `${verb} ${placeWords(removed)}, now on ${placeWords(added)}`;
    }
  }
}

const inGeneral: { readonly [way in Exclude<Way, "unknown">]: (noun: Noun) => string } = {
  weaker: (noun) => `on fewer ${noun}s`,
  stronger: (noun) => `on more ${noun}s`,
  mixed: (noun) => `no longer on some ${noun}s, now on others`,
};

/** Whether an expression matches every possible request. A list of places shows it without a coverage check. */
function matchesAll(where: string): boolean {
  const places = placesOf(where);
  if (places !== null) return places.some(isEverywhere);
  return parsedExpression(where).ok && coverage(`(${where}) or not (${POSSIBLE})`, "true") === "equal";
}

/** Whether an expression matches every possible request that `scope` matches. */
export function matchesAllOf(where: string, scope: string): boolean | "unknown" {
  if (matchesAll(where)) return true;
  if (!parsedExpression(where).ok || !parsedExpression(scope).ok) return "unknown";
  switch (coverage(`(${where}) or not ((${scope}) and ${POSSIBLE})`, "true")) {
    case "equal":
      return true;
    case "unknown":
      return "unknown";
    default:
      return false;
  }
}

function matchesNone(where: string): boolean {
  const places = placesOf(where);
  if (places !== null) return !places.some(isPossible);
  return parsedExpression(where).ok && coverage(possibleOnly(where), NOTHING) === "equal";
}

function possibleOnly(where: string): string {
  return `(${where}) and ${POSSIBLE}`;
}

/** Every path begins with a slash. A host contains no slash and no space. */
const POSSIBLE = `starts_with(http.request.uri.path, "/") and not http.host contains "/" and not http.host contains " "`;

/** `on /checkout/*`, `on every page`. */
export function on(where: string, noun: Noun): string {
  if (matchesAll(where)) return `on every ${noun}`;
  return matchesNone(where) ? `on no ${noun}` : onPlaces(where, noun);
}

/** After "no longer": `on /checkout/*`, `on any page`. */
export function onAny(where: string, noun: Noun): string {
  return matchesAll(where) ? `on any ${noun}` : onPlaces(where, noun);
}

function onPlaces(where: string, noun: Noun): string {
  const places = placesOf(where);
  return `on ${places === null ? `some ${noun}s` : placeWords(places)}`;
}

/** `/checkout/*`, `every request`, `requests that match EXPRESSION`. */
export function requestsOf(where: string): string {
  const words = on(where, "request").replace(/^on /, "");
  return words === "some requests" ? `requests that match ${expressionWords(where)}` : words;
}

/** Text from the files is quoted inside an expression. An invalid or shortened expression is quoted as a whole. */
function expressionWords(where: string): string {
  const isWhole = where.length <= MAX_CHARS && parsedExpression(where).ok;
  return isWhole ? where : JSON.stringify(cut(where, MAX_CHARS));
}

const MAX_CHARS = 80;

/** Null: any host, or any path. */
interface HostAndPath {
  readonly host: Compared | null;
  readonly path: Compared | null;
}

/** A field that equals the text, or begins with it. */
interface Compared {
  readonly field: string;
  readonly text: string;
  readonly begins: boolean;
}

/** The places of an expression that is a plain list of places. Null: the expression is something else. */
function placesOf(where: string): readonly HostAndPath[] | null {
  const parsed = parsedExpression(where);
  const places = parsed.ok ? placesIn(parsed.tree) : null;
  return places !== null && places.length > 0 && places.length <= MOST_PLACES ? places : null;
}

const MOST_PLACES = 100;

/** The places excluded by an expression that matches everything else. */
function placesLeftOut(where: string): readonly HostAndPath[] | null {
  const parsed = parsedExpression(where);
  const places = parsed.ok && parsed.tree.as === "not" ? placesIn(parsed.tree.item) : null;
  return places?.some(isEverywhere) === true ? null : places;
}

function placesIn(tree: Expression): readonly HostAndPath[] | null {
  if (tree.as === "comparison") return comparedPlaces(tree);
  if (tree.as !== "or" && tree.as !== "and") return null;
  const items = tree.items.map(placesIn);
  const lists = items.filter((each) => each !== null);
  if (lists.length < items.length) return null;
  return tree.as === "or"
    ? lists.flat()
    : lists.reduce<readonly HostAndPath[] | null>(intersection, [EVERYWHERE]);
}

const EVERYWHERE: HostAndPath = { host: null, path: null };

/** A host combines with a path. Two hosts, or two paths, do not combine. */
function intersection(
  first: readonly HostAndPath[] | null,
  second: readonly HostAndPath[],
): readonly HostAndPath[] | null {
  if (first === null || first.length * second.length > MOST_PLACES) return null;
  const pairs = first.flatMap((a) => second.map((b) => placeInBoth(a, b)));
  const places = pairs.filter((each) => each !== null);
  return places.length === pairs.length ? places : null;
}

function placeInBoth(a: HostAndPath, b: HostAndPath): HostAndPath | null {
  if (a.host !== null && b.host !== null) return null;
  if (a.path !== null && b.path !== null) return null;
  return { host: a.host ?? b.host, path: a.path ?? b.path };
}

function comparedPlaces({ left, test }: Comparison): readonly HostAndPath[] | null {
  if (left.as === "field" && left.name === "true") return [EVERYWHERE];
  if (left.as === "call") return test.as === "is_true" ? belowPath(left) : null;
  const name = NAMES.get(left.name);
  if (name === undefined) return null;
  const texts = textsOf(test);
  return texts?.map((text) => ({ ...EVERYWHERE, [name]: { field: left.name, text, begins: false } })) ?? null;
}

const NAMES: ReadonlyMap<string, keyof HostAndPath> = new Map([
  ["http.host", "host"],
  ["http.request.uri.path", "path"],
  ["raw.http.request.uri.path", "path"],
]);

function textsOf(test: Comparison["test"]): readonly string[] | null {
  if (test.as === "order" && test.operator === "eq" && test.right.type === "Bytes")
    return readableTexts([test.right.value]);
  if (test.as !== "in") return null;
  return readableTexts(test.ranges.flatMap((each) => (each.type === "Bytes" ? [each.value] : [])));
}

function belowPath({
  name,
  args: [field, text],
}: Extract<Value, { as: "call" }>): readonly HostAndPath[] | null {
  if (name !== "starts_with" || field?.as !== "value" || text?.as !== "literal") return null;
  const fieldName = field.value.as === "field" ? field.value.name : "";
  if (NAMES.get(fieldName) !== "path" || text.literal.type !== "Bytes") return null;
  const texts = readableTexts([text.literal.value]);
  return texts?.map((each) => ({ host: null, path: { field: fieldName, text: each, begins: true } })) ?? null;
}

/** Null: some value is empty or not readable text. */
function readableTexts(values: readonly string[]): readonly string[] | null {
  const texts = values.flatMap((bytes) => fromBytes(bytes) || []);
  return texts.length === values.length ? texts : null;
}

function placeWords(places: readonly HostAndPath[]): string {
  return listText(broadestFirst(places).map(textOf));
}

/** Long lists are cut at the end. Impossible places are named only if there are no others. */
function broadestFirst(places: readonly HostAndPath[]): readonly HostAndPath[] {
  const possible = places.filter(isPossible);
  return [...(possible.length === 0 ? places : possible)].sort(
    (a, b) => conditions(a) - conditions(b) || beginningChars(a) - beginningChars(b),
  );
}

function isPossible({ host, path }: HostAndPath): boolean {
  return (path === null || path.text.startsWith("/")) && (host === null || !/[/ ]/.test(host.text));
}

/** Fewer conditions are broader. An exact path is two conditions: its beginning and its end. */
function conditions({ host, path }: HostAndPath): number {
  return (host === null ? 0 : 1) + (path === null ? 0 : path.begins ? 1 : 2);
}

function beginningChars({ path }: HostAndPath): number {
  return path?.begins === true ? path.text.length : 0;
}

/** An expression for the broadest part of another expression, to find an example in. */
export function broadest(where: string): string {
  if (coverage(where, "true") === "equal") return "true";
  const [place] = broadestFirst(placesOf(where) ?? []);
  return place === undefined ? where : whereOf(place);
}

function whereOf({ host, path }: HostAndPath): string {
  const conditions = [host, path].flatMap((each) => (each === null ? [] : [comparisonOf(each)]));
  return conditions.join(" and ") || "true";
}

function comparisonOf({ field, text, begins }: Compared): string {
  const literal = renderBytes(toBytes(text));
  return begins ? `starts_with(${field}, ${literal})` : `${field} eq ${literal}`;
}

/** Quotes keep a text from being read as part of the sentence, or as another place. */
function textOf({ host, path }: HostAndPath): string {
  const texts = [
    ...(host === null ? [] : [hostWords(host.text)]),
    ...(path === null ? [] : [pathWords(path)]),
  ];
  return texts.join(texts.some((each) => each.includes('"')) ? " " : "");
}

/** Letters of other scripts can imitate another host, so a non-ASCII host also shows the form that browsers send. */
export function hostWords(host: string): string {
  const words = HOST_NAME.test(host) ? host : quoted(host);
  return isAscii(host) ? words : `${words} (not ASCII: ${domainToASCII(host) || encodeURIComponent(host)})`;
}

/** A dot is required: a single word could be one of the program's own words. */
const HOST_NAME = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+(?::\d+)?$/u;

function pathWords({ text, begins }: Compared): string {
  const path = isAscii(text) ? text : encodeURI(text);
  return `${/^\/[\w.~%/-]*$/.test(path) ? path : quoted(path)}${begins ? "*" : ""}`;
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** Every path begins with a slash. */
function isEverywhere({ host, path }: HostAndPath): boolean {
  return host === null && (path === null || (path.begins && path.text === "/"));
}

/** The places that the other side surely lacks. A place that reads like one of the other side's is left out. */
function without(
  places: readonly HostAndPath[],
  where: string,
  otherPlaces: readonly HostAndPath[],
): readonly HostAndPath[] {
  const texts = new Set(otherPlaces.map(textOf));
  const candidates = places.filter((each) => !texts.has(textOf(each)));
  return areApart(candidates, where) ? candidates : candidates.filter((each) => !isWithin(each, where));
}

function isWithin(place: HostAndPath, where: string): boolean {
  return ["equal", "subset"].includes(coverage(possibleOnly(whereOf(place)), possibleOnly(where)));
}

function areApart(places: readonly HostAndPath[], where: string): boolean {
  const union = places.map((each) => `(${whereOf(each)})`).join(" or ");
  return coverage(possibleOnly(union), possibleOnly(where)) === "disjoint";
}
