import { isSpent, spend } from "../budget.js";
import type { Effort } from "../evaluate/effort.js";
import type { Known, Seen } from "../evaluate/value.js";
import { byteCells } from "./bytes.js";
import { TooLarge } from "./diagram.js";
import { answering, type Question } from "./questions.js";
import { ipCells, numberCells } from "./ranges.js";

/** Values of one variable that all questions answer alike. */
export interface Cell {
  /** By question; null where both answers are possible. */
  readonly answers: readonly (boolean | null)[];
  /** One of the values; null is a missing one, undefined stands where none was found: then there may be none. */
  readonly example: Seen;
}

/** All that a value can be, as far as some questions tell it apart. Never less; hardly ever more. */
export interface Cells {
  readonly cells: readonly Cell[];
  /** Pairs of answers that no value gives in a cell where both are open. */
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
  /** Values of which it is known that there are such: examples are taken from these where they can. */
  readonly usual: readonly Known[];
}

export function cellsOf(questions: readonly Question[], about: About, effort: Effort): Cells {
  const { cells, impossible } = known(questions, about, effort);
  const missing = about.mayBeMissing ? cellsAt(questions, [null], effort) : [];
  // Each of them stays a cell of its own: which of them goes with the other fields is not known here.
  const usual = cellsAt(questions, about.usual, effort);
  return { cells: [...usual, ...merged([...cells, ...missing])], impossible };
}

function known(questions: readonly Question[], { exampleStart }: About, effort: Effort): Cells {
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

/** What each of some values answers. */
export function cellsAt(
  questions: readonly Question[],
  examples: readonly Seen[],
  effort: Effort,
): readonly Cell[] {
  if (questions.length * examples.length > MAX_ANSWERS) throw new TooLarge();
  const answers = questions.map((each) => answering(each, effort));
  const cells = examples.map((example): Cell => {
    spend(effort.budget, questions.length * ANSWER_WORK);
    const truths = answers.map((answer) => answer(example));
    return { answers: truths.map((truth) => (truth === "unknown" ? null : truth)), example };
  });
  if (isSpent(effort.budget)) throw new TooLarge();
  return cells;
}

/** With more, the diagram would be too large as well, nearly always. */
const MAX_ANSWERS = 2_000_000;
const ANSWER_WORK = 10;

/** One cell for the same answers. Those with an example come first. */
export function merged(cells: readonly Cell[]): readonly Cell[] {
  const byAnswers = new Map<string, Cell>();
  for (const cell of cells) {
    const key = cell.answers.map((each) => (each === null ? "?" : each ? "1" : "0")).join("");
    if (byAnswers.get(key)?.example === undefined) byAnswers.set(key, cell);
  }
  const all = [...byAnswers.values()];
  return [
    ...all.filter((each) => each.example !== undefined),
    ...all.filter((each) => each.example === undefined),
  ];
}
