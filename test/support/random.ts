import fc from "fast-check";

/** Random cases are the same ones each time. `SEED=4711 npm run test:deep` tries others, `DEEP=all` twice as many. */
const SEED = Number(process.env.SEED ?? 13);

const { DEEP } = process.env;

/** Whether all cases are tried. */
export const isAll = DEEP === "all";

/** Whether tests are run at length. */
export const isDeep = isAll || DEEP === "1";

/** More rounds of cases than any test needs: beyond them, what it waits for does not come. */
const MAX_ROUNDS = 100;

// What fails says its seed by itself.
fc.configureGlobal({ seed: SEED });

export { fc };

/** One of so many cases is tried in depth (`npm run test:deep`): all with `DEEP=all`. */
const STRIDE = isAll ? 1 : 2;

/**
 * How many random cases a test tries, or how large its largest one is: a part of these in depth, and a fortieth every
 * day.
 */
export function runs(most: number): number {
  return Math.ceil(most / (isDeep ? STRIDE : 40));
}

/** Of a list that is tried from end to end with `DEEP=all`, a part in depth, and each twentieth every day. */
export function some<T>(all: readonly T[]): readonly T[] {
  return everyNth(all, isDeep ? STRIDE : 20);
}

/** All with `DEEP=all`, else each Nth: neighbours in the list are alike. */
export function everyNth<T>(all: readonly T[], nth: number): readonly T[] {
  return isAll ? all : all.filter((_, index) => index % nth === 0);
}

/**
 * Tries random cases, and more of them until each of the shapes was met often enough: how many cases that takes is no
 * verdict.
 *
 * @param least how often each shape is to be met at least
 * @param propertyOf the property, which tells what it meets, those and others
 * @param cases how many cases are tried before it is asked whether that was enough
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

/** The same random cases whatever SEED says: to tell in which share of them something is so. */
export function fixedSample<T>(cases: fc.Arbitrary<T>, count: number): readonly T[] {
  return fc.sample(cases, { numRuns: count, seed: 13 });
}
