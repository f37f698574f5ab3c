/** Some of the steps of a program, as a bit each. */
export type StepSet = Uint32Array;

export function emptySet(steps: number): StepSet {
  return new Uint32Array(Math.ceil(steps / 32));
}

export function setOf(steps: number, isIn: (step: number) => boolean): StepSet {
  const set = emptySet(steps);
  for (let step = 0; step < steps; step += 1) if (isIn(step)) add(set, step);
  return set;
}

export function has(set: StepSet, step: number): boolean {
  return (((set[step >>> 5] ?? 0) >>> (step & 31)) & 1) === 1;
}

export function add(set: StepSet, step: number): void {
  set[step >>> 5] = (set[step >>> 5] ?? 0) | (1 << (step & 31));
}

/** Leaves those that the other set has. */
export function keep(set: StepSet, other: StepSet): void {
  for (let word = 0; word < set.length; word += 1) set[word] = (set[word] ?? 0) & (other[word] ?? 0);
}

/** Each step that both sets have. They must stay as they are meanwhile. */
export function eachInBoth(one: StepSet, other: StepSet, visit: (step: number) => void): void {
  for (let word = 0; word < one.length; word += 1) {
    for (let bits = (one[word] ?? 0) & (other[word] ?? 0); bits !== 0; bits &= bits - 1) {
      visit(word * 32 + 31 - Math.clz32(bits & -bits));
    }
  }
}

/** A text that two sets share only if they are equal. */
export function keyOf(set: StepSet): string {
  return String.fromCharCode(...new Uint16Array(set.buffer));
}
