import type { JsonObject } from "../model/json.js";

/** The limits of a Cloudflare plan. */
export interface Entitlements {
  /** The most policies; null: no limit. */
  readonly policies: number | null;
  /** The most log-push jobs; null: no limit. */
  readonly logpushJobs: number | null;
  readonly rules: RuleEntitlements;
  /** Phases whose rulesets can be neither read nor written. */
  readonly closedPhases: readonly string[];
  /** Zone settings that can be neither read nor written. */
  readonly closedSettings: readonly string[];
}

/** The limits of custom rules and rate limits. */
export interface RuleEntitlements {
  /** The most rules of a zone by phase. */
  readonly most: { readonly [phase: string]: number };
  /** Whether expressions may have regular expressions. */
  readonly regex: boolean;
  /** Whether a rule that blocks may have a response. */
  readonly response: boolean;
  /** Whether custom rules may only log. */
  readonly log: boolean;
  /** The longest period and timeout of a rate limit, in seconds. */
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  /** The characteristics of rate limits. Null: any. */
  readonly characteristics: readonly string[] | null;
  /** Whether a challenge of a rate limit may last. */
  readonly challengeTimeout: boolean;
}

const DAY = 86_400;
const IP = ["cf.colo.id", "ip.src"];

/** The documentation's tables of custom rules and of rate limits by Cloudflare plan. */
function rulesOf(
  custom: number,
  limits: number,
  periodSeconds: number,
  timeoutSeconds: number,
  more: Partial<RuleEntitlements> = {},
): RuleEntitlements {
  return {
    most: { http_request_firewall_custom: custom, http_ratelimit: limits },
    regex: false,
    response: true,
    log: false,
    periodSeconds,
    timeoutSeconds,
    characteristics: IP,
    challengeTimeout: false,
    ...more,
  };
}

const RESPONSES = "http_response_firewall_managed";
const LOG_FIELDS = "http_log_custom_fields";
/** Ciphers need an add-on. */
const CLOSED_SETTINGS: readonly string[] = ["ciphers"];

/**
 * From the documentation's tables of availability. Content security rules need an add-on to the largest plan (five of
 * them), managed rules a paid plan; log-push comes with every plan since September 2026 (four jobs per zone). Here, the
 * largest plan includes the add-on.
 */
const plans = {
  free: {
    name: "Free Website",
    policies: 0,
    logpushJobs: 4,
    rules: rulesOf(5, 1, 10, 10, { response: false }),
    closedPhases: ["http_request_firewall_managed", RESPONSES, LOG_FIELDS],
    closedSettings: CLOSED_SETTINGS,
  },
  pro: {
    name: "Pro Website",
    policies: 0,
    logpushJobs: 4,
    rules: rulesOf(20, 2, 60, 3600),
    closedPhases: [RESPONSES, LOG_FIELDS],
    closedSettings: CLOSED_SETTINGS,
  },
  business: {
    name: "Business Website",
    policies: 0,
    logpushJobs: 4,
    rules: rulesOf(100, 5, 600, DAY, { regex: true, characteristics: [...IP, "cf.unique_visitor_id"] }),
    closedPhases: [RESPONSES, LOG_FIELDS],
    closedSettings: CLOSED_SETTINGS,
  },
  enterprise: {
    name: "Enterprise Website",
    policies: 5,
    logpushJobs: 4,
    rules: rulesOf(1000, 100, 65_535, DAY, {
      regex: true,
      log: true,
      characteristics: null,
      challengeTimeout: true,
    }),
    closedPhases: [],
    closedSettings: [],
  },
} as const satisfies { readonly [plan: string]: Entitlements & { readonly name: string } };

/** The Cloudflare plans. */
export type Plan = keyof typeof plans;

export const planNames: readonly Plan[] = Object.keys(plans) as readonly Plan[]; // the keys of a constant

/** null: no plan, so only the emulator's own limits. */
export function entitlementsOf(plan: Plan | null): Entitlements | null {
  return plan === null ? null : plans[plan];
}

/** The plan in a zone's record. */
export function planOut(plan: Plan | null, id: string): JsonObject {
  const shownPlan = plan ?? "enterprise";
  return { id, name: plans[shownPlan].name, is_subscribed: shownPlan !== "free", legacy_id: shownPlan };
}

/** The first four are in the published OpenAPI document; users see the others as well. */
export const zoneStatuses = ["initializing", "pending", "active", "moved", "deactivated", "hold"] as const;

/** The service serves only zones that are `active`. */
export type ZoneStatus = (typeof zoneStatuses)[number];

/** Reads `[ZONE=]PLAN`; null: invalid. */
export function readPlan(text: string): PlanChoice | null {
  const at = text.lastIndexOf("=");
  const plan = planNames.find((each) => each === text.slice(at + 1));
  if (plan === undefined || at === 0) return null;
  return at === -1 ? { plan } : { zone: text.slice(0, at), plan };
}

/** A plan for a zone, over its seed; without a zone: for all zones without another choice or a seed's plan. */
export interface PlanChoice {
  readonly zone?: string;
  readonly plan: Plan;
}

/** The initial plan of a zone. The last of several choices counts. */
export function planOf(name: string, seeded: Plan | undefined, choices: readonly PlanChoice[]): Plan | null {
  const isForZone = ({ zone }: PlanChoice) => zone?.toLowerCase() === name.toLowerCase();
  const isForAll = ({ zone }: PlanChoice) => zone === undefined;
  return choices.findLast(isForZone)?.plan ?? seeded ?? choices.findLast(isForAll)?.plan ?? null;
}

/** Zones in choices that the seed does not have. */
export function unknownZones(choices: readonly PlanChoice[], zones: readonly string[]): readonly string[] {
  const names = new Set(zones.map((zone) => zone.toLowerCase()));
  return choices.flatMap(({ zone }) => (zone === undefined || names.has(zone.toLowerCase()) ? [] : [zone]));
}
