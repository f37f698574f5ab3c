import type { Ip, Range, Test } from "../tree.js";
import { type Cell, cellOf } from "./cells.js";
import type { Question } from "./questions.js";

/** Whole numbers between the ends of all ranges that are asked for. */
export function numberCells(questions: readonly Question[]): readonly Cell[] {
  const ends = questions
    .flatMap((each) => testedRanges(each))
    .flatMap((range) => (range.type === "Int" ? [range.from, range.to + 1n] : []));
  return cut([-(2n ** 63n), 0n, ...ends], 2n ** 63n, 0n).map(([from, to]) => {
    const cell = cellOf(questions, from < 0n ? to : from);
    if (from === to) return cell;
    return {
      ...cell,
      answers: cell.answers.map((each, index) => (asksBits(questions[index]) ? null : each)),
    };
  });
}

function asksBits(question: Question | undefined): boolean {
  return question?.asks.as === "bits";
}

/** Addresses likewise, each family for itself. */
export function ipCells(questions: readonly Question[]): readonly Cell[] {
  const ranges = questions.flatMap((each) => testedRanges(each));
  const cells = (version: Ip["version"], start: bigint, end: bigint) => {
    const ends = ranges.flatMap((each) =>
      each.type === "Ip" && each.from.version === version ? [each.from.bits, each.to.bits + 1n] : [],
    );
    return cut([0n, start, ...ends], end, start).map(([bits]) => cellOf(questions, { version, bits }));
  };
  // Examples that look like addresses of clients.
  return [...cells(4, 0xc6336407n, 2n ** 32n), ...cells(6, 0x20010db8n << 96n, 2n ** 128n)];
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
