import { cutBoth } from "../model/cut.js";
import { equal, isObject, type Json } from "../model/json.js";
import { SENSITIVE } from "../model/reference.js";
import { isNotCompared, isSecret, isSensitive } from "../model/sealed.js";
import type { LoadWitness, PlannedField, RequestWitness } from "../plan/generated/plan-document.js";
import { looks, MAX_CHARS, plain, spelledOut, visible } from "./plain.js";

export function valueText(value: unknown): string {
  return plain(wholeText(value));
}

/**
 * Two texts of a value before and after. Different values never look alike: if needed, characters beyond ASCII are
 * spelled out. Long texts are cut to their difference.
 */
export function changedTexts(before: unknown, after: unknown): readonly [string, string] {
  const shown = [before, after].map((value) => visible(wholeText(value)));
  const [a = "", b = ""] = isAlike(shown) ? [before, after].map(spelledValue) : shown;
  return cutBoth(a, b, MAX_CHARS);
}

export type Three<Each> = readonly [Each, Each, Each];

/** Like changedTexts(), for three different values. */
export function threeValues([a, b, c]: Three<unknown>): Three<string> {
  const shown = (value: unknown) => visible(wholeText(value));
  const texts: Three<string> = [shown(a), shown(b), shown(c)];
  return cutThree(pairsOf(texts).some(isAlike) ? [spelledValue(a), spelledValue(b), spelledValue(c)] : texts);
}

/** Like threeValues(), for visible texts that may be equal. */
export function threeTexts(texts: Three<string>): Three<string> {
  const [a, b, c] = texts;
  const isMistaken = pairsOf(texts).some((pair) => pair[0] !== pair[1] && isAlike(pair));
  return cutThree(isMistaken ? [spelledOut(a), spelledOut(b), spelledOut(c)] : texts);
}

function cutThree(texts: Three<string>): Three<string> {
  const [a, b, c] = texts;
  const [cutA, cutB] = cutBoth(a, b, MAX_CHARS);
  const cut: Three<string> = [cutA, cutB, cutBoth(a, c, MAX_CHARS)[1]];
  // The cut may have removed the difference between the second and the third.
  return new Set(cut).size < new Set(texts).size ? texts : cut;
}

function pairsOf<Each>([a, b, c]: Three<Each>): readonly (readonly [Each, Each])[] {
  return [
    [a, b],
    [a, c],
    [b, c],
  ];
}

/** A sensitive value before and after, shown by its source where that is known and differs. Null: not sensitive. */
export function sensitiveSides(field: PlannedField): readonly [string, string] | null {
  const { before: live, after: value, written } = field;
  // Drift: the declared value is on the left.
  const [before, after] = [sourceText(written?.before), sourceText(written?.after)];
  if (isSecret(live as Json)) return [after, afterText(value)]; // documents are JSON
  if (isSensitive(live as Json) && isSensitive(value as Json))
    return [equal(live as Json, ABSENT) ? valueText(null) : SENSITIVE, afterText(value)];
  if (!isSecret(value as Json)) return null;
  if (isNotCompared(live)) return [NOT_COMPARED, after];
  if (after === SENSITIVE) return [before, CHANGED];
  // A name that both sides have says nothing about the change.
  return [before === after ? SENSITIVE : before, after];
}

/** The text of a file, with "…" for what is masked beside the name of a secret. */
function sourceText(source: string | null | undefined): string {
  const text = plain(source ?? SENSITIVE);
  return text.includes("${") ? text.replaceAll(SENSITIVE, "…") : text;
}

const ABSENT = { $sensitive: "absent" };

function afterText(value: unknown): string {
  if (value === null) return valueText(value);
  return isNotCompared(value) ? NOT_COMPARED : CHANGED;
}

const CHANGED = "(sensitive, changed)";
const NOT_COMPARED = "(sensitive, not compared)";

/** A name in quotes. */
export function quoted(text: string, maxChars = MAX_CHARS): string {
  return inQuotes(plain(text, maxChars));
}

