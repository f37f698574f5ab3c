import { toLower } from "../bytes.js";
import { compare, holdsFor } from "../evaluate/compare.js";
import type { Effort } from "../evaluate/effort.js";
import { wildcardTexts } from "../evaluate/wildcard.js";
import type { Bytes, Test } from "../tree.js";
import {
  type Automaton,
  contains,
  endsWith,
  fitting,
  mapped,
  ofLength,
  oneOf,
  ordered,
  startsWith,
} from "./automaton.js";
import { type Cell, type Cells, cellsAt, type Impossible } from "./cells.js";
import { TooLarge } from "./diagram.js";
import { type Asks, mapByte, type Question, type Through } from "./questions.js";
import { matching } from "./regex.js";
import { type Space, type StringCell, stringCells } from "./strings.js";

/**
 * Each string that is asked for by name is a cell of its own, and the others fall into cells by what automata accept
 * them. If there are too many of these, each test may come out either way, except in pairs that exclude each other.
 */
export function byteCells(asked: readonly Question[], exampleStart: string, effort: Effort): Cells {
  const frame = commonFrame(asked, effort);
  const questions = asked.map((each) => (frame.length === 0 ? each : { ...each, through: [] }));
  const kept = ALL_BYTES.map((byte) => mapByte(frame, byte, effort) === byte);
  const isPossible = (byte: number) => kept[byte] === true;
  const named = new Set(questions.flatMap((each) => namedBy(each) ?? []));
  if (named.size > MAX_NAMED) throw new TooLarge();
  const possible = [...named].filter((each) => [...each].every((byte) => isPossible(byte.charCodeAt(0))));
  const others = otherCells(questions, { without: named, first: exampleStart, isPossible }, effort);
  return { ...others, cells: [...cellsAt(questions, possible, effort), ...others.cells] };
}

const MAX_NAMED = 2000;

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte);

/** If all ask for the same function of the string, they are questions about its results, if it keeps these as they are. */
function commonFrame(questions: readonly Question[], effort: Effort): readonly Through[] {
  const [first, ...others] = new Map(
    questions.map(({ through }) => [JSON.stringify(through), through]),
  ).values();
  if (first === undefined || others.length > 0) return [];
  const results = new Set(ALL_BYTES.map((byte) => mapByte(first, byte, effort)));
  return [...results].every((byte) => byte === null || mapByte(first, byte, effort) === byte) ? first : [];
}

/** The strings on which alone a question's answer is another than elsewhere. */
function namedBy({ asks, through }: Question): readonly Bytes[] | null {
  if (through.length > 0) return null;
  if (asks.as === "order" && asks.right.type === "Bytes") {
    return asks.operator === "eq" || asks.operator === "ne" ? [asks.right.value] : null;
  }
  return asks.as === "in" ? asks.ranges.flatMap((each) => (each.type === "Bytes" ? [each.value] : [])) : null;
}

function otherCells(questions: readonly Question[], space: Space, effort: Effort): Cells {
  const readers = questions.map((each) => (namedBy(each) === null ? readerOf(each, effort) : null));
  const elsewhere = (question: Question) =>
    namedBy(question) === null ? null : question.asks.as === "order" && question.asks.operator === "ne";
  const cells = readCells(readers, space, effort) ?? readCells(readers.map(loose), space, effort);
  if (cells === null) {
    const automata = readers.map((each) => (each?.isExact === true ? each.automaton : null));
    const answers = questions.map(elsewhere);
    return { cells: [{ answers, example: undefined }], impossible: exclusions(automata, space, effort) };
  }
  const whole = cells.map(({ answers, example }): Cell => {
    const all = questions.map((each, index) => (readers[index] === null ? elsewhere(each) : answers[index]));
    return { answers: all.map((each) => each ?? null), example };
  });
  return { cells: whole, impossible: [] };
}

/** The cells of strings by what readers make of them, in which those that are null leave their answer open. */
export function readCells(
  readers: readonly (Reader | null)[],
  space: Space,
  { budget }: Effort,
): readonly Cell[] | null {
  const present = readers.filter((each) => each !== null);
  const found = stringCells(
    present.map(({ automaton }) => automaton),
    space,
    budget,
  );
  if (found === null) return null;
  return found.map(({ accepted, example }): Cell => {
    const answers = new Map(present.map((each, index) => [each, answerOf(each, accepted[index])]));
    return {
      answers: readers.map((each) => (each === null ? null : (answers.get(each) ?? null))),
      example: example ?? undefined,
    };
  });
}

