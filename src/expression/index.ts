/** The expression part of the library. The program imports single files, so that a command loads only what it uses. */
export { type CheckOptions, check } from "./check/check.js";
export { type Coverage, coverage, witness } from "./coverage/coverage.js";
export { evaluate, evaluateTree, type Request } from "./evaluate/evaluate.js";
export { explain, type Look, type Reason } from "./evaluate/explain.js";
export { type Given, requestOf } from "./evaluate/request.js";
export { type Parsed, parse } from "./parse/parse.js";
export type { ExpressionProblem } from "./problem.js";
export { equal } from "./spelling/canonical.js";
export { render } from "./spelling/render.js";
export type {
  Argument,
  Bytes,
  Call,
  Combination,
  Comparison,
  Element,
  Expression,
  Field,
  Index,
  Ip,
  Literal,
  Negation,
  Operator,
  Order,
  Quantifier,
  Range,
  Test,
  TextRange,
  Value,
} from "./tree.js";
export type { Truth } from "./value.js";
