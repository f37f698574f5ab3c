import { type Budget, newBudget } from "../budget.js";
import { type Matches, matchingWithin } from "./matches.js";
import { type IsMember, membershipWithin } from "./members.js";

/** What one answer may take, with what was worked out for it. */
export interface Effort {
  readonly budget: Budget;
  readonly matches: Matches;
  readonly isMember: IsMember;
}

export function newEffort(): Effort {
  const budget = newBudget();
  return { budget, matches: matchingWithin(budget), isMember: membershipWithin(budget) };
}
