import { nameOf, sectionOf, type Told, type Unit, withinOf } from "./drifted.js";

import { type Texts, type WrittenBack, writtenBack } from "./write-back.js";

/** Reads the files as they would be. What is still not as it is live comes back, or why they cannot be used. */
export type TryOut = (
  texts: Texts,
  secrets: ReadonlyMap<string, string>,
) => Promise<
  { readonly ok: true; readonly drifted: readonly Unit[] } | { readonly ok: false; readonly why: string }
>;

/**
 * What was changed outside, in the files as far as it can be: all of it at once, or zone by zone, and object by object,
 * where that leaves files that cannot be used, or that still say something else.
 */
export async function adopted(units: readonly Unit[], files: Texts, tryOut: TryOut): Promise<WrittenBack> {
  const all = writtenBack(units, files);
  if ((await wrongWith(all, units, units, files, tryOut)) === null) return all;
  const good: Unit[] = [];
  const refused: Told[] = [];
  const tryWith = (more: readonly Unit[]) => {
    const asked = [...good, ...more];
    return wrongWith(writtenBack(asked, files), asked, units, files, tryOut);
  };
  for (const name of new Set(units.map(({ zone }) => zone.name))) {
    const ofZone = units.filter(({ zone }) => zone.name === name);
    if ((await tryWith(ofZone)) === null) {
      good.push(...ofZone);
      continue;
    }
    for (const unit of ofZone) {
      const why = await tryWith([unit]);
      if (why === null) good.push(unit);
      else refused.push({ unit, field: null, why });
    }
  }
  const result = writtenBack(good, files);
  return { ...result, told: [...result.told, ...refused] };
}

/** After the edit, only what was left on purpose, or belongs to other units, may still differ from live. */
async function wrongWith(
  { texts, told, secrets }: WrittenBack,
  asked: readonly Unit[],
  all: readonly Unit[],
  files: Texts,
  tryOut: TryOut,
): Promise<string | null> {
  if (texts.size === 0) return null;
  const tried = await tryOut(new Map([...files, ...texts]), secrets);
  if (!tried.ok) return `The file could not be used with it: ${tried.why}`;
  const left = told.flatMap(({ unit, field, why }) =>
    why === null ? [] : field === null ? idsOf(unit) : [idOf(unit, field)],
  );
  const others = all.filter((unit) => !asked.includes(unit)).flatMap(idsOf);
  const known = new Set([...left, ...others]);
  const still = tried.drifted.filter((unit) => idsOf(unit).some((id) => !known.has(id)));
  if (still.length === 0) return null;
  const [unsayable = "The file would still say something else."] = still.flatMap(({ drifted }) =>
    "standing" in drifted && drifted.standing !== null && "unsayable" in drifted.standing
      ? drifted.standing.unsayable
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
