import type { Seed } from "../../src/index.js";

/** Every object in the zones of a seed, as text by its id: settings and entries of lists. */
export function objectsOf({ zones }: Seed): ReadonlyMap<string, string> {
  const objects = new Map<string, string>();
  const add = (each: unknown): void => {
    const { id, rules, ...rest } = each as { id: unknown; rules?: readonly unknown[] }; // lists in a seed contain objects
    // The rules are separate objects. A ruleset's other fields change with every rule of its phase.
    if ("phase" in rest) for (const rule of rules ?? []) add(rule);
    else objects.set(String(id), JSON.stringify(rest));
  };
  for (const [name, { settings, ...parts }] of Object.entries(zones)) {
    objects.set(`${name} settings`, JSON.stringify(settings));
    for (const part of Object.values(parts)) if (Array.isArray(part)) part.forEach(add);
  }
  return objects;
}
