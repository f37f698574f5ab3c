import { isSpent, spend } from "../budget.js";
import { compare, type Effort, holdsFor, wildcardTexts } from "../evaluate/compare.js";
import type { Bytes, Ip, Range, Test } from "../tree.js";
import { type Known, type Seen, toLower } from "../value.js";
import {
  type Automaton,
  contains,
  endsWith,
  mapBytes,
  ofLength,
  oneOf,
  orderAutomaton,
  regexAutomaton,
  type Space,
  type StringCell,
  startsWith,
  stringCells,
  wildcardAutomaton,
} from "./automaton.js";
import { TooLarge } from "./diagram.js";
import { type Asks, answererOf, mapByte, type Question, type Through } from "./questions.js";

/** Values of one variable that have the same answers to all questions. */
export interface Cell {
  /** By question. Null: both answers are possible. */
  readonly answers: readonly (boolean | null)[];
  /** One of the values. Null is a missing value. Undefined: no example was found, and there may be no such value. */
  readonly example: Seen;
}

/**
 * A partition of all possible values by the answers to some questions. No combination of answers is missing, and hardly
 * any is impossible.
 */
export interface Cells {
  readonly cells: readonly Cell[];
  /** Pairs of answers that exclude each other, for cells where both are open. */
  readonly impossible: readonly Impossible[];
}

export interface Impossible {
  readonly first: number;
  readonly answersFirst: boolean;
  readonly second: number;
  readonly answersSecond: boolean;
}

export interface About {
  readonly mayBeMissing: boolean;
  readonly exampleStart: string;
  /** Values of real requests, preferred as examples. */
  readonly usual: readonly Known[];
}

export function cellsOf(questions: readonly Question[], about: About, effort: Effort): Cells {
  const { cells, impossible } = cellsByType(questions, about, effort);
  const missing = about.mayBeMissing ? cellsAt(questions, [null], effort) : [];
  // Each usual value stays a cell of its own: it is unknown here which one fits the other fields.
  const usual = cellsAt(questions, about.usual, effort);
  return { cells: [...usual, ...mergeCells([...cells, ...missing])], impossible };
}

function cellsByType(questions: readonly Question[], { exampleStart }: About, effort: Effort): Cells {
  switch (questions[0]?.type) {
    case "Bytes":
      return byteCells(questions, exampleStart, effort);
    case "Int":
      return { cells: numberCells(questions, effort), impossible: [] };
    case "Ip":
      return { cells: ipCells(questions, effort), impossible: [] };
    default:
      return { cells: cellsAt(questions, [true, false], effort), impossible: [] };
  }
}

/** The answers for each of some values. */
function cellsAt(questions: readonly Question[], examples: readonly Seen[], effort: Effort): readonly Cell[] {
  if (questions.length * examples.length > MAX_ANSWERS) throw new TooLarge();
  const answers = questions.map((each) => answererOf(each, effort));
  const cells = examples.map((example): Cell => {
    spend(effort.budget, questions.length * ANSWER_WORK);
    const truths = answers.map((answer) => answer(example));
    return { answers: truths.map((truth) => (truth === "unknown" ? null : truth)), example };
  });
  if (isSpent(effort.budget)) throw new TooLarge();
  return cells;
}

/** With more answers, the diagram would nearly always be too large as well. */
const MAX_ANSWERS = 2_000_000;
const ANSWER_WORK = 10;

/** One cell for equal answers. Cells with an example come first. */
export function mergeCells(cells: readonly Cell[]): readonly Cell[] {
  const byAnswers = new Map<string, Cell>();
  for (const cell of cells) {
    const key = cell.answers.map((each) => (each === null ? "?" : each ? "1" : "0")).join("");
    if (byAnswers.get(key)?.example === undefined) byAnswers.set(key, cell);
  }
  const distinct = [...byAnswers.values()];
  return [
    ...distinct.filter((each) => each.example !== undefined),
    ...distinct.filter((each) => each.example === undefined),
  ];
}

