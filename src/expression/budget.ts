/**
 * The work that one answer may still take: looks at a byte, steps of a pattern and the like. Work is counted and not
 * timed, so a question has the same answer on every machine.
 */
export interface Budget {
  left: number;
}

export function newBudget(): Budget {
  return { left: MOST_WORK };
}

/** Prepares the budget for the next answer. */
export function refill(budget: Budget): void {
  budget.left = MOST_WORK;
}

/** A fifth of a second on a slow machine, at ten nanoseconds a look. A plan asks many questions. */
const MOST_WORK = 20_000_000;

/** Takes work from the budget. False: too little is left. */
export function spend(budget: Budget, work: number): boolean {
  budget.left -= work;
  return budget.left >= 0;
}

/** The work taken from a budget that was new. */
export function workOf({ left }: Budget): number {
  return MOST_WORK - left;
}

export function isSpent({ left }: Budget): boolean {
  return left < 0;
}
