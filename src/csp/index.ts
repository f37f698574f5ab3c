/** The CSP part of the library. The program imports single files, so that a command loads only what it uses. */

export { equal } from "./canonical.js";
export { type Advice, check, type Finding } from "./check.js";
export { diff } from "./diff.js";
export { type LoadKind, SERVICE_DIRECTIVES } from "./directives.js";
export type { Budget } from "./inclusion/comparison.js";
export { includes } from "./inclusion/includes.js";
export { witness } from "./inclusion/witness.js";
export { type Lint, lint } from "./lint.js";
export type { Attempt, ConnectionApi } from "./match/allows.js";
export { allows, type PolicyDecision, type Verdict, type Why } from "./match/allows.js";
export { explain } from "./match/explain.js";
export { type Csp, type Directive, fromMap, oneLine, type Policy, parse, type Source } from "./syntax.js";
