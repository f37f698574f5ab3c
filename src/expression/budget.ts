/**
 * What is left of the work that one answer may take, in looks at a byte, at a step of a pattern or the like. As it is
 * counted and not timed, the same question has the same answer on every machine.
 */
export interface Budget {
  left: number;
}

export function newBudget(): Budget {
  return { left: MOST_WORK };
}

/** On a slow machine a look takes ten nanoseconds, and all of them a fifth of a second: a plan asks many questions. */
const MOST_WORK = 20_000_000;

/** Whether that much was left. Once it was not, nothing is. */
export function spend(budget: Budget, work: number): boolean {
  budget.left -= work;
  return budget.left >= 0;
}

export function isSpent({ left }: Budget): boolean {
  return left < 0;
}
