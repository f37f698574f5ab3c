import { cutEnd } from "../model/cut.js";
import { secretByLook } from "../model/secrets-in-text.js";
import { plainest, type Range, readings } from "./readings.js";

/** Makes text from outside fit to be shown. */
export type Cleaner = (text: string, limitChars?: number) => string;

/**
 * What the service says may repeat what it was sent, and what it holds. Secrets are taken out, those that are known by
 * their value and others by their look, in any spelling; characters that steer a terminal are replaced; and a long
 * text is cut, last, so that no part of a secret is left at the cut.
 *
 * @param known as `spellings` gives them; what is added to them later is taken out from then on
 */
export function cleaner(known: ReadonlySet<string>): Cleaner {
  return (text, limitChars = 500) => cutEnd(visible(redacted(text, limitChars, known)), limitChars);
}

/** A text, at its full length, without secrets: those that are known, and what looks like one. */
export function withoutSecrets(text: string, known: ReadonlySet<string> = NOTHING_KNOWN): string {
  return redacted(text, text.length, known);
}

const NOTHING_KNOWN: ReadonlySet<string> = new Set();

/** What a secret is known by. Of one that is too short to be told from what it is not, nothing. */
export function spellings(secret: string): readonly string[] {
  return [folded(secret), folded(plainest(secret))].filter((each) => each.trim().length >= LEAST_CHARS);
}

const LEAST_CHARS = 3;

/**
 * For comparing: the case of letters is not told apart, nor are a blank and the `+` that a form has for it. Every
 * character keeps its place.
 */
function folded(text: string): string {
  const lower = text.toLowerCase();
  const small =
    lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return small.replace(/[\s+]/g, " ");
}

/** What is put in place of a secret. */
export const REDACTED = "[redacted]";

/** Of a long text, so much more is looked at than may be shown, and is not shown: no secret is longer in any spelling. */
const LONGEST_CHARS = 16_384;

function redacted(text: string, limitChars: number, known: ReadonlySet<string>): string {
  const seen = text.slice(0, limitChars + LONGEST_CHARS);
  const isWhole = seen.length === text.length;
  const shown = isWhole ? seen : seen.slice(0, limitChars);
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of joined(secretIn(seen, [...known]))) {
    parts.push(shown.slice(done, start), start < shown.length ? REDACTED : "");
    done = end;
  }
  return parts.join("") + shown.slice(done) + (isWhole ? "" : "…");
}

/** In order; what touches is one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const all: [number, number][] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last === undefined || start > last[1]) all.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return all;
}

/** How often one encoding is looked for in another. */
const MAX_DEPTH = 2;

function secretIn(text: string, needles: readonly string[], depth = MAX_DEPTH): readonly Range[] {
  return readings(text).flatMap((reading) => {
    const own = [
      ...byValue(folded(reading.text), needles),
      ...secretByLook(reading.text),
      ...(depth === 0 ? [] : wrapped(reading.text, needles, depth)),
    ];
    return own.map(([start, end]) => reading.origin(start, end));
  });
}

/** A shorter secret is only one where it stands alone: it is part of too many words. */
const MIN_CHARS = 6;

function byValue(text: string, needles: readonly string[]): readonly Range[] {
  return needles.flatMap((needle) => {
    const found: Range[] = [];
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
      const end = at + needle.length;
      if (needle.length >= MIN_CHARS || isAlone(text, at, end)) found.push([at, end]);
    }
    return found;
  });
}

function isAlone(text: string, start: number, end: number): boolean {
  return !/\w/.test(text.charAt(start - 1) + text.charAt(end));
}

/** In base64, of both alphabets and in lines, each character stands for 6 bits: a run may begin at any of four. */
const BASE64 = /[A-Za-z0-9+/_-]{6,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}/g;
const HEX = /(?:[0-9a-f]{2}){4,}/gi;

/** Runs of characters that have a secret in them once they are decoded. */
function wrapped(text: string, needles: readonly string[], depth: number): readonly Range[] {
  const long = needles.filter((each) => each.length >= MIN_CHARS);
  const isTelling = (meant: readonly string[]) => secretIn(meant.join(" \n"), long, depth - 1).length > 0;
  const runs = [...runsIn(text, BASE64, "base64", [0, 1, 2, 3]), ...runsIn(text, HEX, "hex", [0, 1])];
  // Mostly there is nothing in any of them.
  if (runs.length === 0 || !isTelling(runs.flatMap(({ meant }) => meant))) return [];
  return runs.filter(({ meant }) => isTelling(meant)).map(({ at }) => at);
}

interface Run {
  readonly at: Range;
  /** What it may stand for. */
  readonly meant: readonly string[];
}

function runsIn(
  text: string,
  pattern: RegExp,
  encoding: "base64" | "hex",
  offsets: readonly number[],
): readonly Run[] {
  return [...text.matchAll(pattern)].map(({ 0: run, index }) => {
    const bare = run.replace(/\s/g, "");
    const meant = offsets.map((offset) => Buffer.from(bare.slice(offset), encoding).toString("utf8"));
    return { at: [index, index + run.length], meant };
  });
}

function visible(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd")
    .trim();
}
