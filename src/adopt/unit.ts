import type { OpenZone } from "../config/desired.js";
import type { Kind, Live } from "../kinds/kind.js";
import { RULES } from "../model/unmanaged.js";
import type { Drifted } from "./drifted.js";

/** One object that was changed outside the files, with all that it takes to write it back. */
export interface Unit {
  readonly zone: OpenZone;
  readonly kind: Kind;
  readonly around: Live["around"];
  readonly drifted: Drifted;
}

/** What is said of a unit, or of one of its fields. */
export interface Told {
  readonly unit: Unit;
  /** Null: the object as a whole. */
  readonly field: string | null;
  /** Why it was left; null: it was written back. */
  readonly why: string | null;
}

/** Where the unit is declared, or, of a rule that no file can declare, listed. */
export function sectionOf({ kind, drifted }: Unit): string {
  return drifted.as === "rule" ? RULES : kind.section;
}

export function keyOf({ kind, drifted }: Unit): string {
  if (drifted.as === "rule") return drifted.ref.key === "" ? (drifted.ref.id ?? "") : drifted.ref.key;
  const { named } = kind.shape.as === "list" ? kind.shape : { named: null };
  if (named === null) return kind.section;
  return drifted.as === "came" ? drifted.live.ref.key : String(drifted.declared.body[named] ?? "");
}
