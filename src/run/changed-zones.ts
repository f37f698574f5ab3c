import type { DeclaredZone } from "../config/index.js";
import { entriesIn, type OpenZone } from "../config/zone.js";
import { isSame } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import { withoutUntil } from "../kinds/until.js";
import { type Path, pointerOf, textsAt } from "../model/item.js";
import { equal, type JsonObject } from "../model/json.js";
import { asError, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { asWritten } from "../model/reference.js";
import { says } from "../model/sentence.js";
import { readBoth } from "./base.js";
import { zoneFinder } from "./base-changes.js";
import type { FilesInput, PlanInput } from "./files.js";
import { picker } from "./select-zones.js";

export const NO_BASE: Problem = problem(
  "no_base",
  "--changed needs a base",
  says`${{ flag: "changed" }} plans the zones that the files change. Name the files before the change: add ${{ flag: "base" }}.`,
);

/** The names of the selected zones that the files change. Fails if the base cannot be read. */
export async function changedNames(
  input: FilesInput & Pick<PlanInput, "base" | "zones">,
): Promise<Result<readonly string[]>> {
  if (input.base === undefined) return failed(NO_BASE);
  const read = await readBoth(input);
  if (!read.ok) return read;
  const { desired } = read.value.files;
  const { base, warnings } = read.value.before;
  if (base === null) return failed(...warnings.map(asError));
  const { zones } = changedZones(desired.zones, zoneFinder(desired, base.desired));
  return ok(zones.map(({ name }) => name).filter(picker(input.zones)));
}

/** The zones of a run that differ from the base. */
interface ChangedZones {
  readonly zones: readonly DeclaredZone[];
  /** The number of zones that are left out. */
  readonly asInBase: number;
}

/**
 * The zones that differ from the base after templates, defaults, `vars` and the environment are filled in. Another spelling of
 * a value is no difference. Another variable for it is one, even if both have the same value.
 *
 * @param before the zone in the base. Null: the base does not have it
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
  if (!equal(besidesSections(zone), besidesSections(before))) return false;
  const isSame = equal(zone.sections, before.sections) || areSpeltApart(zone.sections, before.sections);
  if (!isSame || (!zone.isFromOutside && !before.isFromOutside)) return isSame;
  const [now, old] = [textsOf(zone), textsOf(before)];
  // A plan shows the written text of values from outside the files.
  return [...now, ...old].every(([at, { isInterpolated }]) => {
    return !isInterpolated || now.get(at)?.written === old.get(at)?.written;
  });
}

interface Text {
  readonly written: string;
  readonly isInterpolated: boolean;
}

/** The texts that a zone declares, by their places. */
function textsOf(zone: OpenZone): ReadonlyMap<string, Text> {
  const texts = textsAt(zone.sections, []).map(({ at, text }) => {
    const from = zone.interpolated(at);
    return [pointerOf(at), { written: asWritten(text, from), isInterpolated: from !== null }] as const;
  });
  return new Map(texts);
}

function besidesSections({ name, id, accountId, prune, optional, unmanaged, tests = [] }: OpenZone) {
  const asked = tests.map(({ body }) => body);
  return { name, id, accountId, prune, optional, unmanaged, asked };
}

/** Whether two zones declare the same in the same order, apart from the spelling of values. */
function areSpeltApart(sections: JsonObject, before: JsonObject): boolean {
  const all = kinds.map((kind) => ({ kind, now: entriesIn(kind, sections), old: entriesIn(kind, before) }));
  const areOne = ({ kind, now, old }: (typeof all)[number]) =>
    equal(pathsOf(now), pathsOf(old)) &&
    now.every(({ body }, index) => isSpeltAs(kind, body, old[index]?.body ?? {}));
  return equal(Object.keys(sections).sort(), Object.keys(before).sort()) && all.every(areOne);
}

function pathsOf(entries: ReturnType<typeof entriesIn>): readonly Path[] {
  return entries.map(({ path }) => path);
}

/**
 * Whether two entries have the same keys and equivalent values. A further key matters even with the default value, because
 * the files then manage the field.
 */
function isSpeltAs(kind: Kind, body: JsonObject, before: JsonObject): boolean {
  const keys = Object.keys(body);
  const differing = keys.filter((key) => !equal(body[key], before[key]));
  if (!equal(keys.toSorted(), Object.keys(before).sort())) return false;
  if (differing.length === 0) return true;
  // The service does not get `until`, but reviewers must see its changes.
  if (withoutUntil(body) !== body || withoutUntil(before) !== before) return false;
  const [now, old] = [kind.toDesired(body, null), kind.toDesired(before, null)];
  return differing.every((key) => {
    const field = kind.fields[key];
    const [is, was] = [now[key] ?? null, old[key] ?? null];
    return field?.canonical !== undefined && is !== null && was !== null && isSame(was, is, field);
  });
}
