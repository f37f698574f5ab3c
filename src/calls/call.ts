import type { Kind, Live, PendingChange } from "../kinds/kind.js";
import type { Seen, Step } from "../model/plan.js";

/** One kind's changes and live objects in a zone. */
export interface KindChanges {
  readonly kind: Kind;
  readonly zoneId: string;
  readonly live: Live;
  readonly changes: readonly PendingChange[];
  /** The zone cannot hold one more object, so a replacement is created only after the old object is deleted. */
  readonly isFull: boolean;
}

/** A step before it has a number. `needs`, and `$result` in the path, are indices into the calls of its kind. */
export interface PendingStep extends Omit<Step, "n" | "secretFields"> {
  /** Live state besides the changed objects that must be as the plan read it. */
  readonly reads?: readonly Seen[];
}

/** One kind's changes with the calls that make them. */
export interface KindCalls extends KindChanges {
  readonly drafts: readonly PendingStep[];
}

/** A call that depends on no other call and on no live state. */
export const PLAIN = { needs: [], findCreated: null, precondition: null } as const;
