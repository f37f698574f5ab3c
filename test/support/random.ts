import fc from "fast-check";

/** Random cases are the same ones each time. `SEED=4711 npm run test:deep` tries others. */
const SEED = Number(process.env.SEED ?? 13);

/** Whether tests are run at length. */
export const isDeep = process.env.DEEP === "1";

/** More rounds of cases than any test needs: beyond them, what it waits for does not come. */
const MAX_ROUNDS = 100;

// What fails says its seed by itself.
fc.configureGlobal({ seed: SEED });

export { fc };

/**
 * How many random cases a test tries, or how large its largest one is: so many in depth (`npm run test:deep`), and a
 * fortieth of them every day.
 */
export function runs(inDepth: number): number {
  return isDeep ? inDepth : Math.ceil(inDepth / 40);
}

/** Of a list that is tried from end to end in depth, each twentieth. */
export function some<T>(all: readonly T[]): readonly T[] {
  return isDeep ? all : all.filter((_, index) => index % 20 === 0);
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
