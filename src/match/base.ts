import { secretKeys } from "../kinds/fields.js";
import type { Kind, Live } from "../kinds/kind.js";
import { type Declared, NOWHERE, type WantedZone } from "../model/declared-zone.js";

/** The files before the change, as they declare one kind in a zone. */
export interface BaseOf {
  /** `none`: no base is named. `unread`: it could not be read. The base then declares nothing. */
  readonly is: "read" | "unread" | "none";
  readonly kind: Kind;
  /** Without a section if the base does not have the zone. */
  readonly zone: WantedZone;
  readonly declared: readonly Declared[];
  /** In the terms of the base. */
  readonly context: Live["context"];
  /** Whether the base uses an environment variable that is not set. Its value is then unknown. */
  readonly lacks: boolean;
  /** Fields of the kind that the base has as secrets in any object, or may have. */
  readonly secretFields: ReadonlySet<string>;
}

/** One kind in a zone: in the base, in the files, and live. */
export interface KindState {
  readonly kind: Kind;
  readonly base: BaseOf;
  readonly declared: readonly Declared[];
  readonly live: Live;
  /** Only the base has sections of the kind. `unread`: its live state could not be read, and `live` is empty. */
  readonly letGo?: "read" | "unread";
}

/** @param live null: the live state could not be read */
export function baseOf(
  base: Pick<BaseOf, "kind" | "zone" | "declared" | "lacks" | "secretFields">,
  live: Live | null,
): BaseOf {
  const context =
    live === null ? null : (base.kind.at.reads?.inTermsOf?.(live.context, base.declared) ?? live.context);
  return { is: "read", ...base, context };
}

export function withoutBase(kind: Kind, is: "unread" | "none" = "none"): BaseOf {
  // If the base could not be read, free text may be a secret.
  const secretFields = new Set(is === "unread" ? secretKeys(kind.fields, "text") : []);
  return { is, kind, zone: NOWHERE, declared: [], context: null, lacks: false, secretFields };
}
