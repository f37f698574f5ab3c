import { allows } from "../../src/csp/match/allows.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { requestOf } from "../../src/expression/evaluate/request.js";
import type { JsonObject } from "../../src/model/json.js";
import type { SealedObject } from "../../src/model/sealed.js";
import type { Witness } from "../../src/model/strength.js";

type Load = Omit<Extract<Witness, { readonly as: "load" }>, "as">;

/** How strongly a policy in the normal form reacts to a load, by the evaluators alone. */
type Fate = "passes" | "is reported" | "is blocked";

/** All possible reactions, because a URL does not decide everything. */
export function fatesOf(policy: SealedObject, load: Load): readonly Fate[] {
  if (policy.enabled !== true || policy.action === "add_reporting_directives") return ["passes"];
  if (policy.action !== "allow" && policy.action !== "log") return ["passes", "is reported", "is blocked"];
  const request = requestOf(load.page, { method: "GET" });
  const applies = request.ok ? evaluate(String(policy.expression), request.value) : "unknown";
  if (applies === false || allows({ csp: String(policy.value), ...load }).allowed !== false)
    return ["passes"];
  const stopped = policy.action === "allow" ? "is blocked" : "is reported";
  return applies === "unknown" ? ["passes", stopped] : [stopped];
}

const RANK = { passes: 0, "is reported": 1, "is blocked": 2 };

/** Whether the reaction to a load is certainly weaker than before. */
export function isLess(before: SealedObject, after: SealedObject, load: Load): boolean {
  const [old, now] = [before, after].map((policy) => fatesOf(policy, load).map((fate) => RANK[fate]));
  return Math.max(...(now ?? [])) < Math.min(...(old ?? []));
}

/** Whether a value is a valid witness of a change between two objects in the normal form. */
export function isConfirmed(witness: Witness, before: SealedObject, after: SealedObject): boolean {
  if (witness.as === "load") return isLess(before, after, witness);
  if ([before, after].some(({ skip }) => skip !== undefined)) return isNewlySkipped(witness, before, after);
  const isCovered = (normal: SealedObject) =>
    normal.enabled === true && doesAlike(normal, before)
      ? evaluate(String(normal.expression), witness.request)
      : false;
  return isCovered(before) === true && isCovered(after) === false;
}

/** Whether a request skips something only after a change of an exception. */
function isNewlySkipped(
  { request }: Extract<Witness, { readonly as: "request" }>,
  before: SealedObject,
  after: SealedObject,
): boolean {
  // A rule that may have been skipped before counts as skipped.
  const [old, now] = [skippedBy(before, request, true), skippedBy(after, request, false)];
  return now.some((each) => !old.includes(each) && !old.includes(wholeOf(each)));
}

/** The parts that a request skips through an exception: rulesets as `X`, and their rules as `X/1a`. */
function skippedBy(exception: SealedObject, request: JsonObject, ifUnknown: boolean): readonly string[] {
  if (exception.enabled !== true) return [];
  const matched = evaluate(String(exception.expression), request);
  if (matched === "unknown" ? !ifUnknown : !matched) return [];
  const { skip, position } = exception;
  const { behind = [] } = (position ?? {}) as { behind?: readonly string[] }; // the form that the kind writes
  return allIn(skip).filter((each) => !behind.includes(wholeOf(each)));
}

function allIn(skip: SealedObject[string] | undefined): readonly string[] {
  if (skip === "all") return [...IDS.values(), "any other"];
  if (Array.isArray(skip)) return skip.map((name) => IDS.get(String(name)) ?? String(name));
  return Object.entries(skip as { [ruleset: string]: string[] }).flatMap(([name, ids]) =>
    ids.map((id) => `${IDS.get(name) ?? name}/${id}`),
  );
}

const wholeOf = (name: string) => name.replace(/\/.*$/, "");

/** The rulesets in the tests, with their ids. */
const IDS: ReadonlyMap<string, string> = new Map([
  ["Cloudflare Managed Ruleset", "efb7b8c949ac4650a09736fc376e9aee"],
  ["Own rules", "Own rules"],
]);

/** Whether both or neither let the site's own CSP report. */
function doesAlike(a: SealedObject, b: SealedObject): boolean {
  const [one, other] = [a, b].map(({ action }) => action === "add_reporting_directives");
  return one === other;
}
