/**
 * A pure function of a text that works once for each text: a plan compares the same CSPs and expressions in many places, and
 * the zones of a fleet share theirs. Callers share the value and must not change it.
 */
export function rememberedText<V>(compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, { readonly value: V }>();
  let chars = 0;
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.value;
    const value = compute(text);
    if (known.size >= MOST_TEXTS || chars + text.length > MOST_CHARS) {
      known.clear();
      chars = 0;
    }
    known.set(text, { value });
    chars += text.length;
    return value;
  };
}

/** Beyond, all are forgotten. */
const MOST_TEXTS = 2_000;
const MOST_CHARS = 2_000_000;

/** A value that is made when somebody first asks for it. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
