import { checkBetween } from "../../src/kinds/between/index.js";
import type { Item, Path } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";
import type { ZoneState } from "../../src/model/zone-state.js";

/** Objects of one kind as they are to be, and as they were. */
export interface Part {
  readonly kind: string;
  readonly objects: readonly {
    readonly normal: JsonObject;
    /** Null: it is undeclared. */
    readonly at: Path | null;
    /** Null: it was not there. */
    readonly was: JsonObject | null;
  }[];
  /** Objects that go. Null: only the files are known. */
  readonly gone: readonly JsonObject[] | null;
}

/** What is said of these objects beside each other. */
export function findingsOf(...parts: readonly Part[]) {
  const after = stateOf(parts, ({ kind, objects }) =>
    objects.map(({ normal, at }, index) => itemOf(kind, index, normal, at)),
  );
  const known = parts.filter(({ gone }) => gone !== null);
  const before = stateOf(known, ({ kind, objects, gone }) => [
    ...objects.flatMap(({ was, at }, index) => (was === null ? [] : [itemOf(kind, index, was, at)])),
    ...(gone ?? []).map((normal, index) => itemOf(kind, objects.length + index, normal, null)),
  ]);
  return checkBetween(after, known.length === 0 ? null : before);
}

function stateOf(parts: readonly Part[], of: (part: Part) => readonly Item[]): ZoneState {
  return { objects: new Map(parts.map((part) => [part.kind, { items: of(part) }])), rules: new Map() };
}

function itemOf(kind: string, index: number, normal: JsonObject, at: Path | null): Item {
  return { ref: { kind, key: "", id: String(index) }, normal, raw: null, owns: "nothing", at };
}
