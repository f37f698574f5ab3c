/**
 * A value that is made when it is first asked for, and kept. Classes of Unicode characters in a regular expression take
 * a millisecond or more to read: most runs need none of them, and would only start later.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