/** Whole numbers, cut at the ends of all ranges in the questions. */
function numberCells(questions: readonly Question[], effort: Effort): readonly Cell[] {
  const ends = questions
    .flatMap((each) => testedRanges(each))
    .flatMap((range) => (range.type === "Int" ? [range.from, range.to + 1n] : []));
  const stretches = cut([-(2n ** 63n), 0n, ...ends], 2n ** 63n, 0n);
  const examples = stretches.map(([from, to]) => (from < 0n || (from === 0n && to === 0n) ? to : from || 1n));
  return cellsAt(questions, examples, effort).map((cell, at) =>
    stretches[at]?.[0] === stretches[at]?.[1] ? cell : withoutBits(cell, questions),
  );
}

/** The numbers of a stretch differ in their bits. */
function withoutBits(cell: Cell, questions: readonly Question[]): Cell {
  const answers = cell.answers.map((each, index) => (asksBits(questions[index]) ? null : each));
  return { ...cell, answers };
}

function asksBits(question: Question | undefined): boolean {
  return question?.asks.as === "bits";
}

/** Addresses, cut in the same way, for each family. */
function ipCells(questions: readonly Question[], effort: Effort): readonly Cell[] {
  const ranges = questions.flatMap((each) => testedRanges(each));
  const examples = (version: Ip["version"], start: bigint, end: bigint) => {
    const ends = ranges.flatMap((each) =>
      each.type === "Ip" && each.from.version === version ? [each.from.bits, each.to.bits + 1n] : [],
    );
    return cut([0n, start, ...ends], end, start).map(([bits]): Ip => ({ version, bits }));
  };
  // Examples look like addresses of clients.
  const addresses = [...examples(4, 0xc6336407n, 2n ** 32n), ...examples(6, 0x20010db8n << 96n, 2n ** 128n)];
  return cellsAt(questions, addresses, effort);
}

function testedRanges({ asks }: Question): readonly Range[] {
  return "text" in asks || asks.as === "length" ? [] : rangesOf(asks);
}

function rangesOf(test: Test): readonly Range[] {
  if (test.as === "in") return test.ranges;
  if (test.as !== "order" || test.right.type === "Bytes") return [];
  return test.right.type === "Int"
    ? [{ type: "Int", from: test.right.value, to: test.right.value }]
    : [{ type: "Ip", from: test.right.value, to: test.right.value }];
}

/** The stretches between some starts, each with its first and last number. Stretches from `first` on come first. */
function cut(starts: readonly bigint[], end: bigint, first: bigint): readonly (readonly [bigint, bigint])[] {
  const sorted = [...new Set(starts)].filter((each) => each < end).sort((a, b) => (a < b ? -1 : 1));
  const stretches = sorted.map((from, index): [bigint, bigint] => [from, (sorted[index + 1] ?? end) - 1n]);
  return [...stretches.filter(([from]) => from >= first), ...stretches.filter(([from]) => from < first)];
}

/**
 * Each string that a question names is a cell of its own. Other strings fall into cells by what the automata accept. If
 * there are too many cells, each test may come out either way, except for pairs that exclude each other.
 */
function byteCells(questions: readonly Question[], exampleStart: string, effort: Effort): Cells {
  const frame = commonFrame(questions, effort);
  const unframed = questions.map((each) => (frame.length === 0 ? each : { ...each, through: [] }));
  const isKept = ALL_BYTES.map((byte) => mapByte(frame, byte, effort) === byte);
  const isPossible = (byte: number) => isKept[byte] === true;
  const texts = new Set(unframed.flatMap((each) => namedBy(each) ?? []));
  if (texts.size > MAX_NAMED) throw new TooLarge();
  const possible = [...texts].filter((each) => [...each].every((byte) => isPossible(byte.charCodeAt(0))));
  const others = otherCells(unframed, { without: texts, first: exampleStart, isPossible }, effort);
  return { ...others, cells: [...cellsAt(unframed, possible, effort), ...others.cells] };
}

const MAX_NAMED = 2000;

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte);

