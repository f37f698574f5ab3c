import { domainToASCII } from "node:url";
import { coverage } from "../expression/coverage/coverage.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { renderBytes } from "../expression/spelling/render.js";
import type { Comparison, Expression, Value } from "../expression/tree.js";
import { fromBytes, toBytes } from "../expression/value.js";
import { cut, quoted } from "../model/cut.js";
import { listed, type Way } from "./move.js";

type Noun = "page" | "request";

/** What happens to where something applies, in words. */
export function coverWords(way: Way, before: string, after: string, noun: Noun): string {
  if (way === "unknown") return `whether it applies to fewer ${noun}s cannot be decided`;
  if (way !== "stronger" && matchesNone(after)) return `on no ${noun} any more`;
  if (way !== "weaker" && matchesAll(after)) return `now on every ${noun}`;
  const left = matchesAll(before) ? placesLeftOut(after) : null;
  if (left !== null) return `no longer on ${placeWords(left)}`;
  const [old, now] = [placesOf(before), placesOf(after)];
  return (now === null ? null : inPlaces(way, { before, old, after, now })) ?? inGeneral[way](noun);
}

/** An expression that matches no request. */
export const NOTHING = "false";

/** Both sides as expressions and as places, which are null where the old side is something else. */
interface Sides {
  readonly before: string;
  readonly old: readonly Place[] | null;
  readonly after: string;
  readonly now: readonly Place[];
}

/** Null: the old places are needed to say it. */
function inPlaces(way: Exclude<Way, "unknown">, { before, old, after, now }: Sides): string | null {
  const removed = old === null ? [] : without(old, after, now);
  const added = without(now, before, old ?? []);
  switch (way) {
    case "weaker":
      return removed.length > 0 && areApart(removed, after)
        ? `no longer on ${placeWords(removed)}`
        : `now only on ${placeWords(now)}`;
    case "stronger":
      return added.length > 0
        ? `now ${areApart(added, before) ? "also " : ""}on ${placeWords(added)}`
        : `now on ${placeWords(now)}`;
    case "mixed": {
      if (removed.length === 0 || added.length === 0) return null;
      const left = areApart(removed, after) ? "no longer on" : "no longer everywhere on";
      return `${left} ${placeWords(removed)}, now on ${placeWords(added)}`;
    }
  }
}

const inGeneral: { readonly [way in Exclude<Way, "unknown">]: (noun: Noun) => string } = {
  weaker: (noun) => `on fewer ${noun}s`,
  stronger: (noun) => `on more ${noun}s`,
  mixed: (noun) => `no longer on some ${noun}s, now on others`,
};

/** Whether an expression matches each request that there can be. Of nothing but places that shows without looking further. */
function matchesAll(where: string): boolean {
  const places = placesOf(where);
  if (places !== null) return places.some(isEverywhere);
  return parsedExpression(where).ok && coverage(`(${where}) or not (${POSSIBLE})`, "true") === "equal";
}

