/**
 * The remaining cost of one question, in steps. Values may be arbitrarily long, and each policy of one is compared
 * with each policy of the other: what would take too long stays undecided.
 */
export interface Budget {
  /** Steps, each about as much work as comparing two sources. */
  leftSteps: number;
}

export function newBudget(): Budget {
  return { leftSteps: MOST_STEPS };
}

/** Takes the steps from the budget; false when it does not have that many left. */
export function spend(budget: Budget, steps: number): boolean {
  budget.leftSteps = Math.max(-1, budget.leftSteps - steps);
  return budget.leftSteps >= 0;
}

/** Runs with one of so many equal parts of the remaining budget, so that later questions keep theirs. */
export function withShare<T>(budget: Budget, parts: number, run: (share: Budget) => T): T {
  const share = { leftSteps: Math.floor(Math.max(0, budget.leftSteps) / parts) };
  budget.leftSteps -= share.leftSteps;
  const result = run(share);
  budget.leftSteps += Math.max(0, share.leftSteps);
  return result;
}

/** About a tenth of a second. */
const MOST_STEPS = 500_000;
