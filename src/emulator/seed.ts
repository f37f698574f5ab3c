import { isObject, type Json } from "../model/json.js";
import { failed, ok, type Result } from "../model/problem.js";
import { fieldError } from "./answer.js";
import {
  type Check,
  type Checks,
  checkBoolean,
  checkId,
  checkIdsDiffer,
  checkObject,
  checkOneOf,
  child,
  isText,
  must,
  seedProblem,
} from "./checks.js";
import type { Dialect } from "./dialect.js";
import { idOf } from "./ids.js";
import { type PlanChoice, planNames, planOf, zoneStatuses } from "./plans.js";
import { accountResources, type Seed, type ZoneSeed, zoneResources } from "./resources/index.js";
import { type Owner, type Resource, type Store, stateOf, type Zone } from "./resources/resource.js";

/** Checks a seed from a file. Each problem's detail starts with the JSON pointer of its place. */
export function checkSeed(value: Json): Result<Seed> {
  const errors = checkTop(value, "");
  if (errors.length > 0) return failed(...errors.map(seedProblem));
  if (isSeed(value)) return ok(value);
  return failed(seedProblem(fieldError("", 'the field "zones" is missing.')));
}

const checkZone = checkObject({
  id: checkId,
  account_id: checkId,
  plan: checkOneOf(planNames),
  status: checkOneOf(zoneStatuses),
  paused: checkBoolean,
  ...sectionChecks(zoneResources),
});

const checkZones: Check = (value, pointer) => {
  if (!isObject(value)) return [fieldError(pointer, "must be an object of zones by name.")];
  const places = Object.entries(value).map(([name, zone]) => [name, zone, child(pointer, name)] as const);
  return [
    ...places.flatMap(([name, zone, at]) => [...checkName(name, at), ...checkZone(zone, at)]),
    ...checkIdsDiffer(places.map(([name, zone, at]) => [(isObject(zone) && zone.id) || zoneIdOf(name), at])),
  ];
};

const checkTop = checkObject({
  account_id: checkId,
  ...sectionChecks(accountResources),
  zones: checkZones,
});

function sectionChecks<Sections>(resources: readonly Resource<Sections>[]): Checks {
  return Object.assign({}, ...resources.map(({ holding }) => holding.sections));
}

/** The pattern of zone names in the published OpenAPI document. */
const checkName = must(
  "must be an ASCII domain name.",
  (name) =>
    isText(name) && name.length <= 253 && /^([a-zA-Z0-9][-a-zA-Z0-9]*\.)+[-a-zA-Z0-9]{2,20}$/.test(name),
);

/** Only called after the checks above, which look at every member. */
function isSeed(value: Json): value is Json & Seed {
  return isObject(value) && isObject(value.zones);
}

export function storeFromSeed(seed: Seed, now: Date, plans: readonly PlanChoice[] = []): Store {
  const accountId = seed.account_id ?? idOf("account");
  const zones = Object.entries(seed.zones).map(([name, zone]) =>
    zoneFromSeed(name, zone, { accountId, plan: planOf(name, zone.plan, plans) }, now),
  );
  return {
    account: withStates({ id: accountId, name: "" }, accountResources, seed, now),
    accountIds: new Set([accountId, ...zones.map((zone) => zone.accountId)]),
    zones,
    byId: new Map(zones.map((zone) => [zone.id, zone])),
    byName: new Map(zones.map((zone) => [zone.name.toLowerCase(), zone])),
  };
}

function zoneFromSeed(
  name: string,
  seed: ZoneSeed,
  { accountId, plan }: Pick<Zone, "accountId" | "plan">,
  now: Date,
): Zone {
  const zone = {
    id: seed.id ?? zoneIdOf(name),
    name,
    accountId: seed.account_id ?? accountId,
    plan,
    status: seed.status ?? "active",
    paused: seed.paused ?? false,
  };
  return withStates(zone, zoneResources, seed, now);
}

/** The identifier of a zone without one in the seed. */
function zoneIdOf(name: string): string {
  return idOf("zone", name);
}

function withStates<Named extends Omit<Owner, "states">, Sections>(
  owner: Named,
  resources: readonly Resource<Sections>[],
  seed: Sections,
  now: Date,
): Named & Owner {
  const states = resources.map(({ holding }) => [holding, holding.fromSeed(seed, owner, now)] as const);
  return { ...owner, states: new Map<unknown, unknown>(states) };
}

/** The state as a seed: an emulator started with it continues from here. */
export function seedFromStore(store: Store, dialect: Dialect): Seed {
  const zones = store.zones.map((zone): [string, ZoneSeed] => [
    zone.name,
    {
      id: zone.id,
      account_id: zone.accountId,
      ...unusual(zone),
      ...sectionsOf(zone, zoneResources, dialect),
    },
  ]);
  return {
    account_id: store.account.id,
    ...sectionsOf(store.account, accountResources, dialect),
    zones: Object.fromEntries(zones),
  };
}

/** Members that differ from the defaults. */
function unusual({ plan, status, paused }: Zone): Pick<ZoneSeed, "plan" | "status" | "paused"> {
  return {
    ...(plan === null ? {} : { plan }),
    ...(status === "active" ? {} : { status }),
    ...(paused ? { paused } : {}),
  };
}

function sectionsOf<Sections extends object>(
  owner: Owner,
  resources: readonly Resource<Sections>[],
  dialect: Dialect,
): Partial<Sections> {
  const sections = resources.map(({ holding }) => holding.toSeed(stateOf(holding, owner), dialect));
  return Object.assign({}, ...sections);
}
