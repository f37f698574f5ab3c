import { canonical } from "../../csp/canonical.js";
import { parse } from "../../csp/parse.js";
import { uniform } from "../../expression/spelling/uniform.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Layer } from "../../model/strength.js";

/** A policy that is switched off protects nothing; the service being off does not switch policies off. */
export function strengthOf(normal: SealedObject): Dimensions {
  if (normal.enabled !== true) return layered([]);
  const scope = { where: asText(normal.expression ?? ""), csp: asText(normal.value ?? "") };
  switch (normal.action) {
    case "allow":
      return layered([{ mode: "enforce", ...scope }]);
    case "log":
      return layered([{ mode: "report", ...scope }]);
    case "add_reporting_directives":
      // As its name says, it has the CSP of the site itself report: by its value nothing is blocked, nor reported.
      return {
        ...layered([]),
        reporting_directives: { as: "scope", of: uniform(scope.where) },
        reporting_value: { as: "opaque", is: spelled(scope.csp) },
      };
    default: {
      const beside = [asText(normal.action ?? ""), uniform(scope.where), spelled(scope.csp)];
      return { csp: { as: "layers", layers: [], beside: JSON.stringify(beside) } };
    }
  }
}

/** Of all that, what can block loads. */
export function blockingOf(normal: SealedObject): Dimensions {
  const { csp } = strengthOf(normal);
  if (csp?.as !== "layers") return {};
  const layers = csp.layers.filter(({ mode }) => mode === "enforce");
  return { csp: { ...csp, layers, counts: "blocking" } };
}

function layered(layers: readonly Layer[]): Dimensions {
  return { csp: { as: "layers", layers } };
}

/** A CSP in one spelling of all that mean the same. */
function spelled(csp: string): string {
  const policies = canonical(parse(csp)).map((policy) =>
    policy.map(([name, sources]) => [name, ...sources].join(" ")),
  );
  return policies.map((directives) => directives.join("; ")).join(", ");
}
