import { areApart, includes } from "../csp/inclusion/includes.js";

import { type Coverage, coverage } from "../expression/coverage/coverage.js";

/** What one has to know of expressions and CSP values to compare layers. "No" may also mean that it is not decided. */
export interface Questions {
  /** Whether every request that the second expression matches, the first one does. */
  covers(where: string, other: string): boolean;
  /** Whether no request matches both. */
  areApart(where: string, other: string): boolean;
  /** Whether no load is refused by both CSPs. */
  refuseApart(csp: string, other: string): boolean;
  /** Whether the first CSP refuses all that the second one refuses. */
  refuses(csp: string, other: string): boolean;
  /** So much has been asked that nothing new is decided any more. */
  isSpent(): boolean;
}

/** Questions about one zone's plan: each is answered once, and after too many of them none is. */
export function questions(): Questions {
  const left = { questions: MOST_QUESTIONS };
  const stands = answeredOnce<Coverage>(left, coverage, "unknown");
  const included = answeredOnce<boolean | "unknown">(left, includes, "unknown");
  return {
    covers: (where, other) => where === other || ["equal", "superset"].includes(stands(where, other)),
    areApart: (where, other) => {
      // Of two, the same one is always asked about first, so that no pair is looked at twice.
      const [first, second] = where < other ? [where, other] : [other, where];
      return where !== other && stands(first, second) === "disjoint";
    },
    refuseApart: areApart,
    refuses: (csp, other) => csp === other || included(other, csp) === true,
    isSpent: () => left.questions <= 0,
  };
}

/** Some seconds of work: most answers take less than half a millisecond. */
const MOST_QUESTIONS = 10_000;

function answeredOnce<Answer>(
  left: { questions: number },
  ask: (a: string, b: string) => Answer,
  undecided: Answer,
): (a: string, b: string) => Answer {
  const known = new Map<string, Map<string, Answer>>();
  return (a, b) => {
    const answers = known.get(a) ?? new Map<string, Answer>();
    known.set(a, answers);
    const found = answers.get(b);
    if (found !== undefined) return found;
    left.questions -= 1;
    const answer = left.questions < 0 ? undecided : ask(a, b);
    answers.set(b, answer);
    return answer;
  };
}
