/** What is known of a condition. "unknown" is neither: it may turn out either way. */
export type Truth = boolean | "unknown";

/** A condition over a list has one answer an element. */
export type Verdict = Truth | readonly Truth[];

/** Kleene's logic: what is unknown counts only where it could change the result. */
export const combine = {
  and: (a: Truth, b: Truth): Truth =>
    a === false || b === false ? false : a === true && b === true ? true : "unknown",
  or: (a: Truth, b: Truth): Truth =>
    a === true || b === true ? true : a === false && b === false ? false : "unknown",
  xor: (a: Truth, b: Truth): Truth => (a === "unknown" || b === "unknown" ? "unknown" : a !== b),
};

export function not(truth: Truth): Truth {
  return truth === "unknown" ? truth : !truth;
}

/** Element by element; the engine cuts the longer of two lists. */
export function combineVerdicts(by: keyof typeof combine, a: Verdict, b: Verdict): Verdict {
  if (!isList(a) && !isList(b)) return combine[by](a, b);
  if (!isList(a) || !isList(b)) return "unknown";
  return a.slice(0, b.length).map((each, index) => combine[by](each, b[index] ?? "unknown"));
}

export function notVerdict(verdict: Verdict): Verdict {
  return isList(verdict) ? verdict.map(not) : not(verdict);
}

export function isList(verdict: Verdict): verdict is readonly Truth[] {
  return typeof verdict === "object";
}
