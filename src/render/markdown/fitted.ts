/** A part of a page that stays whole. */
export interface Block {
  /** Of several blocks in a row with the same heading the first that is shown has it. */
  readonly heading: string | null;
  /** From short to long: the longest that there is room for is shown, or none. */
  readonly forms: readonly Form[];
  /** What it counts as where it is left out. */
  readonly of: Counted;
}

export interface Form {
  readonly text: string;
  /** What matters most has the smallest. */
  readonly rank: number;
}

export interface Counted {
  readonly noun: "change" | "message" | "call" | "object";
  readonly n: number;
}

/** What there was no room for. */
export interface LeftOut {
  readonly noun: Counted["noun"];
  /** Not shown at all. */
  readonly whole: number;
  /** Shown without all that there is to say. */
  readonly details: number;
}

/**
 * Blocks and what lies between them, within so many bytes: first what matters most of each, then more of each. Texts are
 * never cut, so that no character, block of code or tag is.
 *
 * @returns a part for each block, empty where there was no room
 */
export function fitted(
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

/** Every form of every block, those that matter most first; of equal ones in the order of the page. */
function wishes(blocks: readonly Block[]) {
  return blocks
    .flatMap(({ forms }, index) => forms.map(({ rank }, level) => ({ index, level, rank })))
    .sort((a, b) => a.rank - b.rank);
}

function bytesAt(block: Block | undefined, level: number): number {
  const form = block?.forms[level];
  return form === undefined ? 0 : bytesOf(form.text);
}

/** With the empty line behind it. */
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
    const sum = (which: (level: number, longest: number) => boolean) =>
      blocks.reduce((all, { of, forms }, index) => {
        const isCounted = of.noun === noun && which(chosen[index] ?? NOT_SHOWN, forms.length - 1);
        return all + (isCounted ? of.n : 0);
      }, 0);
    return {
      noun,
      whole: sum((level) => level === NOT_SHOWN),
      details: sum((level, longest) => level !== NOT_SHOWN && level < longest),
    };
  }).filter(({ whole, details }) => whole + details > 0);
}

const NOUNS: readonly Counted["noun"][] = ["change", "message", "call", "object"];
