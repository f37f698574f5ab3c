import { isObject, type JsonObject } from "../../model/json.js";

/** The ids of a list of rules, in the order of the list. */
export type Order = readonly string[];

/**
 * The rules that calls have moved a rule past: they stand on its other side since. What came, or went, was not passed.
 *
 * @param then the list before these calls
 * @param sent the lists that they have sent
 */
export function passedBy(id: string, then: Order, sent: readonly Order[]): ReadonlySet<string> {
  const was = new Set(inFrontOf(id, then));
  const passed = sent.flatMap((order) => {
    const is = new Set(inFrontOf(id, order));
    const left = new Set(order);
    return then.filter((each) => each !== id && left.has(each) && is.has(each) !== was.has(each));
  });
  return new Set(passed);
}

/** A rule whose position also says on which side of it each of the rules stands that it was moved past. */
export function withSides(
  rule: JsonObject,
  id: string,
  order: Order,
  passed: ReadonlySet<string>,
): JsonObject {
  const { position } = rule;
  if (!isObject(position) || passed.size === 0) return rule;
  const front = new Set(inFrontOf(id, order));
  const known = order.filter((each) => passed.has(each));
  const sides = {
    afterAll: known.filter((each) => front.has(each)),
    beforeAll: known.filter((each) => !front.has(each)),
  };
  return { ...rule, position: { ...position, ...sides } };
}

function inFrontOf(id: string, order: Order): Order {
  return order.slice(0, Math.max(order.indexOf(id), 0));
}
