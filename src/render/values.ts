import { cutBoth } from "../model/cut.js";
import { isObject, type Json } from "../model/json.js";
import { SENSITIVE } from "../model/reference.js";
import { isSecret } from "../model/sealed.js";
import type { PlannedField } from "../plan/generated/plan-document.js";
import { MAX_CHARS, plain, spelledOut, visible } from "./plain.js";

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
  const [a = "", b = ""] = isAlike(shown) ? [before, after].map(spelled) : shown;
  return cutBoth(a, b, MAX_CHARS);
}

/**
 * A sensitive value before and after, by where it comes from as far as that is known. It says that it changed where that
 * alone does not. Null: it is not sensitive.
 */
export function sensitiveSides({ after: value, written }: PlannedField): readonly [string, string] | null {
  if (!isSecret(value as Json)) return null; // documents are JSON
  const before = plain(written?.before ?? SENSITIVE);
  const after = plain(written?.after ?? SENSITIVE);
  const isTelling = written?.before != null && after !== SENSITIVE && after !== before;
  if (isTelling) return [before, after];
  return [before, after === SENSITIVE ? CHANGED : `${CHANGED} ${after}`];
}

const CHANGED = "(sensitive, changed)";

/** A text in quotes, as names are shown. */
export function quoted(text: string, maxChars = MAX_CHARS): string {
  return inQuotes(plain(text, maxChars));
}

/** The name now and the one before. */
export function quotedBoth(now: string, was: string): readonly [string, string] {
  const shown = [now, was].map(visible);
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
  return a.normalize("NFKC") === b.normalize("NFKC");
}

/** A text and something else that is written like it differ in their quotes. */
function spelled(value: unknown): string {
  return spelledOut(visible(isMasked(value) ? wholeText(value) : JSON.stringify(value ?? null)));
}

/** A URL on a line with other words: one with a blank in it stands in quotes, so that it cannot add any. */
export function urlText(url: string): string {
  return url.includes(" ") || url === "" ? quoted(url, MAX_URL_CHARS) : plain(url, MAX_URL_CHARS);
}

const MAX_URL_CHARS = 200;
