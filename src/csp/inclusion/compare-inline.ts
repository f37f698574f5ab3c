import type { CompiledCsp } from "../match/compile.js";
import type { Answer } from "./answer.js";
import { type Budget, spend } from "./budget.js";
import type { Comparison } from "./comparison.js";
import { type Grants, INLINE_KINDS, inlineGrants } from "./inline-grants.js";

/** Each kind of thing that has no URL: scripts, styles and attributes in the page, eval. */
export function compareInline(over: CompiledCsp, under: CompiledCsp, { budget }: Comparison): Answer {
  const answers = INLINE_KINDS.map((kind) => {
    const grantsOf = (csp: CompiledCsp) => csp.policies.map((policy) => inlineGrants(kind, policy));
    return compareKind(grantsOf(over), grantsOf(under), budget);
  });
  if (answers.includes("refuted")) return "refuted";
  return answers.includes("open") ? "open" : "covered";
}

/** One policy of the second value within each of the first is enough. */
function compareKind(overs: readonly Grants[], unders: readonly Grants[], budget: Budget): Answer {
  const isCovered = overs.every((over) => unders.some((under) => isSubset(under, over, budget)));
  if (isCovered || !overs.some(isLimited)) return "covered";
  return isRefuted(overs.filter(isLimited), unders.filter(isLimited), budget) ? "refuted" : "open";
}

type Limited = Exclude<Grants, "everything">;

function isLimited(grants: Grants): grants is Limited {
  return grants !== "everything";
}

function isSubset(under: Grants, over: Grants, budget: Budget): boolean {
  if (!isLimited(over)) return true;
  return isLimited(under) && spend(budget, under.size) && [...under].every((grant) => over.has(grant));
}

/**
 * By one word that every policy of the second value grants, and one of the first does not. Two policies that grant
 * different words can still allow an element that has both.
 */
function isRefuted(overs: readonly Limited[], unders: readonly Limited[], budget: Budget): boolean {
  const [first, ...rest] = unders;
  if (first === undefined) return true;
  if (!spend(budget, first.size * (rest.length + overs.length))) return false;
  const granted = [...first].filter((grant) => rest.every((under) => under.has(grant)));
  return overs.some((over) => granted.some((grant) => !over.has(grant)));
}
