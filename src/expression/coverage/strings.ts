import { type Budget, spend } from "../budget.js";
import type { Bytes } from "../tree.js";
import { type Automaton, oneOf } from "./automaton.js";
import { TooLarge } from "./diagram.js";

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
