import type { Kind, Live, PendingChange } from "../kinds/kind.js";
import type { Seen, Step } from "../model/plan.js";

/** One kind's changes in a zone, and what is live of it. */
export interface KindChanges {
  readonly kind: Kind;
  readonly zoneId: string;
  readonly live: Live;
  readonly changes: readonly PendingChange[];
  /** There is no room for one more: what takes another's place can only come after it is gone. */
  readonly isFull: boolean;
}

/**
 * A step before it has a number. `needs`, and `$result` in the path, are indices into the calls of its kind.
 */
export interface PendingStep extends Omit<Step, "n" | "secretFields"> {
  /** What else, besides the objects that it changes, has to be as the plan read it. */
  readonly reads?: readonly Seen[];
}

/** A call that is sent whatever is live, and whatever other calls have done. */
export const PLAIN = { needs: [], findCreated: null, precondition: null } as const;
