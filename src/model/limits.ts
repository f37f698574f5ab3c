import type { Schema } from "./declared-zone.js";

/** The objects that limits count. What takes long to count is counted only if a limit needs it. */
export interface Totals {
  readonly changed: number;
  readonly deleted: number;
  /** Objects that the files manage, changed or not. */
  readonly managed: () => number;
  /** Objects in the base. Null: no base is known. */
  readonly inBase: (() => number) | null;
}

interface Row {
  /** Of its number in the files. */
  readonly schema: Schema;
  readonly sum: (totals: Totals) => { readonly value: number; readonly text: string };
}

/** Limits on the size of one run. */
export const LIMITS = {
  max_changes: {
    schema: {
      type: "integer",
      minimum: 0,
      description: "The most objects that a run may create, update and delete. Default: no limit.",
    },
    sum: ({ changed }) => ({ value: changed, text: `The run would change ${objects(changed)}` }),
  },
  max_deletes: {
    schema: {
      type: "integer",
      minimum: 0,
      description: "The most objects that a run may delete or replace. Default: no limit.",
    },
    sum: ({ deleted }) => ({ value: deleted, text: `The run would delete ${objects(deleted)}` }),
  },
  max_changed_share: {
    schema: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description:
        "The largest share of the managed objects that a run may change: 0.2 is 20 %. Default: no limit.",
    },
    sum: ({ changed, managed, inBase }) => {
      const all = (inBase ?? managed)();
      const value = Math.min(1, changed / all);
      // Rounded up, so that a share beyond the limit never looks equal to it.
      const shown = Math.ceil(value * 1000) / 1000;
      const text =
        inBase === null
          ? `The run would change ${changed} of ${objects(all)} in the files, a share of ${shown}`
          : `The run would change ${objects(changed)}, and the base manages ${all}, a share of ${shown}`;
      return { value, text };
    },
  },
} satisfies { readonly [name: string]: Row };

export type Limit = keyof typeof LIMITS;

export const limitNames = Object.keys(LIMITS) as readonly Limit[]; // the keys of a constant

function objects(n: number): string {
  return n === 1 ? "1 object" : `${n} objects`;
}
