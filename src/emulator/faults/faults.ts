import type { Edit } from "../edits/index.js";
import type { FaultName } from "./table.js";

/** What is to go wrong. Requests are counted from when this is armed. */
export interface Faults {
  /** 1 when absent. With the same one, the same requests are struck by chance. */
  readonly seed?: number;
  /** Where several faults fall on one request, the one that stands first strikes. Edits are all made. */
  readonly schedule?: readonly Scheduled[];
  /** Where the schedule has no fault for a request. */
  readonly rates?: readonly Rated[];
}

export const NO_FAULTS: Faults = {};

/** Strikes one request: the nth that fits, counted from 1; the first when absent. */
export type Scheduled = Requests & Strike & { readonly nth?: number };

/** Strikes each request that fits with a chance from 0 to 1. */
export type Rated = Requests & Strike & { readonly chance: number };

/** Which requests fit; all of them where nothing is said. Refused ones count too. */
export interface Requests {
  /** GET, POST, PUT, PATCH, DELETE, or `write`: all but reads. */
  readonly method?: (typeof methods)[number];
  /** The path after the base, without the query; `*` stands for any characters, slashes too. */
  readonly path?: string;
}

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "write"] as const;

/** What happens to a request, or around it. */
export type Strike =
  | {
      readonly fault: FaultName;
      /** How long a pause the answer asks for, or how long its body takes; 1 when absent. */
      readonly seconds?: number;
    }
  /** Somebody else's change right before the request, or right after it. */
  | { readonly before: Edit }
  | { readonly after: Edit };

/** All edits that may be made. */
export function editsIn({ schedule = [], rates = [] }: Faults): readonly Edit[] {
  return [...schedule, ...rates].flatMap((each) => {
    if ("before" in each) return [each.before];
    return "after" in each ? [each.after] : [];
  });
}
