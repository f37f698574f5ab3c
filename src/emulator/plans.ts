import type { JsonObject } from "../model/json.js";

/** What a zone may have, by the plan that its owner pays for. */
export interface Entitlements {
  /** How many policies; null: any number. */
  readonly policies: number | null;
  /** How many log-push jobs; null: any number. */
  readonly logpushJobs: number | null;
  /** Phases whose rulesets it can neither read nor write. */
  readonly closedPhases: readonly string[];
}

const RESPONSES = "http_response_firewall_managed";
const LOG_FIELDS = "http_log_custom_fields";

/**
 * The documentation's tables of what is available where: content security rules come with an add-on to the largest plan
 * (five of them), managed rules with all that are paid for, log-push with every plan since September 2026 (four jobs a
 * zone). Here the largest plan has its add-on.
 */
const plans = {
  free: {
    name: "Free Website",
    policies: 0,
    logpushJobs: 4,
    closedPhases: ["http_request_firewall_managed", RESPONSES, LOG_FIELDS],
  },
  pro: { name: "Pro Website", policies: 0, logpushJobs: 4, closedPhases: [RESPONSES, LOG_FIELDS] },
  business: { name: "Business Website", policies: 0, logpushJobs: 4, closedPhases: [RESPONSES, LOG_FIELDS] },
  enterprise: { name: "Enterprise Website", policies: 5, logpushJobs: 4, closedPhases: [] },
} as const satisfies { readonly [plan: string]: Entitlements & { readonly name: string } };

/** A plan that a zone can be on. */
export type Plan = keyof typeof plans;

export const planNames: readonly Plan[] = Object.keys(plans) as readonly Plan[]; // the keys of a constant

/** A zone of no plan has what there is, within the limits that the emulator was started with. */
export function entitlementsOf(plan: Plan | null): Entitlements | null {
  return plan === null ? null : plans[plan];
}

/** What a zone's record says of its plan. */
export function planOut(plan: Plan | null, id: string): JsonObject {
  const named = plan ?? "enterprise";
  return { id, name: plans[named].name, is_subscribed: named !== "free", legacy_id: named };
}

/** The published OpenAPI document has the first four; users see the others as well. */
export const zoneStatuses = ["initializing", "pending", "active", "moved", "deactivated", "hold"] as const;

/** Whether the service serves a zone: only one that is `active`. */
export type ZoneStatus = (typeof zoneStatuses)[number];

/** Reads `[ZONE=]PLAN`; null: it is none. */
export function readPlan(text: string): PlanChoice | null {
  const at = text.lastIndexOf("=");
  const plan = planNames.find((each) => each === text.slice(at + 1));
  if (plan === undefined || at === 0) return null;
  return at === -1 ? { plan } : { zone: text.slice(0, at), plan };
}

/** The plan of a zone, whatever the seed says; without a zone: of all that no other choice and no seed gives one. */
export interface PlanChoice {
  readonly zone?: string;
  readonly plan: Plan;
}

/** The plan that a zone starts with. Of several choices the last holds. */
export function planOf(name: string, seeded: Plan | undefined, choices: readonly PlanChoice[]): Plan | null {
  const isIts = ({ zone }: PlanChoice) => zone?.toLowerCase() === name.toLowerCase();
  const all = ({ zone }: PlanChoice) => zone === undefined;
  return choices.findLast(isIts)?.plan ?? seeded ?? choices.findLast(all)?.plan ?? null;
}

/** Zones that choices name, and the seed does not have. */
export function unknownZones(choices: readonly PlanChoice[], zones: readonly string[]): readonly string[] {
  const known = new Set(zones.map((zone) => zone.toLowerCase()));
  return choices.flatMap(({ zone }) => (zone === undefined || known.has(zone.toLowerCase()) ? [] : [zone]));
}
