/** The last index of a list whose entry is as asked, where all such entries come first; 0 where none is. */
export function lastIndexWhere<T>(list: readonly T[], isSo: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const entry = list[middle];
    if (entry !== undefined && isSo(entry)) low = middle;
    else high = middle - 1;
  }
  return low;
}
