import type { Kind, Live } from "../../kinds/kind.js";
import type { Item, Triple } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import { asText } from "../../model/json.js";
import type { Problem } from "../../model/problem.js";
import type { Declared, Service, WantedZone } from "../../model/wanted.js";

/** One kind's part of a zone that is to go back. */
export interface Undoing {
  readonly zone: string;
  readonly zoneId: string;
  readonly kind: Kind;
  readonly live: Live;
  /** What was said for the live objects to be read. */
  readonly reading: readonly Declared[];
  /** What the files say of the kind now: the only place where secrets can come from. */
  readonly files: FileSide;
  readonly service: Service;
}

export interface FileSide {
  readonly declared: readonly Declared[];
  readonly zone: Pick<WantedZone, "outside">;
}

/** What going back comes to for one object. */
export interface Undone {
  readonly triples: readonly Triple[];
  readonly problems: readonly Problem[];
  /** What the references to secrets in the triples stand for. */
  readonly secrets: ReadonlyMap<string, Json>;
}

export const NOTHING: Undone = { triples: [], problems: [], secrets: new Map() };

/** An object that may be sent as a whole. */
export function whole(kind: Kind, raw: JsonObject, normal: Item["normal"], id: string | null): Item {
  const key = kind.shape.as === "one" ? kind.name : asText(normal[kind.shape.named]);
  return { ref: { kind: kind.name, key, id }, normal, raw, owns: "all", at: [kind.section, key] };
}
