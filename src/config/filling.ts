import { lastIndexWhere } from "./last-index-where.js";

/** A part of a text that something else was put in place of. */
export interface Filling {
  /** In the text as it was declared. */
  readonly start: number;
  readonly end: number;
  /** In the text as it is then. */
  readonly filledStart: number;
  readonly filledEnd: number;
}

/** What is filled in at an offset of the declared text, after what was filled in before. */
export function fillingAfter(
  before: Filling | undefined,
  start: number,
  declared: string,
  filled: string,
): Filling {
  const filledStart = start + (before === undefined ? 0 : before.filledEnd - before.end);
  return { start, end: start + declared.length, filledStart, filledEnd: filledStart + filled.length };
}

/** An offset into the filled text as one into the declared text: what was filled in has the place of its reference. */
export function declaredOffset(fillings: readonly Filling[], offset: number): number {
  const last = fillings[lastIndexWhere(fillings, ({ filledStart }) => filledStart <= offset)];
  if (last === undefined || offset < last.filledStart) return offset;
  return offset < last.filledEnd ? last.start : last.end + offset - last.filledEnd;
}
