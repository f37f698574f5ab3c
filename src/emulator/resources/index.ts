import type { JsonObject } from "../../model/json.js";
import type { Plan, ZoneStatus } from "../plans.js";
import { audit } from "./audit.js";
import { connections, type DetectionSeed, scripts } from "./detections.js";
import { logpush } from "./logpush/index.js";
import type { LogpushSeed } from "./logpush/state.js";
import { type PolicySeed, policies } from "./policies.js";
import type { Resource, Route } from "./resource.js";
import { accountRulesets, rulesets } from "./rulesets/index.js";
import type { RulesetSeed } from "./rulesets/state.js";
import { type SettingsSeed, settings } from "./settings.js";
import { permitted, tokens } from "./tokens.js";
import { type ZoneSettingsSeed, zoneSettings } from "./zone-settings.js";
import { zones } from "./zones.js";

/** A zone's resources, in the order of a dump. */
export const zoneResources: readonly Resource<ZoneSeed>[] = [
  settings, //
  policies,
  logpush,
  rulesets,
  scripts,
  connections,
  zoneSettings,
];

/** An account's resources. */
export const accountResources: readonly Resource<Omit<Seed, "zones">>[] = [accountRulesets];

/** Every endpoint. */
export const routes: readonly Route[] = [
  ...tokens,
  ...zones,
  ...audit,
  ...[...zoneResources, ...accountResources].flatMap(({ routes, permissions }) =>
    permissions === undefined ? routes : permitted(routes, [permissions]),
  ),
];

/** Every permission group that an endpoint needs. */
export const permissionGroups: readonly string[] = [
  ...new Set(
    routes.flatMap(({ permissions = [] }) => permissions.flatMap(({ read, write }) => [read, write])),
  ),
];

/** Errors for unknown permission groups. */
export function unknownGroups(without: readonly string[]): readonly string[] {
  const unknown = without.filter((each) => !permissionGroups.includes(each));
  return unknown.map(
    (each) =>
      `Unknown permission group ${JSON.stringify(each)}. Known groups: ${permissionGroups.join(", ")}.`,
  );
}

/** The initial state of the emulator, and the form of dumps and state files. */
export interface Seed {
  /** The account of zones that name none. Absent identifiers, here and below, are made from names and positions. */
  readonly account_id?: string;
  /** The rulesets of every account. Default: the managed ones that the service gives to all. */
  readonly account_rulesets?: readonly RulesetSeed[];
  readonly zones: { readonly [name: string]: ZoneSeed };
}

/** A zone as the API has it; absent members are as in a new zone. */
export interface ZoneSeed extends LogpushSeed {
  readonly id?: string;
  readonly account_id?: string;
  /** The Cloudflare plan, which limits the zone. Absent: no limits. */
  readonly plan?: Plan;
  /** Default: `active`. */
  readonly status?: ZoneStatus;
  readonly paused?: boolean;
  /** Null: the service shows null until they are set. */
  readonly settings?: SettingsSeed | null;
  /** Null: the service shows an empty list as null. */
  readonly policies?: readonly PolicySeed[] | null;
  readonly rulesets?: readonly RulesetSeed[];
  readonly scripts?: readonly DetectionSeed[];
  readonly connections?: readonly DetectionSeed[];
  readonly zone_settings?: ZoneSettingsSeed;
}

/**
 * A change that another client makes in a zone, in terms of the API's own objects. It is made by calls of the API, so
 * identifiers, versions and times change as usual, and limits hold.
 */
export type Edit = {
  /** The actor in the account's audit log: a dashboard user's e-mail address. Default: `someone@example.com`. */
  readonly by?: string;
  /** `late`: the audit log shows it only on a second reading. `missing`: never. */
  readonly audited?: "late" | "missing";
} & (
  | { readonly edit: "settings" | "zone_settings"; readonly zone: string; readonly set: JsonObject }
  | ({ readonly edit: "policy" | "logpush_job" | "ruleset"; readonly zone: string } & ListEdit)
  /** In the phase's entry point, which is created if missing. */
  | ({ readonly edit: "rule"; readonly zone: string; readonly phase: string } & ListEdit)
);

/** An edit of objects in a list. */
export type ListEdit =
  /** The body of a request that creates an object; for a rule, optionally with its `position`. */
  | { readonly add: JsonObject }
  /** Sets these fields in all matching objects; other fields stay. */
  | { readonly set: JsonObject; readonly where?: JsonObject }
  | { readonly remove: true; readonly where?: JsonObject };
