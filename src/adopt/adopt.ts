import { nameOf, sectionOf, type Unit, type UnitOutcome, withinOf } from "./drifted.js";
import { type Texts, type WrittenBack, writtenBack } from "./write-back.js";

/** Plans the edited files. Returns the drift that remains, or why the files are invalid. */
export type TryOut = (
  texts: Texts,
  secrets: ReadonlyMap<string, string>,
) => Promise<
  { readonly ok: true; readonly drifted: readonly Unit[] } | { readonly ok: false; readonly why: string }
>;

/**
 * Writes as much drift into the files as possible: everything at once, or else by halves (zones, then objects) if the
 * files become invalid or still differ from the live state. So a few units that cannot be adopted cost a few tries each.
 */
export async function adopted(units: readonly Unit[], files: Texts, tryOut: TryOut): Promise<WrittenBack> {
  const all = writtenBack(units, files);
  const failure = await failureWith(all, units, units, files, tryOut);
  if (failure === null) return all;
  const good: Unit[] = [];
  const refused: UnitOutcome[] = [];
  const tryWith = (moreUnits: readonly Unit[]) => {
    const tryUnits = [...good, ...moreUnits];
    return failureWith(writtenBack(tryUnits, files), tryUnits, units, files, tryOut);
  };
  /** @param knownFailure the result of a try with just these units, if there was one */
  const take = async (units: readonly Unit[], knownFailure: string | null): Promise<void> => {
    const why = knownFailure ?? (await tryWith(units));
    const [unit, ...otherUnits] = units;
    if (unit === undefined) return;
    if (why === null) good.push(...units);
    else if (otherUnits.length === 0) refused.push({ unit, field: null, why }, ...leftOf(unit));
    else {
      const [first, second] = halves(units);
      const before = good.length;
      await take(first, null);
      const isWhole = good.length - before === first.length;
      await take(second, isWhole ? why : null);
    }
  };
  // A field that is left, such as one in conflict, can be why the rest does not fit.
  const leftOf = (unit: Unit) => all.outcomes.filter((each) => each.unit === unit && each.why !== null);
  await take(units, failure);
  const result = writtenBack(good, files);
  return { ...result, outcomes: [...result.outcomes, ...refused] };
}

/** The units of the first half of the zones, and the others. For one zone: halves of its units. */
function halves(units: readonly Unit[]): readonly [readonly Unit[], readonly Unit[]] {
  const names = [...new Set(units.map(({ zone }) => zone.name))];
  const early = new Set(names.slice(0, Math.ceil(names.length / 2)));
  const isEarly = ({ zone }: Unit, index: number) =>
    names.length === 1 ? index < units.length / 2 : early.has(zone.name);
  return [units.filter(isEarly), units.filter((unit, index) => !isEarly(unit, index))];
}

/** After the edit, only units that were left on purpose, or were not tried, may still differ. */
async function failureWith(
  { texts, outcomes, secrets }: WrittenBack,
  writtenUnits: readonly Unit[],
  all: readonly Unit[],
  files: Texts,
  tryOut: TryOut,
): Promise<string | null> {
  if (texts.size === 0) return null;
  const trial = await tryOut(new Map([...files, ...texts]), secrets);
  if (!trial.ok) return `The edited file would be invalid: ${trial.why}`;
  const left = outcomes.flatMap(({ unit, field, why }) =>
    why === null ? [] : field === null ? idsOf(unit) : [idOf(unit, field)],
  );
  const written = new Set(writtenUnits);
  const untriedIds = all.filter((unit) => !written.has(unit)).flatMap(idsOf);
  const allowedIds = new Set([...left, ...untriedIds]);
  const stillDrifted = trial.drifted.filter((unit) => idsOf(unit).some((id) => !allowedIds.has(id)));
  if (stillDrifted.length === 0) return null;
  const [unsayable = "The edited file would still differ from the live state."] = stillDrifted.flatMap(
    ({ drifted }) =>
      "position" in drifted && drifted.position !== null && "unsayable" in drifted.position
        ? drifted.position.unsayable
        : [],
  );
  return unsayable;
}

function idsOf(unit: Unit): readonly string[] {
  const { drifted } = unit;
  return drifted.as === "changed" ? drifted.fields.map(({ field }) => idOf(unit, field)) : [idOf(unit, null)];
}

function idOf(unit: Unit, field: string | null): string {
  return JSON.stringify([
    unit.zone.name,
    unit.kind.name,
    sectionOf(unit),
    nameOf(unit),
    withinOf(unit),
    field,
  ]);
}
