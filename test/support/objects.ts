import type { Seed } from "../../src/index.js";

/** Whatever a seed has in zones, as text by its id: settings, and everything that stands in lists. */
export function objectsOf({ zones }: Seed): ReadonlyMap<string, string> {
  const objects = new Map<string, string>();
  const add = (each: unknown): void => {
    const { id, rules, ...rest } = each as { id: unknown; rules?: readonly unknown[] }; // a seed's lists have objects
    // A ruleset without rules comes without the list; all who use its phase write to it.
    if ("phase" in rest) for (const rule of rules ?? []) add(rule);
    else objects.set(String(id), JSON.stringify(rest));
  };
  for (const [name, { settings, ...parts }] of Object.entries(zones)) {
    objects.set(`${name} settings`, JSON.stringify(settings));
    for (const part of Object.values(parts)) if (Array.isArray(part)) part.forEach(add);
  }
  return objects;
}
