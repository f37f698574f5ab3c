import type { Dialect } from "./dialect.js";
import { idOf } from "./ids.js";
import { type PlanChoice, planOf } from "./plans.js";
import { accountResources, type Seed, type ZoneSeed, zoneResources } from "./resources/index.js";
import { type Owner, type Resource, type Store, stateOf, type Zone } from "./resources/resource.js";

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
export function zoneIdOf(name: string): string {
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
  const sections: Partial<Sections> = {};
  for (const { holding } of resources)
    Object.assign(sections, holding.toSeed(stateOf(holding, owner), dialect));
  return sections;
}
