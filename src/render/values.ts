import { cutBoth } from "../model/cut.js";
import { SENSITIVE } from "../model/reference.js";
import { isMasked } from "../model/sealed.js";
import type { LoadWitness, RequestWitness } from "../plan/generated/plan-document.js";
import { looks, MAX_CHARS, plain, spelledOut, visible } from "./safe-text.js";

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

function isAlike([a = "", b = ""]: readonly string[]): boolean {
  return looks(a) === looks(b);
}

/** JSON, so that a text in quotes differs from a number or boolean. */
export function spelledValue(value: unknown): string {
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
