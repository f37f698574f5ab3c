export { withBlocking } from "./blocking.js";
export { unknownForLoads } from "./compare-layers.js";
export { someMayAct } from "./compare-overridden.js";
export { join } from "./join.js";
export { blocksBeyond, type Gap, keepsProtection, protectionGaps } from "./protection-gaps.js";
export { effectOf, redirects, shifts, withHindrances, withOwnReasons } from "./shifts.js";
export { mayEvaluate, requirementShifts } from "./trusted-eval.js";
