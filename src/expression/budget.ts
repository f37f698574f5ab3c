/**
 * The work that one answer may still take: looks at a byte, at a step of a pattern and the like. Work is counted, not
 * timed, so that a question has the same answer on every machine.
 */
export interface Budget {
  left: number;
}

export function newBudget(): Budget {
  return { left: MOST_WORK };
}

/** For the next answer. */
export function refill(budget: Budget): void {
  budget.left = MOST_WORK;
}

/** On a slow machine this takes a fifth of a second: ten nanoseconds a look. A plan asks many questions. */
const MOST_WORK = 20_000_000;

/** Takes the work from the budget; false from the first time that it does not suffice. */
export function spend(budget: Budget, work: number): boolean {
  budget.left -= work;
  return budget.left >= 0;
}

/** The work that went off a budget which was new. */
export function workOf({ left }: Budget): number {
  return MOST_WORK - left;
}

export function isSpent({ left }: Budget): boolean {
  return left < 0;
}
