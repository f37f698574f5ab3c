import { canonical } from "../../csp/canonical.js";
import { inForce, parsedCsp } from "../../csp/syntax.js";
import { uniform } from "../../expression/spelling/render.js";
import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import { asText } from "../../model/json.js";
import { rememberedText } from "../../model/remembered.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Destination, Dimensions, Layer } from "../../model/strength.js";
import type { LiveUnmanaged } from "../../model/unmanaged.js";
import { effectOf, shifts } from "../../strength/index.js";
import { requestsOf } from "../expression.js";
import { placesOf } from "../fields.js";

/** The effect of a policy on pages, and the destinations of its reports. */
export function strengthOf(item: Item): Dimensions {
  const value = reportPlaces(asText(item.normal.value ?? ""));
  return { ...protectionOf(item.normal), reports: placesOf("reports", { value }, item) };
}

/**
 * A disabled policy protects nothing, but policies stay in force while the service is off. Without a known `enabled` or
 * value, the strength is unknown.
 */
function protectionOf(normal: SealedObject): Dimensions {
  if (normal.enabled === false) return layersOf([]);
  if (normal.enabled !== true) return unknown(normal, "its enabled state is unknown");
  if (normal.value === undefined) return unknown(normal, "its value is unknown");
  const scope = { where: asText(normal.expression ?? ""), csp: asText(normal.value) };
  switch (normal.action) {
    case "allow":
      return layersOf([{ mode: "enforce", ...scope }]);
    case "log":
      return layersOf([{ mode: "report", ...scope }]);
    case "add_reporting_directives":
      // This action makes the site's own CSP report. The policy's value blocks and reports nothing.
      return {
        ...layersOf([]),
        reporting_directives: { as: "scope", of: uniform(scope.where) },
        reporting_value: { as: "opaque", is: canonicalText(scope.csp) },
      };
    default:
      return unknown(normal, "its action is unknown");
  }
}

function unknown({ action, expression, value }: SealedObject, why: string): Dimensions {
  const is = [asText(action ?? ""), uniform(asText(expression ?? "")), canonicalText(asText(value ?? ""))];
  return { csp: { as: "layers", layers: [], beside: { is: JSON.stringify(is), why } } };
}

/** Both directives count: browsers that know report-to ignore report-uri, and the others do the reverse. */
const reportPlaces = rememberedText((csp): readonly Destination[] => {
  if (!/report-/i.test(csp)) return [];
  const places = parsedCsp(csp).policies.flatMap((policy) =>
    REPORTING.flatMap((name) => inForce(policy).get(name)?.sources ?? []),
  );
  return [...new Set(places.map(({ text }) => text))].map((text) => ({ id: text, is: text }));
});

const REPORTING = ["report-uri", "report-to"] as const;

/** The dimensions that can block loads. */
export function blockingOf({ normal }: Item): Dimensions {
  const { csp } = protectionOf(normal);
  if (csp?.as !== "layers") return {};
  const layers = csp.layers.filter(({ mode }) => mode === "enforce");
  return { csp: { ...csp, layers, counts: "blocking" } };
}

function layersOf(layers: readonly Layer[]): Dimensions {
  return { csp: { as: "layers", layers } };
}

/** One spelling for all CSPs of the same meaning. */
function canonicalText(csp: string): string {
  const policies = canonical(parsedCsp(csp)).map((policy) =>
    policy.map(([name, sources]) => [name, ...sources].join(" ")),
  );
  return policies.map((directives) => directives.join("; ")).join(", ");
}

/** An unmanaged policy. Policies add up, so its effect is the same as alone. */
export function unmanagedPolicy({ ref, normal, raw }: Item): LiveUnmanaged {
  const effect = effectOf(shifts({}, protectionOf(normal)));
  return { ref, list: "policies", does: wordsFor(normal), effect, raw: raw ?? {} };
}

function wordsFor({ enabled, action, value = "", expression = "" }: SealedObject): string {
  const off =
    enabled === true
      ? ""
      : enabled === false
        ? "is disabled; when enabled, "
        : "may be disabled; when enabled, ";
  const csp = cutEnd(asText(value), MAX_CHARS);
  const where = `on ${requestsOf(asText(expression))}`;
  switch (action) {
    case "allow":
      return `${off}blocks loads outside ${csp}, ${where}`;
    case "log":
      return `${off}reports loads outside ${csp}, ${where}`;
    case "add_reporting_directives":
      return `${off}adds reporting directives ${where}`;
    default:
      return `${off}does ${JSON.stringify(cutEnd(asText(action ?? null), MAX_CHARS))}, an unknown action, ${where}`;
  }
}

const MAX_CHARS = 100;
