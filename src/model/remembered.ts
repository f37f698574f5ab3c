/**
 * A pure function of an object that works once per object. The objects of a template are shared by all zones that
 * extend it, so a fleet asks the same again and again.
 */
export function remembered<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.value;
    const value = compute(key);
    known.set(key, { value });
    return value;
  };
}
