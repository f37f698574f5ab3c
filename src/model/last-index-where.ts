/** The last index with a matching entry, if all matching entries come first; 0 if none matches. */
export function lastIndexWhere<T>(list: readonly T[], isMatch: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const entry = list[middle];
    if (entry !== undefined && isMatch(entry)) low = middle;
    else high = middle - 1;
  }
  return low;
}
