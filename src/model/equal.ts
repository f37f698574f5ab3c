/**
 * Whether two values of JSON are the same, in whatever order the keys of objects stand. Keys come from outside and can
 * be `constructor`, `valueOf` or `__proto__`: a comparison made for all objects asks these what they are for, and fails.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b);
  const [inA, inB] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    inA.size === inB.size && [...inA].every(([key, value]) => inB.has(key) && equal(value, inB.get(key)))
  );
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((each, index) => equal(each, b[index]));
}
