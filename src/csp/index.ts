/** What the library shows of CSP values. The program itself imports single files: only what a command uses is loaded. */
export { check } from "./check.js";
export { diff } from "./diff.js";
export { SERVICE_DIRECTIVES } from "./directives.js";
export { equal } from "./equal.js";
export type { Advice, Finding } from "./finding.js";
export type { Budget } from "./inclusion/budget.js";
export { includes } from "./inclusion/includes.js";
export { witness } from "./inclusion/witness.js";
export { type Lint, lint } from "./lint/lint.js";
export { allows, type PolicyDecision, type Verdict, type Why } from "./match/allows.js";
export type { Attempt } from "./match/attempt.js";
export { explain } from "./match/explain.js";
export type { LoadKind } from "./match/fallback.js";
export { type Csp, type Directive, type Policy, parse, type Source } from "./parse.js";
export { fromMap, oneLine } from "./render.js";