/** The present and the former name. */
export function quotedBoth(now: string, before: string): readonly [string, string] {
  const shown = [now, before].map(visible);
  const [a = "", b = ""] = isAlike(shown) ? shown.map(spelledOut) : shown;
  const [cutNow, cutWas] = cutBoth(a, b, MAX_CHARS);
  return [inQuotes(cutNow), inQuotes(cutWas)];
}

function inQuotes(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}

export function wholeText(value: unknown): string {
  if (value === null || value === undefined) return "(not set)";
  if (typeof value === "string") return isClear(value) ? value : inQuotes(value);
  return isMasked(value) ? SENSITIVE : JSON.stringify(value);
}

/** Whether a text needs no quotes: it is not blank, and cannot be taken for words of the program. */
function isClear(text: string): boolean {
  return text !== "" && !/^ | $|^\((?:not set|sensitive)| → /.test(text);
}

function isMasked(value: unknown): boolean {
  return isObject(value) && ("$secret" in value || "$sensitive" in value);
}

function isAlike([a = "", b = ""]: readonly string[]): boolean {
  return looks(a) === looks(b);
}

/** JSON, so that a text in quotes differs from a number or boolean. */
function spelledValue(value: unknown): string {
  return spelledOut(visible(isMasked(value) ? wholeText(value) : JSON.stringify(value ?? null)));
}

/** A URL among other words. With a blank in it, the URL is quoted, so that it cannot add words. */
function urlText(url: string): string {
  return url.includes(" ") || url === "" ? quoted(url, MAX_URL_CHARS) : plain(url, MAX_URL_CHARS);
}

/** A load and the page that shows it. */
export function urlOnPage({ url, page }: { readonly url: string; readonly page: string | null }): string {
  return `${urlText(url)}${page === null ? "" : ` on ${urlText(page)}`}`;
}

const MAX_URL_CHARS = 200;

export type Sides = { readonly [side in "added" | "removed"]: readonly string[] };

/** Long members are cut to their difference from a long member on the other side. */
export function shownSides({ added, removed }: Sides): Sides {
  const sides = [added, removed].map((side) => side.map((member) => visible(member)));
  const [longPlus = [], longMinus = []] = sides.map((side) =>
    side.filter((member) => member.length > MAX_CHARS),
  );
  const texts = new Map<string, string>();
  for (let index = 0; index < Math.max(longPlus.length, longMinus.length); index++) {
    const [a, b] = [longPlus[index] ?? "", longMinus[index] ?? ""];
    const cut = cutBoth(a, b, MAX_CHARS);
    texts.set(a, cut[0]).set(b, cut[1]);
  }
  const [plus = [], minus = []] = sides.map((side) => side.map((member) => texts.get(member) ?? member));
  return { added: plus, removed: minus };
}

/** An example of the effect of a change. Null: none is known, or every request is one. */
export function witnessText(witness: LoadWitness | RequestWitness | null): string | null {
  switch (witness?.as) {
    case "load":
      return `${LOADS[witness.kind]}${urlOnPage(witness)} is no longer caught`;
    case "request":
      return Object.keys(witness.request).length === 0
        ? null
        : `a request with ${requestText(witness.request)} is no longer caught`;
    default:
      return null;
  }
}

const LOADS = { script: "", connection: "a connection to " } as const;

/** `http.host "shop.example.com", http.request.uri.path "/checkout"`. */
function requestText(request: { readonly [field: string]: unknown }): string {
  const fields = Object.entries(request);
  const shown = fields.slice(0, MAX_FIELDS).map(([name, value]) => `${plain(name)} ${fieldText(value)}`);
  return `${shown.join(", ")}${fields.length > MAX_FIELDS ? ", …" : ""}`;
}

const MAX_FIELDS = 6;
const MAX_FIELD_CHARS = 100;

function fieldText(value: unknown): string {
  return typeof value === "string"
    ? quoted(value, MAX_FIELD_CHARS)
    : plain(JSON.stringify(value) ?? "null", MAX_FIELD_CHARS);
}
