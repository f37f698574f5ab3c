import { canonicalSources } from "../canonical.js";
import type { CompiledCsp, CompiledPolicy } from "../match/compile.js";
import type { Answer } from "./answer.js";

/** Directives that restrict something else have to be the same. Reports restrict nothing, nor does what is unknown. */
export function compareOther(over: CompiledCsp, under: CompiledCsp): Answer {
  const isCovered = OTHER_RESTRICTIONS.every((name) => {
    const known = new Set(under.policies.map((policy) => restriction(policy, name)));
    return over.policies.every((policy) => {
      const value = restriction(policy, name);
      return value === null || known.has(value);
    });
  });
  return isCovered ? "covered" : "open";
}

function restriction(policy: CompiledPolicy, name: string): string | null {
  const directive = policy.directives.get(name);
  return directive === undefined ? null : canonicalSources(directive).join(" ");
}

const OTHER_RESTRICTIONS = [
  "sandbox",
  "block-all-mixed-content",
  "treat-as-public-address",
  "navigate-to",
  "prefetch-src",
  "webrtc",
];
