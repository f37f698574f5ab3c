/** Values with the same key; never empty. */
export type Group<Value> = readonly [Value, ...Value[]];

/** Groups values by a key. Groups and their values keep the order of the input. */
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

/** The first value of each key. */
export function firstOfEach<Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => unknown,
): readonly Value[] {
  return [...groupBy(values, keyOf).values()].map(([first]) => first);
}
