import fc from "fast-check";

/** Random cases are the same in each run. `SEED=4711 npm run test:deep` tries others, `DEEP=all` twice as many. */
const SEED = Number(process.env.SEED ?? 13);

const { DEEP } = process.env;

/** Whether all cases run. */
export const isAll = DEEP === "all";

/** Whether tests run at length. */
export const isDeep = isAll || DEEP === "1";

/** More rounds than any test needs. After so many, a missing shape will not appear. */
const MAX_ROUNDS = 100;

// A failure prints its seed.
fc.configureGlobal({ seed: SEED });

export { fc };

/** A deep run (`npm run test:deep`) tries one of so many cases. `DEEP=all` tries all. */
const STRIDE = isAll ? 1 : 2;

/**
 * The number of random cases of a test, or the size of its largest one: a part of these in a deep run, and an eightieth in an
 * ordinary run.
 */
export function runs(most: number): number {
  return Math.ceil(most / (isDeep ? STRIDE : 80));
}

/** A part of a list: everything with `DEEP=all`, a share in a deep run, and each twentieth in an ordinary run. */
export function some<T>(all: readonly T[]): readonly T[] {
  return everyNth(all, isDeep ? STRIDE : 20);
}

/** All with `DEEP=all`, else each Nth, because neighbours in the list are alike. */
export function everyNth<T>(all: readonly T[], nth: number): readonly T[] {
  return isAll ? all : all.filter((_, index) => index % nth === 0);
}

/**
 * Tries random cases until each shape was met often enough, in any number of rounds.
 *
 * @param least the least number of cases of each shape
 * @param propertyOf the property, which reports the shapes of each case
 * @param cases the number of cases in a round
 */
export async function untilMet(
  least: Readonly<Record<string, number>>,
  propertyOf: (
    met: (shape: string, times?: number) => void,
  ) => fc.IRawProperty<unknown, false> | fc.IRawProperty<unknown, true>,
  cases: number,
): Promise<void> {
  const counts = new Map<string, number>();
  const property = propertyOf((shape, times = 1) => {
    counts.set(shape, (counts.get(shape) ?? 0) + times);
  });
  const missing = () => Object.entries(least).filter(([shape, wanted]) => (counts.get(shape) ?? 0) < wanted);
  for (let round = 0; round === 0 || missing().length > 0; round += 1) {
    if (round === MAX_ROUNDS)
      throw new Error(`Too few in ${round * cases} cases from SEED=${SEED}: ${JSON.stringify(missing())}`);
    await fc.assert(property, { numRuns: cases, seed: SEED + round });
  }
}

/** The same random cases for any SEED, to measure a share of them. */
export function fixedSample<T>(cases: fc.Arbitrary<T>, count: number): readonly T[] {
  return fc.sample(cases, { numRuns: count, seed: 13 });
}
