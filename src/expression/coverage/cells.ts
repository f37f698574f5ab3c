import type { Seen } from "../evaluate/value.js";
import { byteCells } from "./bytes.js";
import { answer, type Question } from "./questions.js";
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

export function cellsOf(
  questions: readonly Question[],
  about: { readonly mayBeMissing: boolean; readonly exampleStart: string },
): Cells {
  const { cells, impossible } = known(questions, about.exampleStart);
  const missing = about.mayBeMissing ? [cellOf(questions, null)] : [];
  return { cells: merged([...cells, ...missing]), impossible };
}

function known(questions: readonly Question[], exampleStart: string): Cells {
  switch (questions[0]?.type) {
    case "Bytes":
      return byteCells(questions, exampleStart);
    case "Int":
      return { cells: numberCells(questions), impossible: [] };
    case "Ip":
      return { cells: ipCells(questions), impossible: [] };
    default:
      return { cells: [cellOf(questions, true), cellOf(questions, false)], impossible: [] };
  }
}

export function cellOf(questions: readonly Question[], example: Seen): Cell {
  const answers = questions.map((each) => {
    const truth = answer(each, example);
    return truth === "unknown" ? null : truth;
  });
  return { answers, example };
}

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
