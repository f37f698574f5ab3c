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

/** The same for a function of a text. Fleets whose files are written out have the same texts over and over. */
export function rememberedText<V>(compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, { readonly value: V }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.value;
    const value = compute(text);
    if (known.size === MOST_TEXTS) known.clear();
    known.set(text, { value });
    return value;
  };
}

const MOST_TEXTS = 1_000;
