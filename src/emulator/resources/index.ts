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
import { zones } from "./zones.js";

/** All that a zone can have, in the order in which a dump shows it: one line a resource. */
export const zoneResources: readonly Resource<ZoneSeed>[] = [
  settings, //
  policies,
  logpush,
  rulesets,
  scripts,
  connections,
];

/** What every account has. */
export const accountResources: readonly Resource<Omit<Seed, "zones">>[] = [accountRulesets];

/** Every endpoint. */
export const routes: readonly Route[] = [
  ...tokens,
  ...zones,
  ...audit,
  ...[...zoneResources, ...accountResources].flatMap(({ routes, permissions }) =>
    permissions === undefined ? routes : permitted(routes, () => [permissions]),
  ),
];

/** What the emulator starts with, and the form in which its state is shown and kept. */
export interface Seed {
  /** The account of the zones that name none. Absent identifiers, here and below, are made of names and positions. */
  readonly account_id?: string;
  /** The rulesets of every account; when absent, the managed ones that the service gives to all. */
  readonly account_rulesets?: readonly RulesetSeed[];
  readonly zones: { readonly [name: string]: ZoneSeed };
}

/** A zone as the API has it; what is absent is as in a new zone. */
export interface ZoneSeed extends LogpushSeed {
  readonly id?: string;
  readonly account_id?: string;
  /** What it may have follows from it; when absent, it may have everything. */
  readonly plan?: Plan;
  /** `active` when absent. */
  readonly status?: ZoneStatus;
  readonly paused?: boolean;
  /** Null: the service answers null until they are set. */
  readonly settings?: SettingsSeed | null;
  /** Null: the service answers null while there are none. */
  readonly policies?: readonly PolicySeed[] | null;
  readonly rulesets?: readonly RulesetSeed[];
  readonly scripts?: readonly DetectionSeed[];
  readonly connections?: readonly DetectionSeed[];
}

/**
 * What somebody else changes in a zone, in terms of the API's own objects. It is carried out as another client would,
 * by calls of the API, so identifiers, versions and times move as they would, and limits hold.
 */
export type Edit = {
  /** Whom the account's audit log names: somebody in the dashboard, by the e-mail address. `someone@example.com` when absent. */
  readonly by?: string;
  /** `late`: the audit log has it only when it is read a second time. `missing`: never. */
  readonly audited?: "late" | "missing";
} & (
  | { readonly edit: "settings"; readonly zone: string; readonly set: JsonObject }
  | ({ readonly edit: "policy" | "logpush_job" | "ruleset"; readonly zone: string } & ListEdit)
  /** In the entry point of the phase, which is made where there is none yet. */
  | ({ readonly edit: "rule"; readonly zone: string; readonly phase: string } & ListEdit)
);

/** Of the objects of a list. */
export type ListEdit =
  /** The body of a request that creates one; of a rule, also with its `position`. */
  | { readonly add: JsonObject }
  /** The fields that get these values, in all objects that fit; the other fields stay. */
  | { readonly set: JsonObject; readonly where?: JsonObject }
  | { readonly remove: true; readonly where?: JsonObject };
