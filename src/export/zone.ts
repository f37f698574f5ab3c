import type { Kind, Live } from "../kinds/kind.js";
import type { Item } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import type { Undeclared } from "../model/unmanaged.js";

/** One zone as the file is to declare it. */
export interface ExportedZone {
  readonly name: string;
  readonly sections: readonly Section[];
}

/** What the file declares of one kind. */
export interface Section {
  readonly kind: Kind;
  /** Null: it could not be read. */
  readonly live: Live | null;
  readonly entries: readonly Entry[];
  /** What is not managed, and why, in sentences. */
  readonly notes: readonly string[];
  /** Rules of others, which no file can declare. */
  readonly others: readonly Undeclared[];
}

/** One live object, and what the file says of it. */
export interface Entry {
  readonly item: Item;
  /** Sensitive values are as they are live: a file gets references in their place. */
  readonly body: JsonObject;
  readonly notes: readonly string[];
  /** Fields that the body had and notes are about. */
  readonly leftOut: readonly string[];
}
