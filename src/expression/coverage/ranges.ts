import type { Effort } from "../evaluate/effort.js";
import type { Ip, Range, Test } from "../tree.js";
import { type Cell, cellsAt } from "./cells.js";
import type { Question } from "./questions.js";

/** Whole numbers between the ends of all ranges that are asked for. */
export function numberCells(questions: readonly Question[], effort: Effort): readonly Cell[] {
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

/** Addresses likewise, each family for itself. */
export function ipCells(questions: readonly Question[], effort: Effort): readonly Cell[] {
  const ranges = questions.flatMap((each) => testedRanges(each));
  const examples = (version: Ip["version"], start: bigint, end: bigint) => {
    const ends = ranges.flatMap((each) =>
      each.type === "Ip" && each.from.version === version ? [each.from.bits, each.to.bits + 1n] : [],
    );
    return cut([0n, start, ...ends], end, start).map(([bits]): Ip => ({ version, bits }));
  };
  // Examples that look like addresses of clients.
  const all = [...examples(4, 0xc6336407n, 2n ** 32n), ...examples(6, 0x20010db8n << 96n, 2n ** 128n)];
  return cellsAt(questions, all, effort);
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

/** The stretches between some starts, each with its first and last number; those from `first` on come first. */
function cut(starts: readonly bigint[], end: bigint, first: bigint): readonly (readonly [bigint, bigint])[] {
  const sorted = [...new Set(starts)].filter((each) => each < end).sort((a, b) => (a < b ? -1 : 1));
  const stretches = sorted.map((from, index): [bigint, bigint] => [from, (sorted[index + 1] ?? end) - 1n]);
  return [...stretches.filter(([from]) => from >= first), ...stretches.filter(([from]) => from < first)];
}
