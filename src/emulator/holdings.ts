import type { Store } from "./store.js";

/**
 * What a request for this path can change, as it is now. Whatever changes is replaced and not written into, so two
 * looks that find the same values mean that nothing has changed between them.
 */
export function holdings(store: Store, path: string): readonly unknown[] {
  const zone = store.byId.get(path.split("/")[2] ?? "");
  if (zone === undefined) return [...store.accountRulesets.byId.values()];
  return [
    zone.settings,
    ...zone.policies.byId.values(),
    ...zone.logpush.jobs.values(),
    ...zone.logpush.challenged,
    ...zone.rulesets.byId.values(),
  ];
}

export function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
