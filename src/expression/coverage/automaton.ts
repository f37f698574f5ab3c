import { type Budget, spend } from "../budget.js";
import { createAutomaton } from "../regex/automaton.js";
import { type ByteGroups, compiledPattern } from "../regex/compile.js";
import type { Bytes } from "../tree.js";
import { TooLarge } from "./diagram.js";

/** Reads a string byte by byte. The state at the end tells whether a test holds. */
export interface Automaton {
  readonly start: number;
  readonly step: (state: number, byte: number) => number;
  readonly accepts: (state: number) => boolean;
  /** The bytes that it distinguishes. All others are alike, or, if it compares order, those between two of these. */
  readonly bytes: Bytes;
  readonly isOrdered: boolean;
}

export function startsWith(text: Bytes): Automaton {
  return wildcardAutomaton([text, ""]);
}

export function endsWith(text: Bytes): Automaton {
  return wildcardAutomaton(["", text]);
}

export function contains(text: Bytes): Automaton {
  return wildcardAutomaton(["", text, ""]);
}

/**
 * The first text is at the start, the last one at the end, and the others in order between them, as in a wildcard with
 * stars. A state is the number of matched bytes of all texts in a row. For every text but the first, the earliest match
 * is as good as any.
 */
export function wildcardAutomaton(texts: readonly Bytes[]): Automaton {
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

/** For each state but the last, the index of its text. Empty texts are skipped. */
function indexesOf(texts: readonly Bytes[]): readonly number[] {
  return texts.flatMap((text, index) => Array<number>(text.length).fill(index));
}

/** The matched length of a text after one more byte (Knuth, Morris and Pratt). */
function advance(text: Bytes, fallbacks: readonly number[], matched: number, byte: number): number {
  let length = matched;
  while (length >= 0 && (length === text.length || text.charCodeAt(length) !== byte))
    length = fallbacks[length] ?? NONE;
  return length + 1;
}

/**
 * For each length of a matched start: the length that still matches if another byte follows than the next one. It is
 * the longest suffix that is also a prefix and does not miss the same byte again. So a step takes few fallbacks, even
 * in repetitive texts.
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

/** Nothing is matched, and the next byte is not the first byte of the text. */
const NONE = -1;

/** Accepts any of the texts. */
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

/** Compares a string with a text: `decide` gets -1, 0 or 1. */
export function orderAutomaton(text: Bytes, decide: (order: number) => boolean): Automaton {
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

/** Tests the length. */
export function ofLength(most: number, decide: (length: bigint) => boolean): Automaton {
  return {
    start: 0,
    step: (state) => Math.min(state + 1, most),
    accepts: (state) => decide(BigInt(state)),
    bytes: "",
    isOrdered: false,
  };
}

/** The automaton after mapping each byte. Null removes the byte. */
export function mapBytes(automaton: Automaton, map: (byte: number) => number | null): Automaton {
  const table = ALL_BYTES.map(map);
  const relevant = new Set([...automaton.bytes].map((each) => each.charCodeAt(0)));
  const bytes = table.flatMap((to, byte) => (to === byte && !relevant.has(byte) ? [] : [byte]));
  const step = (state: number, byte: number) => {
    const to = table[byte] ?? null;
    return to === null ? state : automaton.step(state, to);
  };
  return { ...automaton, step, bytes: String.fromCharCode(...bytes) };
}

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte);

/**
 * Strings that match a regular expression. Null: the expression is too long or partly unknown.
 *
 * @param isLoose ignores the bounds of long repetitions, so more strings are accepted
 */
export function regexAutomaton(pattern: Bytes, budget: Budget, isLoose = false): Automaton | null {
  const program = compiledPattern(pattern, budget, isLoose);
  if (program === null || program.steps.length > MOST_STEPS) return null;
  const { start, step, accepts } = createAutomaton(program, budget);
  const limitedStep = (state: number, byte: number): number => {
    const next = step(state, byte);
    if (next > MOST_STATES) throw new TooLarge();
    return next;
  };
  return { start, step: limitedStep, accepts, bytes: distinctBytes(program.groups), isOrdered: false };
}

const MOST_STEPS = 1500;
const MOST_STATES = 1000;

/** All bytes except the largest group of bytes that the automaton treats alike. */
function distinctBytes({ of }: ByteGroups): Bytes {
  const groups: number[][] = [];
  for (const [byte, group] of of.entries()) groups[group] = [...(groups[group] ?? []), byte];
  const [, ...others] = groups.sort((a, b) => b.length - a.length);
  return String.fromCharCode(...others.flat());
}

/** Strings that all tests answer alike, with an example. */
export interface StringCell {
  /** For each automaton, whether it accepts them. */
  readonly accepted: readonly boolean[];
  /** Null: no example was found, and there may be none. */
  readonly example: Bytes | null;
}

/** The strings to search. */
export interface Space {
  /** Strings to leave out. */
  readonly without: ReadonlySet<Bytes>;
  /** The preferred start of examples. */
  readonly first: Bytes;
  /** The bytes that strings may contain. */
  readonly isPossible: (byte: number) => boolean;
}

/**
 * The combinations of the automata's answers that occur for some string of a space. No occurring combination is
 * missing, and hardly any other is included. Null: too costly.
 */
export function stringCells(
  automata: readonly Automaton[],
  space: Space,
  budget: Budget,
): readonly StringCell[] | null {
  try {
    return search(automata, space, budget);
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

/** Breadth first over the states of all automata at once, so that examples are short. */
function search(
  automata: readonly Automaton[],
  { without, first, isPossible }: Space,
  budget: Budget,
): readonly StringCell[] {
  const excluding = excludedTexts(without);
  const machines = excluding === null ? automata : [...automata, excluding];
  const bytes = representatives(machines, isPossible).map((byte) => String.fromCharCode(byte));
  const moves = bytes.length * machines.length;
  const cells = new Map<string, StringCell>();
  const visits = new Map<string, number>();
  const queue: SearchState[] = [];
  // Long words are joined only where they are needed.
  const longest = Math.max(-1, ...[...without].map(({ length }) => length));

  const reach = ({ states, word }: SearchState) => {
    const key = states.join();
    const before = visits.get(key) ?? 0;
    if (before === DONE) return;
    const isOut = word.length <= longest && without.has(word);
    // While only excluded strings lead to a state, the state is visited again.
    visits.set(key, isOut && before + 1 < MAX_VISITS ? before + 1 : DONE);
    queue.push({ states, word });
    if (excluding === null || !isOut) note(cells, automata, states, isOut ? null : word);
    if (cells.size > MAX_CELLS || queue.length * moves > MAX_STEPS) throw new TooLarge();
  };

  const empty: SearchState = { states: machines.map((each) => each.start), word: "" };
  let at = 0;
  for (const start of new Set([first, ""])) {
    reach(after(machines, empty, start));
    for (let from = queue[at]; from !== undefined; from = queue[at]) {
      at += 1;
      if (!spend(budget, moves * STEP_WORK)) throw new TooLarge();
      for (const byte of bytes) reach(after(machines, from, byte));
    }
  }
  return [...cells.values()];
}

interface SearchState {
  readonly states: readonly number[];
  readonly word: Bytes;
}

const MAX_CELLS = 256;
const MAX_STEPS = 400_000;
const STEP_WORK = 10;
const MAX_VISITS = 3;
const DONE = -1;

/** Few excluded strings are followed byte by byte. Then it is certain whether other strings reach the same states. */
function excludedTexts(without: ReadonlySet<Bytes>): Automaton | null {
  const texts = [...without];
  return texts.join("").length <= MAX_FOLLOWED ? oneOf(texts) : null;
}

const MAX_FOLLOWED = 200;

function after(automata: readonly Automaton[], { states, word }: SearchState, text: Bytes): SearchState {
  const next = automata.map((automaton, index) =>
    [...text].reduce(
      (state, each) => automaton.step(state, each.charCodeAt(0)),
      states[index] ?? automaton.start,
    ),
  );
  return { states: next, word: word + text };
}

function note(
  cells: Map<string, StringCell>,
  automata: readonly Automaton[],
  states: readonly number[],
  example: Bytes | null,
): void {
  const accepted = automata.map((each, index) => each.accepts(states[index] ?? each.start));
  const key = accepted.join();
  if ((cells.get(key)?.example ?? null) === null) cells.set(key, { accepted, example });
}

/** One possible byte of each group that all automata treat alike. The most readable bytes come first. */
function representatives(automata: readonly Automaton[], isPossible: Space["isPossible"]): readonly number[] {
  const distinct = new Set(automata.flatMap(({ bytes }) => [...bytes].map((each) => each.charCodeAt(0))));
  const isOrdered = automata.some((each) => each.isOrdered);
  const chosen = new Set<number>();
  const groups = new Set<number>();
  for (const byte of BY_LOOKS.filter(isPossible)) {
    const group = distinct.has(byte) ? byte : isOrdered ? 256 + below(distinct, byte) : 512;
    if (!groups.has(group)) chosen.add(byte);
    groups.add(group);
  }
  return [...chosen];
}

function below(distinct: ReadonlySet<number>, byte: number): number {
  let at = byte - 1;
  while (at >= 0 && !distinct.has(at)) at -= 1;
  return at + 1;
}

const LOOKS = "xyzabcdefghijklmnopqrstuvw0123456789-._/";

const BY_LOOKS: readonly number[] = [
  ...new Set([
    ...[...LOOKS].map((each) => each.charCodeAt(0)),
    ...Array.from({ length: 256 }, (_, byte) => byte),
  ]),
];
