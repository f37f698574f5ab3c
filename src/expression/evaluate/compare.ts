import type { Ip, Literal, Order, Range, Test } from "../tree.js";
import { matches } from "./matches.js";
import type { Truth } from "./truth.js";
import { isIp, type Known, type Seen } from "./value.js";
import { matchesWildcard } from "./wildcard.js";

/** What a comparison says of one value. Of a missing value each says no, `ne` too. */
export function compare(seen: Seen, test: Test): Truth {
  if (seen === null) return false;
  if (seen === undefined || test.as === "in_list") return "unknown";
  switch (test.as) {
    case "is_true":
      return typeof seen === "boolean" ? seen : "unknown";
    case "order":
      return compareOrder(seen, test.operator, test.right);
    case "in":
      return isIn(seen, test.ranges);
    case "bits":
      return typeof seen === "bigint" ? (BigInt.asIntN(64, seen) & test.right) !== 0n : "unknown";
    case "contains":
      return typeof seen === "string" ? seen.includes(test.right) : "unknown";
    case "matches":
      return typeof seen === "string" ? matches(test.pattern, seen) : "unknown";
    case "wildcard":
      return typeof seen === "string" ? matchesWildcard(test, seen) : "unknown";
  }
}

/** Over the order of two values: -1, 0, 1, or null for addresses of two families, of which only `ne` is true. */
const ORDERS: { readonly [operator in Order]: (order: number | null) => boolean } = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order === -1,
  le: (order) => order === -1 || order === 0,
  gt: (order) => order === 1,
  ge: (order) => order === 1 || order === 0,
};

export function holdsFor(operator: Order, order: number | null): boolean {
  return ORDERS[operator](order);
}

function compareOrder(seen: Known, operator: Order, right: Literal): Truth {
  const left = sameType(seen, right.type);
  return left === undefined ? "unknown" : holdsFor(operator, orderOf(left, right.value));
}

function isIn(seen: Known, ranges: readonly Range[]): Truth {
  const [first] = ranges;
  if (first === undefined) return false;
  const left = sameType(seen, first.type);
  return left === undefined ? "unknown" : ranges.some((range) => isWithin(left, range));
}

function isWithin(left: Scalar, range: Range): boolean {
  if (range.type === "Bytes") return left === range.value;
  const low = orderOf(left, range.from);
  const high = orderOf(left, range.to);
  return low !== null && high !== null && low >= 0 && high <= 0;
}

type Scalar = string | bigint | Ip;

function sameType(seen: Known, type: Literal["type"]): Scalar | undefined {
  switch (type) {
    case "Bytes":
      return typeof seen === "string" ? seen : undefined;
    case "Int":
      return typeof seen === "bigint" ? seen : undefined;
    case "Ip":
      return isIp(seen) ? seen : undefined;
  }
}

function orderOf(left: Scalar, right: Scalar): number | null {
  if (typeof left === "object" && typeof right === "object") {
    return left.version === right.version ? orderOf(left.bits, right.bits) : null;
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
