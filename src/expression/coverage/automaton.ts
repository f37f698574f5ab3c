import { type Budget, spend } from "../budget.js";
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

/** Strings for which all tests have the same answers, with an example. */
export interface StringCell {
  /** For each automaton, whether it accepts them. */
  readonly accepted: readonly boolean[];
  /** Null where none was found; there may be none then. */
  readonly example: Bytes | null;
}

/** The strings to look among. */
export interface Space {
  /** Strings to leave out. */
  readonly without: ReadonlySet<Bytes>;
  /** How examples should start where they can. */
  readonly first: Bytes;
  /** The bytes that strings may have. */
  readonly isPossible: (byte: number) => boolean;
}

/**
 * Which combinations of the automata's answers some string of a space has. Every combination that there is is there,
 * and hardly any more. Null if that takes too long.
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
  const left = leftOut(without);
  const all = left === null ? automata : [...automata, left];
  const bytes = representatives(all, isPossible).map((byte) => String.fromCharCode(byte));
  const cells = new Map<string, StringCell>();
  const visits = new Map<string, number>();
  const queue: Reached[] = [];
  // Long words are put together only where one is asked for.
  const longest = Math.max(-1, ...[...without].map(({ length }) => length));

  const reach = ({ states, word }: Reached) => {
    const key = states.join();
    const before = visits.get(key) ?? 0;
    if (before === DONE) return;
    const isOut = word.length <= longest && without.has(word);
    // A state is looked at once more while all strings that lead there are left out.
    visits.set(key, isOut && before + 1 < MAX_VISITS ? before + 1 : DONE);
    queue.push({ states, word });
    if (left === null || !isOut) note(cells, automata, states, isOut ? null : word);
    if (cells.size > MAX_CELLS || queue.length * bytes.length * all.length > MAX_STEPS) throw new TooLarge();
  };

  const empty: Reached = { states: all.map((each) => each.start), word: "" };
  let at = 0;
  for (const start of new Set([first, ""])) {
    reach(after(all, empty, start));
    for (let from = queue[at]; from !== undefined; from = queue[at]) {
      at += 1;
      if (!spend(budget, bytes.length * all.length * STEP_WORK)) throw new TooLarge();
      for (const byte of bytes) reach(after(all, from, byte));
    }
  }
  return [...cells.values()];
}

interface Reached {
  readonly states: readonly number[];
  readonly word: Bytes;
}

const MAX_CELLS = 256;
const MAX_STEPS = 400_000;
const STEP_WORK = 10;
const MAX_VISITS = 3;
const DONE = -1;

/** A few strings are followed byte by byte: then it is certain whether there are others in the same states. */
function leftOut(without: ReadonlySet<Bytes>): Automaton | null {
  const texts = [...without];
  return texts.join("").length <= MAX_FOLLOWED ? oneOf(texts) : null;
}

const MAX_FOLLOWED = 200;

function after(automata: readonly Automaton[], { states, word }: Reached, more: Bytes): Reached {
  const next = automata.map((automaton, index) =>
    [...more].reduce(
      (state, each) => automaton.step(state, each.charCodeAt(0)),
      states[index] ?? automaton.start,
    ),
  );
  return { states: next, word: word + more };
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

/** One possible byte of each group that all automata take alike, those that look best in an example first. */
function representatives(automata: readonly Automaton[], isPossible: Space["isPossible"]): readonly number[] {
  const told = new Set(automata.flatMap(({ bytes }) => [...bytes].map((each) => each.charCodeAt(0))));
  const isOrdered = automata.some((each) => each.isOrdered);
  const chosen = new Set<number>();
  const groups = new Set<number>();
  for (const byte of BY_LOOKS.filter(isPossible)) {
    const group = told.has(byte) ? byte : isOrdered ? 256 + below(told, byte) : 512;
    if (!groups.has(group)) chosen.add(byte);
    groups.add(group);
  }
  return [...chosen];
}

function below(told: ReadonlySet<number>, byte: number): number {
  let at = byte - 1;
  while (at >= 0 && !told.has(at)) at -= 1;
  return at + 1;
}

const LOOKS = "xyzabcdefghijklmnopqrstuvw0123456789-._/";

const BY_LOOKS: readonly number[] = [
  ...new Set([
    ...[...LOOKS].map((each) => each.charCodeAt(0)),
    ...Array.from({ length: 256 }, (_, byte) => byte),
  ]),
];