/** Questions that share one function become questions about its results, if the function keeps its own results. */
function commonFrame(questions: readonly Question[], effort: Effort): readonly Through[] {
  const [first, ...others] = new Map(
    questions.map(({ through }) => [JSON.stringify(through), through]),
  ).values();
  if (first === undefined || others.length > 0) return [];
  const results = new Set(ALL_BYTES.map((byte) => mapByte(first, byte, effort)));
  return [...results].every((byte) => byte === null || mapByte(first, byte, effort) === byte) ? first : [];
}

/** The only strings with another answer than all other strings. */
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
    const answerTo = (each: Question, index: number) =>
      (readers[index] === null ? elsewhere(each) : answers[index]) ?? null;
    return { answers: questions.map(answerTo), example };
  });
  return { cells: whole, impossible: [] };
}

/** The cells of strings by their readers. A null reader leaves its answer open. */
export function readCells(
  readers: readonly (Reader | null)[],
  space: Space,
  { budget }: Effort,
): readonly Cell[] | null {
  const present = readers.filter((each) => each !== null);
  const strings = stringCells(
    present.map(({ automaton }) => automaton),
    space,
    budget,
  );
  if (strings === null) return null;
  return strings.map(({ accepted, example }): Cell => {
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

/** How to answer a question about a string that is read byte by byte. */
export interface Reader {
  readonly automaton: Automaton;
  /** False: strings that the automaton accepts may match or not. Refusals are always certain. */
  readonly isExact: boolean;
  /** A simpler, inexact reader. Null: not available. */
  readonly loose: Reader | null;
}

export function loose(reader: Reader | null): Reader | null {
  return reader?.loose ?? reader;
}

/** Null: no automaton answers the question. */
export function readerOf({ asks, through }: Question, effort: Effort): Reader | null {
  const reading = (automaton: Automaton | null): Automaton | null =>
    automaton === null || through.length === 0
      ? automaton
      : mapBytes(automaton, (byte) => mapByte(through, byte, effort));
  const exact = reading(plainAutomaton(asks, effort));
  const wider = asks.as === "matches" ? reading(regexAutomaton(asks.pattern, effort.budget, true)) : null;
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
        wildcardAutomaton(wildcardTexts(asks.caseless ? toLower(asks.pattern) : asks.pattern)),
        asks.caseless,
        effort,
      );
    case "order": {
      const { operator, right } = asks;
      if (right.type !== "Bytes") return null;
      if (operator === "eq") return oneOf([right.value]);
      return orderAutomaton(right.value, (order) => holdsFor(operator, order));
    }
    case "in":
      return oneOf(asks.ranges.flatMap((each) => (each.type === "Bytes" ? [each.value] : [])));
    case "matches":
      return regexAutomaton(asks.pattern, effort.budget);
    case "length":
      return lengthAutomaton(asks.test, effort);
    default:
      return null;
  }
}

const LOWER: readonly Through[] = [{ name: "lower", args: [] }];

function caseless(automaton: Automaton, isCaseless: boolean, effort: Effort): Automaton {
  return isCaseless ? mapBytes(automaton, (byte) => mapByte(LOWER, byte, effort)) : automaton;
}

/** Lengths beyond the largest number in a test all have the same answer. */
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
  return automata.flatMap((a, first) =>
    automata.flatMap((b, second) =>
      a === null || b === null || first >= second
        ? []
        : impossiblePairs({ first, second }, stringCells([a, b], space, effort.budget)),
    ),
  );
}

/** Pairs of answers that no string has. Null strings: unknown. */
function impossiblePairs(
  { first, second }: Pick<Impossible, "first" | "second">,
  strings: readonly StringCell[] | null,
): readonly Impossible[] {
  if (strings === null) return [];
  const answers = [true, false].flatMap((a) => [true, false].map((b) => [a, b] as const));
  return answers
    .filter(([a, b]) => !strings.some(({ accepted }) => accepted[0] === a && accepted[1] === b))
    .map(([answersFirst, answersSecond]) => ({ first, answersFirst, second, answersSecond }));
}
