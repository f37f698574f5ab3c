import { allows } from "../../src/csp/match/allows.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { requestOf } from "../../src/expression/evaluate/request.js";
import type { SealedObject } from "../../src/model/sealed.js";
import type { Witness } from "../../src/model/strength.js";

type Load = Omit<Extract<Witness, { readonly as: "load" }>, "as">;

/** How much a policy in the normal form does against a load, by the evaluators alone. */
type Fate = "passes" | "is reported" | "is blocked";

/** All that it may be: what a URL does not tell leaves it open. */
export function fatesOf(policy: SealedObject, load: Load): readonly Fate[] {
  if (policy.enabled !== true || policy.action === "add_reporting_directives") return ["passes"];
  if (policy.action !== "allow" && policy.action !== "log") return ["passes", "is reported", "is blocked"];
  const request = requestOf(load.page, { method: "GET" });
  const applies = request.ok ? evaluate(String(policy.expression), request.value) : "unknown";
  if (applies === false || allows({ csp: String(policy.value), ...load }).allowed) return ["passes"];
  const stopped = policy.action === "allow" ? "is blocked" : "is reported";
  return applies === "unknown" ? ["passes", stopped] : [stopped];
}

const RANK = { passes: 0, "is reported": 1, "is blocked": 2 };

/** Whether less is done against a load than before, for sure. */
export function isLess(before: SealedObject, after: SealedObject, load: Load): boolean {
  const [old, now] = [before, after].map((policy) => fatesOf(policy, load).map((fate) => RANK[fate]));
  return Math.max(...(now ?? [])) < Math.min(...(old ?? []));
}

/** Whether something is what a witness should be of a change between two objects in the normal form. */
export function isConfirmed(witness: Witness, before: SealedObject, after: SealedObject): boolean {
  if (witness.as === "load") return isLess(before, after, witness);
  const isCovered = (normal: SealedObject) =>
    normal.enabled === true && doesAlike(normal, before)
      ? evaluate(String(normal.expression), witness.request)
      : false;
  return isCovered(before) === true && isCovered(after) === false;
}

/** Whether both have the site's own CSP report, or neither. */
function doesAlike(a: SealedObject, b: SealedObject): boolean {
  const [one, other] = [a, b].map(({ action }) => action === "add_reporting_directives");
  return one === other;
}