function answerOf({ isExact }: Reader, isAccepted: boolean | undefined): boolean | null {
  return isExact || isAccepted === false ? (isAccepted ?? null) : null;
}

/** How a question is answered of a string that is read byte by byte. */
export interface Reader {
  readonly automaton: Automaton;
  /** Where it is not, what the automaton accepts may be so or not; what it refuses is certain. */
  readonly isExact: boolean;
  /** Another reader, not exact, that takes less. Null: there is none. */
  readonly loose: Reader | null;
}

export function loose(reader: Reader | null): Reader | null {
  return reader?.loose ?? reader;
}

/** Null where no automaton answers it. */
export function readerOf({ asks, through }: Question, effort: Effort): Reader | null {
  const reading = (automaton: Automaton | null): Automaton | null =>
    automaton === null || through.length === 0
      ? automaton
      : mapped(automaton, (byte) => mapByte(through, byte, effort));
  const exact = reading(plainAutomaton(asks, effort));
  const wider = asks.as === "matches" ? reading(matching(asks.pattern, effort.budget, true)) : null;
  const other: Reader | null = wider === null ? null : { automaton: wider, isExact: false, loose: null };
  return exact === null ? other : { automaton: exact, isExact: true, loose: other };
}

function plainAutomaton(asks: Asks, effort: Effort): Automaton | null {
  switch (asks.as) {
    case "starts_with":
      return startsWith(asks.text);
    case "ends_with":
      return endsWith(asks.text);
    case "contains":
      return contains(asks.right);
    case "wildcard":
      return caseless(
        fitting(wildcardTexts(asks.caseless ? toLower(asks.pattern) : asks.pattern)),
        asks.caseless,
        effort,
      );
    case "order": {
      const { operator, right } = asks;
      if (right.type !== "Bytes") return null;
      if (operator === "eq") return oneOf([right.value]);
      return ordered(right.value, (order) => holdsFor(operator, order));
    }
    case "in":
      return oneOf(asks.ranges.flatMap((each) => (each.type === "Bytes" ? [each.value] : [])));
    case "matches":
      return matching(asks.pattern, effort.budget);
    case "length":
      return lengthAutomaton(asks.test, effort);
    default:
      return null;
  }
}

const LOWER: readonly Through[] = [{ name: "lower", others: [] }];

function caseless(automaton: Automaton, isCaseless: boolean, effort: Effort): Automaton {
  return isCaseless ? mapped(automaton, (byte) => mapByte(LOWER, byte, effort)) : automaton;
}

/** Past the largest number that a test names, all lengths are alike to it. */
function lengthAutomaton(test: Test, effort: Effort): Automaton | null {
  const numbers =
    test.as === "in" ? test.ranges.flatMap((each) => (each.type === "Int" ? [each.from, each.to] : [])) : [];
  if (test.as === "order" && test.right.type === "Int") numbers.push(test.right.value);
  const most = [...numbers, 0n].sort((a, b) => (a > b ? -1 : 1))[0] ?? 0n;
  if (most >= MAX_LENGTH || (test.as !== "in" && test.as !== "order")) return null;
  return ofLength(Number(most) + 1, (length) => compare(length, test, effort) === true);
}

const MAX_LENGTH = 4_096n;
const MAX_PAIRED = 24;

function exclusions(
  automata: readonly (Automaton | null)[],
  space: Space,
  effort: Effort,
): readonly Impossible[] {
  if (automata.length > MAX_PAIRED) return [];
  return automata.flatMap((one, first) =>
    automata.flatMap((other, second) =>
      one === null || other === null || first >= second
        ? []
        : excluded({ first, second }, stringCells([one, other], space, effort.budget)),
    ),
  );
}

/** The pairs of answers that no string gives; null strings are not known in full. */
function excluded(
  { first, second }: Pick<Impossible, "first" | "second">,
  strings: readonly StringCell[] | null,
): readonly Impossible[] {
  if (strings === null) return [];
  const answers = [true, false].flatMap((a) => [true, false].map((b) => [a, b] as const));
  return answers
    .filter(([a, b]) => !strings.some(({ accepted }) => accepted[0] === a && accepted[1] === b))
    .map(([answersFirst, answersSecond]) => ({ first, answersFirst, second, answersSecond }));
}
