import type { DeclaredZone } from "../config/index.js";
import type { OpenZone } from "../config/zone.js";
import type { Path } from "../model/item.js";
import { equal, isList, isObject, type Json } from "../model/json.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import { asWritten } from "../model/reference.js";
import { says } from "../model/sentence.js";
import { readBase, zoneFinder } from "./base.js";
import { type PlanInput, readDesired } from "./files.js";
import { isPicked } from "./select-zones.js";

/** Nobody has said since when. */
export const NO_BASE: Problem = problem(
  "no_base",
  "Changed since when is not said",
  says`${{ flag: "changed" }} takes the zones that the files change, and nothing names the files before the change. Add ${{ flag: "base" }}.`,
);

/** The names of the zones that the files change, of those that are named. A base that cannot be read is a failure: it tells of none. */
export async function changedNames(
  input: Pick<PlanInput, "base" | "zones"> & Parameters<typeof readDesired>[0],
): Promise<Result<readonly string[]>> {
  if (input.base === undefined) return failed(NO_BASE);
  const before = await readBase(input.base, input);
  const { desired, problems } = await readDesired(input, "plan", before.secrets);
  if (desired === null || hasErrors(problems)) return { ok: false, problems };
  const { base, warnings } = before.beside(desired);
  if (base === null) return failed(...warnings.map((each) => ({ ...each, severity: "error" as const })));
  const { zones } = changedZones(desired.zones, zoneFinder(desired, base.desired));
  return ok(zones.map(({ name }) => name).filter((name) => isPicked(name, input.zones)));
}

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
