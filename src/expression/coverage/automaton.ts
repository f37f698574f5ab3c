import type { Budget } from "../budget.js";
import { createAutomaton, type RegexState } from "../regex/automaton.js";
import { type ByteGroups, compiled } from "../regex/compile.js";
import type { Bytes } from "../tree.js";
import { TooLarge } from "./diagram.js";

/** Reads a string byte by byte; whether a test holds for it shows in the state where it ends. */
export interface Automaton {
  readonly start: number;
  readonly step: (state: number, byte: number) => number;
  readonly accepts: (state: number) => boolean;
  /** The bytes that it tells apart; it takes all others alike, or alike between two of these if it compares order. */
  readonly bytes: Bytes;
  readonly isOrdered: boolean;
}

export function startsWith(text: Bytes): Automaton {
  return fitting([text, ""]);
}

export function endsWith(text: Bytes): Automaton {
  return fitting(["", text]);
}

export function contains(text: Bytes): Automaton {
  return fitting(["", text, ""]);
}

/**
 * The first text stands at the start, the last one at the end, and the others in order between them, as in a wildcard
 * with a star between each two. A state is how many bytes are found of all the texts in a row: of each text but the
 * first the earliest place is as good as any.
 */
export function fitting(texts: readonly Bytes[]): Automaton {
  const whole = texts.join("");
  const fallbacks = texts.map(fallbacksOf);
  const starts = startsOf(texts);
  const indexes = indexesOf(texts);
  const dead = whole.length + 1;
  const step = (state: number, byte: number): number => {
    if (state === dead) return dead;
    const index = indexes[state] ?? texts.length - 1;
    if (index === 0) return whole.charCodeAt(state) === byte ? state + 1 : dead;
    const start = starts[index] ?? 0;
    return start + advance(texts[index] ?? "", fallbacks[index] ?? [], state - start, byte);
  };
  return { start: 0, step, accepts: (state) => state === whole.length, bytes: whole, isOrdered: false };
}

function startsOf(texts: readonly Bytes[]): readonly number[] {
  let start = 0;
  return texts.map((text) => {
    start += text.length;
    return start - text.length;
  });
}

/** For each state but the last which text it is in: of those that start there the last, as the others are empty. */
function indexesOf(texts: readonly Bytes[]): readonly number[] {
  return texts.flatMap((text, index) => Array<number>(text.length).fill(index));
}

/** How much of a text is found after one more byte (Knuth, Morris and Pratt). */
function advance(text: Bytes, fallbacks: readonly number[], found: number, byte: number): number {
  let length = found;
  while (length >= 0 && (length === text.length || text.charCodeAt(length) !== byte))
    length = fallbacks[length] ?? NONE;
  return length + 1;
}

/**
 * For each length of a text's start, how much of the text is still found where another byte follows than the next one:
 * the longest end of that start that is a start too, and after which not the same byte is missed again. So a step takes
 * few of them, also in a text that repeats itself.
 */
function fallbacksOf(text: Bytes): readonly number[] {
  const fallbacks = [NONE];
  let border = 0;
  for (let length = 1; length <= text.length; length += 1) {
    const isSame = length < text.length && text.charCodeAt(length) === text.charCodeAt(border);
    fallbacks.push(isSame ? (fallbacks[border] ?? NONE) : border);
    if (length < text.length) border = advance(text, fallbacks, border, text.charCodeAt(length));
  }
  return fallbacks;
}

/** Nothing of it is found, and not even its first byte follows. */
const NONE = -1;

/** One of some texts. */
export function oneOf(texts: readonly Bytes[]): Automaton {
  const children: Map<number, number>[] = [new Map(), new Map()];
  const ends = new Set<number>();
  for (const text of texts) {
    let state = ROOT;
    for (const character of text) {
      const byte = character.charCodeAt(0);
      const next = children[state]?.get(byte) ?? children.push(new Map()) - 1;
      children[state]?.set(byte, next);
      state = next;
    }
    ends.add(state);
  }
  return {
    start: ROOT,
    step: (state, byte) => children[state]?.get(byte) ?? DEAD,
    accepts: (state) => ends.has(state),
    bytes: texts.join(""),
    isOrdered: false,
  };
}

const DEAD = 0;
const ROOT = 1;

/** How a string stands to a text in order: `decide` has -1, 0 or 1. */
export function ordered(text: Bytes, decide: (order: number) => boolean): Automaton {
  const less = text.length + 1;
  const greater = text.length + 2;
  const step = (state: number, byte: number): number => {
    if (state > text.length) return state;
    if (state === text.length) return greater;
    const expected = text.charCodeAt(state);
    return byte === expected ? state + 1 : byte < expected ? less : greater;
  };
  const order = (state: number) => (state === text.length ? 0 : state === greater ? 1 : -1);
  return { start: 0, step, accepts: (state) => decide(order(state)), bytes: text, isOrdered: true };
}

/** A test of the length. */
export function ofLength(most: number, decide: (length: bigint) => boolean): Automaton {
  return {
    start: 0,
    step: (state) => Math.min(state + 1, most),
    accepts: (state) => decide(BigInt(state)),
    bytes: "",
    isOrdered: false,
  };
}

/** The same after each byte was mapped; null leaves it out. */
export function mapped(automaton: Automaton, map: (byte: number) => number | null): Automaton {
  const table = ALL_BYTES.map(map);
  const wanted = new Set([...automaton.bytes].map((each) => each.charCodeAt(0)));
  const told = table.flatMap((to, byte) => (to === byte && !wanted.has(byte) ? [] : [byte]));
  const step = (state: number, byte: number) => {
    const to = table[byte] ?? null;
    return to === null ? state : automaton.step(state, to);
  };
  return { ...automaton, step, bytes: String.fromCharCode(...told) };
}

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte);

/**
 * Strings in which a regular expression is found; null for one that is too long or not known in full.
 *
 * @param isLoose without the bounds of long repetitions: more strings are accepted then
 */
export function matching(pattern: Bytes, budget: Budget, isLoose = false): Automaton | null {
  const program = compiled(pattern, budget, isLoose);
  if (program === null || program.steps.length > MOST_STEPS) return null;
  const automaton = createAutomaton(program, MOST_STATES, budget);
  const states: RegexState[] = [];
  const numberOf = (state: RegexState): number => {
    if (state.number === null) throw new TooLarge();
    states[state.number] = state;
    return state.number;
  };
  const stateOf = (number: number): RegexState => states[number] ?? automaton.found;
  return {
    start: numberOf(automaton.start),
    step: (state, byte) => numberOf(automaton.step(stateOf(state), byte)),
    accepts: (state) => automaton.isFoundAtEnd(stateOf(state)),
    bytes: toldApart(program.groups),
    isOrdered: false,
  };
}

const MOST_STEPS = 1500;
const MOST_STATES = 1000;

/** All bytes but those of the largest group that nothing tells from each other. */
function toldApart({ of }: ByteGroups): Bytes {
  const groups: number[][] = [];
  for (const [byte, group] of of.entries()) groups[group] = [...(groups[group] ?? []), byte];
  const [, ...others] = groups.sort((a, b) => b.length - a.length);
  return String.fromCharCode(...others.flat());
}
