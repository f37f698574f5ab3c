import type { DeclaredZone } from "../config/index.js";
import type { OpenZone } from "../config/zone.js";
import type { Path } from "../model/item.js";
import { equal, isList, isObject, type Json } from "../model/json.js";
import { asWritten } from "../model/reference.js";

/** The zones of a run, without those that a change of the files leaves as they are in the base. */
interface ChangedZones {
  readonly zones: readonly DeclaredZone[];
  /** How many are left out. */
  readonly asInBase: number;
}

/**
 * The zones that come out of the files in another way than out of the base, once templates, defaults, `vars` and the
 * environment are filled in. Also those that get a value from a variable of another name, whatever both are now.
 *
 * @param before the zone as the base has it; null: it does not
 */
export function changedZones(
  zones: readonly DeclaredZone[],
  before: (zone: OpenZone) => OpenZone | null,
): ChangedZones {
  const changed = zones.filter((zone) => {
    const open = zone.open();
    const former = before(open);
    return former !== open && (former === null || !comesOutAs(open, former));
  });
  return { zones: changed, asInBase: zones.length - changed.length };
}

function comesOutAs(zone: OpenZone, before: OpenZone): boolean {
  return equal(outcomeOf(zone), outcomeOf(before)) && isFromSame(zone, before, zone.sections, []);
}

function outcomeOf({ name, id, accountId, sections, prune, optional, unmanaged, tests = [] }: OpenZone) {
  const asked = tests.map(({ body }) => body);
  return { name, id, accountId, sections, prune, optional, unmanaged, asked };
}

/** Whether every text of two zones with the same values comes from variables of the same names. */
function isFromSame(zone: OpenZone, before: OpenZone, value: Json, path: Path): boolean {
  if (typeof value === "string")
    return asWritten(value, zone.interpolated(path)) === asWritten(value, before.interpolated(path));
  if (isList(value)) return value.every((each, index) => isFromSame(zone, before, each, [...path, index]));
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, each]) => isFromSame(zone, before, each, [...path, key]));
}
