import { lowerAscii, oneLine, parsedCsp } from "../../csp/syntax.js";
import type { Item } from "../../model/item.js";
import { isObject, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import type { RequestAct } from "../../model/request-lines.js";
import type { SealedObject } from "../../model/sealed.js";
import { defaultsOf, diffFields } from "../fields.js";
import { listIn } from "../keys.js";
import type { Kind, Live, Was } from "../kind.js";
import { sameNames } from "../same-names.js";
import { allowing, brokenTokens, checkPolicy } from "./check.js";
import { fields } from "./fields.js";
import { policySchema } from "./schema.js";
import { blockingOf, strengthOf, unmanagedPolicy } from "./strength.js";

const ofTable = sameNames(fields);

/** Content security policies. A zone may have several, identified by their description. */
export const policy: Kind = {
  name: "policy",
  ...listIn("policies", { named: "description" }),
  // The service must be on before a policy changes, because it detects what pages load only while it is on.
  depends: { area: "pages", on: () => ["settings"] },
  schema: policySchema,
  fields,
  // The documentation's table of availability lists it as an add-on to the largest Cloudflare plan.
  service: {
    included: { as: "content security rules", in: ["enterprise"] },
    permissions: PAGE_SHIELD,
    dashboard: "security/security-rules",
    otherNames: ["csp"],
  },
  at: { as: "collection", path: ["page_shield", "policies"], most: "policies" },

  checks: { declared: checkPolicy, allowing },
  ...ofTable,
  toDesired: (declared, live) => withFlag(ofTable.toDesired(declared, live), live),
  toConfig: (live, declared, context) => inDeclaredForm(ofTable.toConfig(live, declared, context), declared),
  toWire,
  kept: { undeclared: (items) => items.map(unmanagedPolicy) },
  dimensions: strengthOf,
  blocking: blockingOf,
  touches: {
    requests: { does: "applies_to", acts: ({ action }) => ACTS.get(action ?? null) ?? null },
    loads: {
      field: "value",
      reporting: (value) => ({ description: "What was seen", action: "log", expression: "true", value }),
      blocking: (normal) => (normal.action === "log" ? { ...normal, action: "allow" } : null),
    },
  },
};

const ACTS: ReadonlyMap<unknown, RequestAct> = new Map([
  ["allow", "blocks"],
  ["log", "reports"],
]);

/**
 * Adds the default of `enabled` to a change of a live policy that has no such field. Without it, the policy could be on
 * or off after the call. The plan shows the added field.
 */
function withFlag(desired: SealedObject, live: Item | null): SealedObject {
  if (live === null || live.normal.enabled !== undefined || desired.enabled !== undefined) return desired;
  const isChanging = diffFields(live.normal, { ...live.normal, ...desired }, fields).length > 0;
  return isChanging ? { ...defaultsOf(fields, {}, null), ...desired } : desired;
}

/** Sends values with line breaks or repeated spaces on one line. The service lists such values but refuses them. */
function toWire(want: Item, was: Was | null, live: Live): SealedObject {
  const { value, ...body } = ofTable.toWire(want, was, live);
  return value === undefined ? body : { ...body, value: typeof value === "string" ? sendable(value) : value };
}

/** The CSP on one line if it has line breaks or repeated spaces, else unchanged. */
function sendable(csp: string): string {
  return /[^\S ]| {2}/.test(csp) ? oneLine(csp) : csp;
}

/** The declaration of a live policy, with the CSP as text or map as in the file. */
function inDeclaredForm(config: JsonObject, declared: JsonObject | null): JsonObject {
  const { value } = config;
  if (typeof value !== "string" || !isObject(declared?.value)) return config;
  return { ...config, value: asMap(value, declared.value) ?? value };
}

/** The CSP as a map with the spelling of the declared names. Null: a map cannot express it. */
function asMap(text: string, declaredMap: JsonObject): JsonObject | null {
  const [policy, another] = parsedCsp(text).policies;
  if (policy === undefined || another !== undefined) return null;
  const names = new Map(Object.keys(declaredMap).map((name) => [lowerAscii(name), name]));
  const entries = policy.directives.map(
    ({ name, written, sources }) =>
      [names.get(name) ?? written, sources.map((source) => source.text)] as const,
  );
  const map = Object.fromEntries(entries);
  const isWhole = Object.keys(map).length === entries.length && brokenTokens(map).length === 0;
  return isWhole ? map : null;
}
