import type { Desired } from "../config/index.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import type { Kind, Live } from "../kinds/kind.js";
import { fieldsWithSecrets, hasSensitive } from "../kinds/secret-fields.js";
import { type BaseOf, baseOf, withoutBase } from "../match/base.js";
import { NOWHERE } from "../model/declared-zone.js";
import type { Base } from "./base.js";
import { zoneFinder } from "./base-changes.js";
import type { PlanInput } from "./files.js";

/** The base that the zones of a run are compared with. */
export interface RunBase {
  readonly is: BaseOf["is"];
  /** Finds a zone of the files in the base. Null: the base does not have it. */
  readonly zone: (zone: OpenZone) => OpenZone | null;
  /**
   * @param zone as in the base
   * @param live null: the live state could not be read
   */
  readonly of: (kind: Kind, zone: OpenZone | null, live: Live | null) => BaseOf;
}

/** Without a base, every difference from the files is drift. */
export function runBase({ base: named, about }: PlanInput, desired: Desired, base: Base | null): RunBase {
  const before = base?.desired ?? (about === "drift" && named === undefined ? desired : null);
  if (before === null) {
    const is = named === undefined ? "none" : "unread";
    return { is, zone: () => null, of: (kind) => withoutBase(kind, is) };
  }
  const lacks = base?.lacks === true;
  const secretFieldsOf = secretFieldsIn(before);
  return {
    is: "read",
    zone: zoneFinder(desired, before),
    of: (kind, inBase, live) => {
      const zone = inBase ?? NOWHERE;
      const declared = declaredIn(kind, zone.sections);
      return baseOf({ kind, zone, declared, lacks, secretFields: secretFieldsOf(kind) }, live);
    },
  };
}

/** Fields that are secrets in any zone of the files: an object may have moved from another zone. */
function secretFieldsIn({ zones }: Desired): (kind: Kind) => ReadonlySet<string> {
  const known = new Map<Kind, ReadonlySet<string>>();
  return (kind) => {
    const found =
      known.get(kind) ??
      new Set(
        (hasSensitive(kind) ? zones : []).flatMap((declared) => {
          const zone = declared.open();
          return [...fieldsWithSecrets(kind, declaredIn(kind, zone.sections), zone)];
        }),
      );
    known.set(kind, found);
    return found;
  };
}
