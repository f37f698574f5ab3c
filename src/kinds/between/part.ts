import type { Path } from "../../model/item.js";
import type { SealedObject } from "../../model/sealed.js";

/** The objects of one kind in a zone, as they are or would be; kinds that the zone does not manage are not among them. */
export interface KindPart {
  readonly kind: string;
  readonly objects: readonly KnownObject[];
  /** All that are live, those that are deleted included; null: only the files are known. */
  readonly live: readonly SealedObject[] | null;
}

export interface KnownObject {
  readonly normal: SealedObject;
  /** null: it is live, and no file declares it. */
  readonly at: Path | null;
  /** As it is live; null: it is not, or that is not known. */
  readonly was: SealedObject | null;
}

/** Null: the zone does not manage the kind. */
export function objectsOf(parts: readonly KindPart[], kind: string): readonly KnownObject[] | null {
  return parts.find((part) => part.kind === kind)?.objects ?? null;
}
