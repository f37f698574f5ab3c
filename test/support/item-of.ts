import type { Item } from "../../src/model/item.js";
import type { SealedObject } from "../../src/model/sealed.js";

/** An object of which only the normal form matters. */
export function itemOf(normal: SealedObject): Item {
  return { ref: { kind: "", key: "", id: null }, normal, raw: null, owns: "nothing", at: null };
}
