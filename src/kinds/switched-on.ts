import type { Item } from "../model/item.js";
import type { Kind } from "./kind.js";

/** Whether an object is switched off without the files declaring it. Anybody may switch it on again. */
export function isOffOutside({ fields }: Pick<Kind, "fields">, { normal, owns }: Item): boolean {
  const isDeclared = owns === "all" || owns.includes("enabled");
  return fields.enabled?.default === true && normal.enabled === false && !isDeclared;
}

/** An object with all on that is off without the files declaring it. Null: nothing is. */
export function switchedOn<Context>(
  kind: Pick<Kind<Context>, "fields" | "partsOn">,
  item: Item,
  context: Context,
): Item | null {
  const on = isOffOutside(kind, item) ? { ...item, normal: { ...item.normal, enabled: true } } : null;
  return kind.partsOn?.(on ?? item, context) ?? on;
}
