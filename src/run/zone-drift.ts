import { driftedOf } from "../adopt/drifted.js";
import type { Unit } from "../adopt/unit.js";
import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { declaredIn } from "../config/declared.js";
import type { OpenZone } from "../config/desired.js";
import type { Desired } from "../config/index.js";
import { kinds } from "../kinds/index.js";
import type { Kind, Live } from "../kinds/kind.js";
import { liveSecrets } from "../kinds/sensitive.js";
import type { Former } from "../match/index.js";
import type { Json } from "../model/json.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import { remembered } from "../model/remembered.js";
import type { Declared } from "../model/wanted.js";
import { accountFinder, type LocatedZone, namingPermissions, type Place } from "./zones.js";

/** A zone that is read once: at a second look only what the files say is another. */
export interface Look {
  readonly zone: LocatedZone;
  /** What was changed outside the files. */
  at(files: Compared): Promise<Result<readonly Unit[]>>;
  /** What is live there and may be secret, as far as it has been read. */
  readonly secrets: ReadonlySet<Json>;
}

/** The files, and what they are held against. */
export interface Compared {
  readonly desired: Desired;
  /** A zone as it was before; null: it was not there. */
  readonly former: (zone: OpenZone) => OpenZone | null;
  /** Whether that takes something from the environment that is not set any more. */
  readonly lacks: boolean;
  /** Whether what nobody declares or lists was changed outside too. */
  readonly withUndeclared: boolean;
}

export function lookingAt(zone: LocatedZone, client: Client, shared: ZoneReads): Look {
  const reads = new ZoneReads(client, shared);
  const secrets = new Set<Json>();
  const readKind = async (kind: Kind, declared: readonly Declared[], open: OpenZone, place: Place) => {
    const live = await kind.read(
      {
        api: namingPermissions(reads, kind.permissions),
        zoneId: place.id,
        accountId: accountFinder(shared, open.name, place),
        locate: open.locate,
      },
      declared,
    );
    if (!live.ok) return failed(...client.conceal(live.problems));
    const hidden = liveSecrets(kind, live.value.items);
    client.protect(hidden);
    for (const each of hidden) secrets.add(each);
    return live;
  };
  return {
    zone,
    secrets,
    at: async (files) => {
      const { place, declared } = zone;
      const open = zonesOf(files.desired).get(declared.name)?.open();
      if (!place.ok) return place;
      if (open === undefined) return ok([]);
      return unitsOf(open, files, (kind, ofKind) => readKind(kind, ofKind, open, place.value));
    },
  };
}

const zonesOf = remembered(({ zones }: Desired) => new Map(zones.map((zone) => [zone.name, zone])));

type ReadKind = (kind: Kind, declared: readonly Declared[]) => Promise<Result<Live>>;

/** Of all kinds that the files declare, or all that is in the way. */
async function unitsOf(
  zone: OpenZone,
  { former, lacks, withUndeclared }: Compared,
  read: ReadKind,
): Promise<Result<readonly Unit[]>> {
  const then = former(zone);
  const units: Unit[] = [];
  const problems: Problem[] = [];
  for (const kind of kinds.filter(({ section }) => section in zone.sections)) {
    const before = { zone: then, declared: declaredIn(kind, then?.sections ?? {}), lacks };
    const found = await unitsOfKind(kind, zone, before, withUndeclared, read);
    if (found.ok) units.push(...found.value);
    else problems.push(...found.problems);
  }
  return problems.length > 0 ? failed(...problems) : ok(units);
}

async function unitsOfKind(
  kind: Kind,
  zone: OpenZone,
  former: Former,
  withUndeclared: boolean,
  read: ReadKind,
): Promise<Result<readonly Unit[]>> {
  const declared = declaredIn(kind, zone.sections);
  const live = await read(kind, declared);
  if (!live.ok) return live;
  const drifted = driftedOf(kind, declared, live.value, zone, former, withUndeclared);
  if (!drifted.ok) return drifted;
  return ok(drifted.value.map((each) => ({ zone, kind, around: live.value.around, drifted: each })));
}
