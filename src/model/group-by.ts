/** What has a key in common. There is no empty one. */
export type Group<Value> = readonly [Value, ...Value[]];

/** Values by a key: the groups by when their keys come first, and each in the order of the values. */
export function groupBy<Value, Key>(
  values: Iterable<Value>,
  keyOf: (value: Value) => Key,
): ReadonlyMap<Key, Group<Value>> {
  const groups = new Map<Key, [Value, ...Value[]]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
