import type { JsonObject } from "../model/json.js";
import type { Habits } from "./dialect.js";
import { idOf } from "./ids.js";
import { type Detections, detectionsFromSeed, detectionsOut } from "./resources/detections.js";
import { type Logpush, logpushFromSeed, logpushOut } from "./resources/logpush/state.js";
import { type Policies, policiesFromSeed, policyOut } from "./resources/policies.js";
import { areAsGiven, managedRulesets } from "./resources/rulesets/managed.js";
import { type Rulesets, rulesetsFromSeed, rulesetsOut } from "./resources/rulesets/state.js";
import { type Settings, settingsFromSeed, settingsOut } from "./resources/settings.js";
import { type Seed, type ZoneSeed, zoneIdOf } from "./seed.js";

/** All that the emulated service knows. */
export interface Store {
  readonly accountId: string;
  readonly accountIds: ReadonlySet<string>;
  /** Every account has the same ones. */
  readonly accountRulesets: Rulesets;
  /** In the order of the seed. */
  readonly zones: readonly Zone[];
  readonly byId: ReadonlyMap<string, Zone>;
  readonly byName: ReadonlyMap<string, Zone>;
}

/** One zone, with a part for each kind of object. */
export interface Zone {
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  /** The zone as lists of zones show it. */
  readonly card: JsonObject;
  settings: Settings;
  readonly policies: Policies;
  readonly logpush: Logpush;
  readonly rulesets: Rulesets;
  readonly scripts: Detections;
  readonly connections: Detections;
}

export function storeFromSeed(seed: Seed, now: Date): Store {
  const accountId = seed.account_id ?? idOf("account");
  const zones = Object.entries(seed.zones).map(([name, zone]) => zoneFromSeed(name, zone, accountId, now));
  return {
    accountId,
    accountIds: new Set([accountId, ...zones.map((zone) => zone.accountId)]),
    accountRulesets: rulesetsFromSeed(seed.account_rulesets ?? managedRulesets, "account", accountId, now),
    zones,
    byId: new Map(zones.map((zone) => [zone.id, zone])),
    byName: new Map(zones.map((zone) => [zone.name.toLowerCase(), zone])),
  };
}

function zoneFromSeed(name: string, seed: ZoneSeed, defaultAccountId: string, now: Date): Zone {
  const id = seed.id ?? zoneIdOf(name);
  const accountId = seed.account_id ?? defaultAccountId;
  return {
    id,
    name,
    accountId,
    card: zoneCard(id, name, accountId),
    settings: settingsFromSeed(seed.settings ?? {}, now),
    policies: policiesFromSeed(seed.policies ?? [], id, now),
    logpush: logpushFromSeed(seed, id),
    rulesets: rulesetsFromSeed(seed.rulesets ?? [], "zone", id, now),
    scripts: detectionsFromSeed("script", seed.scripts ?? [], { id, name }, now),
    connections: detectionsFromSeed("connection", seed.connections ?? [], { id, name }, now),
  };
}

/** The state as a seed; the emulator started with it goes on where this one is. */
export function seedFromStore(store: Store, habits: Habits): Seed {
  const zones = store.zones.map((zone): [string, ZoneSeed] => [zone.name, seedFromZone(zone, habits)]);
  return {
    account_id: store.accountId,
    ...(areAsGiven(store.accountRulesets) ? {} : { account_rulesets: rulesetsOut(store.accountRulesets) }),
    zones: Object.fromEntries(zones),
  };
}

function seedFromZone(zone: Zone, habits: Habits): ZoneSeed {
  return {
    id: zone.id,
    account_id: zone.accountId,
    settings: settingsOut(zone.settings, habits),
    policies: [...zone.policies.byId.values()].map((policy) => policyOut(policy, habits)),
    ...logpushOut(zone.logpush),
    ...(zone.rulesets.byId.size === 0 ? {} : { rulesets: rulesetsOut(zone.rulesets) }),
    ...(zone.scripts.size === 0 ? {} : { scripts: detectionsOut(zone.scripts) }),
    ...(zone.connections.size === 0 ? {} : { connections: detectionsOut(zone.connections) }),
  };
}

/**
 * Every field that the published OpenAPI document requires of a zone, and those that the official TypeScript SDK
 * lists beyond it.
 */
function zoneCard(id: string, name: string, accountId: string): JsonObject {
  const since = "2024-01-02T03:04:05.678901Z";
  return {
    id,
    name,
    status: "active",
    paused: false,
    type: "full",
    development_mode: 0,
    name_servers: ["ada.ns.example.com", "bob.ns.example.com"],
    original_name_servers: null,
    original_registrar: null,
    original_dnshost: null,
    created_on: since,
    modified_on: since,
    activated_on: since,
    meta: { step: 4, custom_certificate_quota: 1, page_rule_quota: 125, phishing_detected: false },
    owner: { id: accountId, name: "Emulated Account", type: "organization" },
    account: { id: accountId, name: "Emulated Account" },
    permissions: ["#zone:read", "#zone_settings:edit"],
    plan: { id: idOf("plan"), name: "Enterprise Website", is_subscribed: true, legacy_id: "enterprise" },
  };
}

/**
 * What a request for this path can change, as it is now. Whatever changes is replaced and not written into, so two
 * looks that find the same values mean that nothing has changed between them.
 */
export function holdings(store: Store, path: string): readonly unknown[] {
  const zone = store.byId.get(path.split("/")[2] ?? "");
  if (zone === undefined) return [...store.accountRulesets.byId.values()];
  return [
    zone.settings,
    ...zone.policies.byId.values(),
    ...zone.logpush.jobs.values(),
    ...zone.logpush.challenged,
    ...zone.rulesets.byId.values(),
  ];
}

export function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