/** Whether an expression matches each request that there can be of those that another one matches. */
export function matchesAllOf(where: string, others: string): boolean | "unknown" {
  if (matchesAll(where)) return true;
  if (!parsedExpression(where).ok || !parsedExpression(others).ok) return "unknown";
  switch (coverage(`(${where}) or not ((${others}) and ${POSSIBLE})`, "true")) {
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
  return parsedExpression(where).ok && coverage(possible(where), NOTHING) === "equal";
}

function possible(where: string): string {
  return `(${where}) and ${POSSIBLE}`;
}

/** A path begins with a slash, and a host has neither that nor a blank. */
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

/** `/checkout/*`, `every request`, `requests of EXPRESSION`. */
export function requestsOf(where: string): string {
  const words = on(where, "request").replace(/^on /, "");
  return words === "some requests" ? `requests of ${expressionWords(where)}` : words;
}

/** What the files write freely stands in quotes in an expression. What is none, or is cut within them, is put into some. */
function expressionWords(where: string): string {
  const isWhole = where.length <= MAX_CHARS && parsedExpression(where).ok;
  return isWhole ? where : JSON.stringify(cut(where, MAX_CHARS));
}

const MAX_CHARS = 80;

/** A host and a path; null: any. */
interface Place {
  readonly host: Compared | null;
  readonly path: Compared | null;
}

/** What a field is, or begins with. */
interface Compared {
  readonly field: string;
  readonly text: string;
  readonly begins: boolean;
}

/** The places of an expression that is nothing but a list of them; null: it is something else. */
function placesOf(where: string): readonly Place[] | null {
  const parsed = parsedExpression(where);
  const places = parsed.ok ? placesIn(parsed.tree) : null;
  return places !== null && places.length > 0 && places.length <= MOST_PLACES ? places : null;
}

const MOST_PLACES = 100;

/** The places of an expression that is for all others. */
function placesLeftOut(where: string): readonly Place[] | null {
  const parsed = parsedExpression(where);
  const places = parsed.ok && parsed.tree.as === "not" ? placesIn(parsed.tree.item) : null;
  return places?.some(isEverywhere) === true ? null : places;
}

function placesIn(tree: Expression): readonly Place[] | null {
  if (tree.as === "comparison") return comparedPlaces(tree);
  if (tree.as !== "or" && tree.as !== "and") return null;
  const items = tree.items.map(placesIn);
  const known = items.filter((each) => each !== null);
  if (known.length < items.length) return null;
  return tree.as === "or" ? known.flat() : known.reduce<readonly Place[] | null>(bothOf, [EVERYWHERE]);
}

const EVERYWHERE: Place = { host: null, path: null };

/** Hosts and paths go together; two hosts, or two paths, do not. */
function bothOf(some: readonly Place[] | null, others: readonly Place[]): readonly Place[] | null {
  if (some === null || some.length * others.length > MOST_PLACES) return null;
  const both = some.flatMap((a) => others.map((b) => placeOf(a, b)));
  const known = both.filter((each) => each !== null);
  return known.length === both.length ? known : null;
}

function placeOf(a: Place, b: Place): Place | null {
  if (a.host !== null && b.host !== null) return null;
  if (a.path !== null && b.path !== null) return null;
  return { host: a.host ?? b.host, path: a.path ?? b.path };
}

function comparedPlaces({ left, test }: Comparison): readonly Place[] | null {
  if (left.as === "field" && left.name === "true") return [EVERYWHERE];
  if (left.as === "call") return test.as === "is_true" ? beginning(left) : null;
  const name = NAMES.get(left.name);
  if (name === undefined) return null;
  const texts = textsOf(test);
  return texts?.map((text) => ({ ...EVERYWHERE, [name]: { field: left.name, text, begins: false } })) ?? null;
}

const NAMES: ReadonlyMap<string, keyof Place> = new Map([
  ["http.host", "host"],
  ["http.request.uri.path", "path"],
  ["raw.http.request.uri.path", "path"],
]);

function textsOf(test: Comparison["test"]): readonly string[] | null {
  if (test.as === "order" && test.operator === "eq" && test.right.type === "Bytes")
    return shown([test.right.value]);
  if (test.as !== "in") return null;
  return shown(test.ranges.flatMap((each) => (each.type === "Bytes" ? [each.value] : [])));
}

function beginning({ name, args: [field, text] }: Extract<Value, { as: "call" }>): readonly Place[] | null {
  if (name !== "starts_with" || field?.as !== "value" || text?.as !== "literal") return null;
  const of = field.value.as === "field" ? field.value.name : "";
  if (NAMES.get(of) !== "path" || text.literal.type !== "Bytes") return null;
  const texts = shown([text.literal.value]);
  return texts?.map((each) => ({ host: null, path: { field: of, text: each, begins: true } })) ?? null;
}

/** What is no text, or none that anybody would recognise, as an empty one, is not shown as one. */
function shown(all: readonly string[]): readonly string[] | null {
  const texts = all.flatMap((bytes) => fromBytes(bytes) || []);
  return texts.length === all.length ? texts : null;
}

function placeWords(places: readonly Place[]): string {
  return listed(broadestFirst(places).map(textOf));
}

/** The last ones of many are left out of a sentence. What can be no place is named only where nothing else is. */
function broadestFirst(places: readonly Place[]): readonly Place[] {
  const possible = places.filter(isPossible);
  return [...(possible.length === 0 ? places : possible)].sort(
    (a, b) => conditions(a) - conditions(b) || beginningChars(a) - beginningChars(b),
  );
}

function isPossible({ host, path }: Place): boolean {
  return (path === null || path.text.startsWith("/")) && (host === null || !/[/ ]/.test(host.text));
}

/** More of them leave less. To be a path is to begin with it and to end there. */
function conditions({ host, path }: Place): number {
  return (host === null ? 0 : 1) + (path === null ? 0 : path.begins ? 1 : 2);
}

function beginningChars({ path }: Place): number {
  return path?.begins === true ? path.text.length : 0;
}

/** The broadest part of what an expression matches, as an expression: for an example of it. */
export function broadest(where: string): string {
  if (coverage(where, "true") === "equal") return "true";
  const [place] = broadestFirst(placesOf(where) ?? []);
  return place === undefined ? where : whereOf(place);
}

function whereOf({ host, path }: Place): string {
  const conditions = [host, path].flatMap((each) => (each === null ? [] : [comparisonOf(each)]));
  return conditions.join(" and ") || "true";
}

function comparisonOf({ field, text, begins }: Compared): string {
  const literal = renderBytes(toBytes(text));
  return begins ? `starts_with(${field}, ${literal})` : `${field} eq ${literal}`;
}

/** In quotes is what might be taken for words of the sentence, or for another place. */
function textOf({ host, path }: Place): string {
  const texts = [
    ...(host === null ? [] : [hostWords(host.text)]),
    ...(path === null ? [] : [pathWords(path)]),
  ];
  return texts.join(texts.some((each) => each.includes('"')) ? " " : "");
}

/** Letters of other scripts look like those of another host: as a browser sends it, each host is told from each other. */
export function hostWords(host: string): string {
  const words = HOST_NAME.test(host) ? host : quoted(host);
  return isAscii(host) ? words : `${words} (not ASCII: ${domainToASCII(host) || encodeURIComponent(host)})`;
}

/** With a dot: a single word could be one of ours. */
const HOST_NAME = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+(?::\d+)?$/u;

function pathWords({ text, begins }: Compared): string {
  const path = isAscii(text) ? text : encodeURI(text);
  return `${/^\/[\w.~%/-]*$/.test(path) ? path : quoted(path)}${begins ? "*" : ""}`;
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** Each path begins with a slash. */
function isEverywhere({ host, path }: Place): boolean {
  return host === null && (path === null || (path.begins && path.text === "/"));
}

/** Those that the other side does not have for sure. What is written in the same words can be something else all the same. */
function without(places: readonly Place[], where: string, others: readonly Place[]): readonly Place[] {
  const texts = new Set(others.map(textOf));
  const some = places.filter((each) => !texts.has(textOf(each)));
  return areApart(some, where) ? some : some.filter((each) => !isWithin(each, where));
}

function isWithin(place: Place, where: string): boolean {
  return ["equal", "subset"].includes(coverage(possible(whereOf(place)), possible(where)));
}

function areApart(places: readonly Place[], where: string): boolean {
  const any = places.map((each) => `(${whereOf(each)})`).join(" or ");
  return coverage(possible(any), possible(where)) === "disjoint";
}
