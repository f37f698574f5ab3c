/**
 * Caches a pure function of a text. A plan compares the same CSPs and expressions in many places, and the zones of a
 * fleet share them. Callers share the value and must not change it.
 */
export function rememberedText<V>(compute: (text: string) => V): (text: string) => V {
  const values = new ByText<V>();
  return (text) => values.get(text, () => compute(text));
}

/** A cache of values by text. */
export class ByText<V> {
  readonly #values = new Map<string, { readonly value: V }>();
  #chars = 0;

  get(text: string, compute: () => V): V {
    const entry = this.#values.get(text);
    if (entry !== undefined) return entry.value;
    const value = compute();
    if (this.#values.size >= MOST_TEXTS || this.#chars + text.length > MOST_CHARS) {
      this.#values.clear();
      this.#chars = 0;
    }
    this.#values.set(text, { value });
    this.#chars += text.length;
    return value;
  }
}

/** Above this, the cache is cleared. */
const MOST_TEXTS = 2_000;
const MOST_CHARS = 2_000_000;

/** Caches a pure function of an object, for as long as the object lives. Callers must not change the object. */
export function rememberedObject<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const memo = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const entry = memo.get(key) ?? { value: compute(key) };
    memo.set(key, entry);
    return entry.value;
  };
}

/** Computes a value on first use. */
export function lazily<T>(make: () => T): () => T {
  let cache: { readonly value: T } | null = null;
  return () => {
    cache ??= { value: make() };
    return cache.value;
  };
}
