import type { Item } from "../model/item.js";
import type { Hindrance } from "../model/strength.js";
import type { ZoneState } from "../model/zone-state.js";
import type { Kind } from "./kind.js";

/** Whether an object is switched off without the files declaring it. Anybody may switch it on again. */
export function isOffOutside(kind: Pick<Kind, "fields">, item: Item): boolean {
  const isDeclared = item.owns === "all" || item.owns.includes("enabled");
  return isOff(kind, item) && !isDeclared;
}

function isOff({ fields }: Pick<Kind, "fields">, { normal }: Item): boolean {
  return fields.enabled?.default === true && normal.enabled === false;
}

/** The causes that keep an object from taking effect. See `Kind.hindrances`. */
export function hindrancesOf(
  kind: Kind,
  item: Item,
  context: unknown,
  rules: ZoneState["rules"],
): readonly Hindrance[] {
  const off = isOff(kind, item) ? [{ as: "off" } as const] : [];
  return [...off, ...(kind.hindrances?.(item, context, rules) ?? [])];
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
