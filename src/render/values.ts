import { cutBoth } from "../model/cut.js";
import { equal, isObject, type Json } from "../model/json.js";
import { SENSITIVE } from "../model/reference.js";
import { isNotCompared, isSecret, isSensitive } from "../model/sealed.js";
import type { LoadWitness, PlannedField, RequestWitness } from "../plan/generated/plan-document.js";
import { looks, MAX_CHARS, plain, spelledOut, visible } from "./plain.js";

/** A value for people. */
export function valueText(value: unknown): string {
  return plain(wholeText(value));
}

/**
 * The same value before and after. Two that differ never look alike: where they do, characters beyond ASCII are spelled
 * out; and of long ones, what differs is shown.
 */
export function changedTexts(before: unknown, after: unknown): readonly [string, string] {
  const shown = [before, after].map((value) => visible(wholeText(value)));
  const [a = "", b = ""] = isAlike(shown) ? [before, after].map(spelledValue) : shown;
  return cutBoth(a, b, MAX_CHARS);
}

export type Three<Each> = readonly [Each, Each, Each];

/** Three values that differ, as texts of which none looks like another; of long ones, what differs is shown. */
export function threeValues([a, b, c]: Three<unknown>): Three<string> {
  const shown = (value: unknown) => visible(wholeText(value));
  const texts: Three<string> = [shown(a), shown(b), shown(c)];
  return cutThree(pairsOf(texts).some(isAlike) ? [spelledValue(a), spelledValue(b), spelledValue(c)] : texts);
}

/** The same of visible texts, some of which may be the same. */
export function threeTexts(texts: Three<string>): Three<string> {
  const [a, b, c] = texts;
  const isMistaken = pairsOf(texts).some((pair) => pair[0] !== pair[1] && isAlike(pair));
  return cutThree(isMistaken ? [spelledOut(a), spelledOut(b), spelledOut(c)] : texts);
}

function cutThree(texts: Three<string>): Three<string> {
  const [a, b, c] = texts;
  const [cutA, cutB] = cutBoth(a, b, MAX_CHARS);
  const cut: Three<string> = [cutA, cutB, cutBoth(a, c, MAX_CHARS)[1]];
  // Where two differ from the first alike, what differs between them may have been left out.
  return new Set(cut).size < new Set(texts).size ? texts : cut;
}

function pairsOf<Each>([a, b, c]: Three<Each>): readonly (readonly [Each, Each])[] {
  return [
    [a, b],
    [a, c],
    [b, c],
  ];
}

/**
 * A sensitive value before and after, by where it comes from as far as that is known. It says that it changed where that
 * alone does not. Null: it is not sensitive.
 */
export function sensitiveSides(field: PlannedField): readonly [string, string] | null {
  const { before: live, after: value, written } = field;
  // What was done outside leads away from what the files say.
  if (isSecret(live as Json)) return [plain(written?.after ?? SENSITIVE), afterText(value)]; // documents are JSON
  if (isSensitive(live as Json) && isSensitive(value as Json))
    return [equal(live as Json, ABSENT) ? valueText(null) : SENSITIVE, afterText(value)];
  if (!isSecret(value as Json)) return null;
  if (isNotCompared(live)) return [NOT_COMPARED, plain(written?.after ?? SENSITIVE)];
  const before = plain(written?.before ?? SENSITIVE);
  const after = plain(written?.after ?? SENSITIVE);
  const isTelling = written?.before != null && after !== SENSITIVE && after !== before;
  if (isTelling) return [before, after];
  return [before, after === SENSITIVE ? CHANGED : `${CHANGED} ${after}`];
}

const ABSENT = { $sensitive: "absent" };

function afterText(value: unknown): string {
  if (value === null) return valueText(value);
  return isNotCompared(value) ? NOT_COMPARED : CHANGED;
}

const CHANGED = "(sensitive, changed)";
const NOT_COMPARED = "(sensitive, not compared)";

/** A text in quotes, as names are shown. */
export function quoted(text: string, maxChars = MAX_CHARS): string {
  return inQuotes(plain(text, maxChars));
}

/** The name now and the one before. */
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

/** Whether nobody takes the text for something else when it stands without quotes: for words of ours, or for no blank. */
function isClear(text: string): boolean {
  return text !== "" && !/^ | $|^\((?:not set|sensitive)| → /.test(text);
}

function isMasked(value: unknown): boolean {
  return isObject(value) && ("$secret" in value || "$sensitive" in value);
}

function isAlike([a = "", b = ""]: readonly string[]): boolean {
  return looks(a) === looks(b);
}

/** A text and something else that is written like it differ in their quotes. */
function spelledValue(value: unknown): string {
  return spelledOut(visible(isMasked(value) ? wholeText(value) : JSON.stringify(value ?? null)));
}

/** A URL on a line with other words: one with a blank in it stands in quotes, so that it cannot add any. */
export function urlText(url: string): string {
  return url.includes(" ") || url === "" ? quoted(url, MAX_URL_CHARS) : plain(url, MAX_URL_CHARS);
}

const MAX_URL_CHARS = 200;

export type Sides = { readonly [side in "added" | "removed"]: readonly string[] };

/** Of long members, what differs from a long one on the other side is shown. */
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

/** One thing that shows what a change does; null: none is known, or any would. */
export function witnessText(witness: LoadWitness | RequestWitness | null): string | null {
  switch (witness?.as) {
    case "load":
      return `${LOADS[witness.kind]}${urlText(witness.url)} on ${urlText(witness.page)} is no longer caught`;
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
