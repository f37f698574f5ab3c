/**
 * What one question may still cost. Values are as long as somebody likes, and each policy of one meets each of the
 * other: what would take too long stays undecided.
 */
export interface Budget {
  /** Steps, each about as much work as comparing two sources. */
  leftSteps: number;
}

export function newBudget(): Budget {
  return { leftSteps: MOST_STEPS };
}

/** False where nothing is left to pay for it. */
export function spend(budget: Budget, steps: number): boolean {
  budget.leftSteps = Math.max(-1, budget.leftSteps - steps);
  return budget.leftSteps >= 0;
}

/** Lets something spend its part of what is left, so that what comes after it has something too. */
export function withShare<T>(budget: Budget, parts: number, run: (share: Budget) => T): T {
  const share = { leftSteps: Math.floor(Math.max(0, budget.leftSteps) / parts) };
  budget.leftSteps -= share.leftSteps;
  const result = run(share);
  budget.leftSteps += Math.max(0, share.leftSteps);
  return result;
}

/** About a tenth of a second. */
const MOST_STEPS = 500_000;
