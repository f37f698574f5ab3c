import type { Effect } from "../../plan/generated/plan-document.js";
import { count } from "../safe-text.js";
import { WORST_FIRST } from "../words.js";

/** The default limit. GitHub allows 65,536 characters in a comment, and the Action adds some. */
export const DEFAULT_BYTES = 60_000;

/** Enough for a verdict and a digest. */
export const LEAST_BYTES = 1_000;

/** A part of a page that is never cut. */
export interface Block {
  /** Shown once for several blocks in a row with the same heading. */
  readonly heading: string | null;
  /** From short to long. The longest form that fits is shown, or none. */
  readonly forms: readonly Form[];
  /** What a left-out block counts as. */
  readonly counted: Counted;
}

interface Form {
  readonly text: string;
  /** The smallest rank matters most. */
  readonly rank: number;
}

interface Counted {
  readonly noun: "change" | "message" | "call" | "object";
  readonly n: number;
}

/** Numbers of blocks that did not fit. */
interface LeftOut {
  readonly noun: Counted["noun"];
  readonly whole: number;
  /** Shown in a shorter form. */
  readonly details: number;
}

/**
 * Fits blocks into a number of bytes: first the short forms by rank, then longer ones. Texts are never cut, so
 * characters, code blocks and tags stay whole.
 *
 * @returns a part for each block, empty where it did not fit
 */
function fitted(
  blocks: readonly Block[],
  maxBytes: number,
): { readonly parts: readonly string[]; readonly leftOut: readonly LeftOut[] } {
  const chosen: number[] = blocks.map(() => NOT_SHOWN);
  const headings = new Set<string>();
  let room = maxBytes;
  for (const { index, level } of wishes(blocks)) {
    const heading = blocks[index]?.heading ?? null;
    const headingBytes = heading === null || headings.has(heading) ? 0 : bytesOf(heading);
    const bytes = bytesAt(blocks[index], level) - bytesAt(blocks[index], chosen[index] ?? NOT_SHOWN);
    if (bytes + headingBytes > room) continue;
    room -= bytes + headingBytes;
    chosen[index] = level;
    if (heading !== null) headings.add(heading);
  }
  return { parts: partsOf(blocks, chosen), leftOut: leftOut(blocks, chosen) };
}

const NOT_SHOWN = -1;

/** Every form of every block, by rank, then in the order of the page. */
function wishes(blocks: readonly Block[]) {
  return blocks
    .flatMap(({ forms }, index) => forms.map(({ rank }, level) => ({ index, level, rank })))
    .sort((a, b) => a.rank - b.rank);
}

function bytesAt(block: Block | undefined, level: number): number {
  const form = block?.forms[level];
  return form === undefined ? 0 : bytesOf(form.text);
}

/** With the empty line behind the text. */
function bytesOf(text: string): number {
  return Buffer.byteLength(text) + 2;
}

function partsOf(blocks: readonly Block[], chosen: readonly number[]): readonly string[] {
  let last: string | null = null;
  return blocks.map(({ heading, forms }, index) => {
    const form = forms[chosen[index] ?? NOT_SHOWN];
    if (form === undefined) return "";
    const isNew = heading !== null && heading !== last;
    last = heading ?? last;
    return isNew ? `${heading}\n\n${form.text}` : form.text;
  });
}

function leftOut(blocks: readonly Block[], chosen: readonly number[]): readonly LeftOut[] {
  return NOUNS.map((noun) => {
    const sum = (matches: (level: number, longest: number) => boolean) =>
      blocks.reduce((all, { counted, forms }, index) => {
        const isCounted = counted.noun === noun && matches(chosen[index] ?? NOT_SHOWN, forms.length - 1);
        return all + (isCounted ? counted.n : 0);
      }, 0);
    return {
      noun,
      whole: sum((level) => level === NOT_SHOWN),
      details: sum((level, longest) => level !== NOT_SHOWN && level < longest),
    };
  }).filter(({ whole, details }) => whole + details > 0);
}

const NOUNS: readonly Counted["noun"][] = ["change", "message", "call", "object"];

/**
 * Blocks as a page of limited length.
 *
 * @param after the blocks behind the notice of what is left out
 * @param fullCopyNote a sentence for the notice: where the whole is
 */
export function pageOf(
  before: readonly Block[],
  after: readonly Block[],
  maxBytes: number,
  fullCopyNote: string,
): string {
  const blocks = [...before, ...after];
  const all = fitted(blocks, maxBytes);
  if (all.leftOut.length === 0) return joinedParts(all.parts);
  const { parts, leftOut } = fitted(blocks, maxBytes - NOTICE_BYTES);
  const { length } = before;
  return joinedParts([
    ...parts.slice(0, length),
    noticeText(leftOut, maxBytes, fullCopyNote),
    ...parts.slice(length),
  ]);
}

function joinedParts(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function noticeText(leftOut: readonly LeftOut[], maxBytes: number, fullCopyNote: string): string {
  const whole = leftOut.filter((each) => each.whole > 0).map((each) => count(each.whole, each.noun));
  const details = leftOut.filter((each) => each.details > 0).map((each) => count(each.details, each.noun));
  const parts = [
    ...(whole.length === 0 ? [] : [`${whole.join(", ")}`]),
    ...(details.length === 0 ? [] : [`details of ${details.join(", ")}`]),
  ];
  return `> [!IMPORTANT]\n> Left out to fit into ${maxBytes} bytes: ${parts.join("; ")}. ${fullCopyNote}`;
}

/** More than any notice takes. */
const NOTICE_BYTES = 400;

/** The order in which parts of a page get the limited room. */
export const RANKS = {
  head: 0,
  first: 1,
  guardrail: 2,
  headInFull: 10,
  firstInFull: 11,
  /** After the titles of changes that weaken. */
  error: 23,
  undeclared: 24,
  /** After the titles of all changes. */
  guardrailInFull: 28,
  errorInFull: 29,
  undeclaredInFull: 45,
  errorZones: 55,
  /** After the zones of all changes. */
  warning: 65,
  warningInFull: 66,
  warningZones: 67,
  unmanaged: 70,
  unmanagedInFull: 71,
  call: 80,
  callInFull: 81,
} as const;

export function changeRanks(effect: Effect) {
  const place = WORST_FIRST.indexOf(effect);
  return { title: 20 + place, reasons: 30 + place, fields: 40 + place, zones: 50 + place, whole: 60 + place };
}
