import type { Faults } from "./faults.js";

/** All of them; what stands first goes first, and the first seed holds. */
export function together(all: readonly Faults[]): Faults {
  const seed = all.find((each) => each.seed !== undefined)?.seed;
  return {
    ...(seed === undefined ? {} : { seed }),
    schedule: all.flatMap(({ schedule = [] }) => schedule),
    rates: all.flatMap(({ rates = [] }) => rates),
  };
}
