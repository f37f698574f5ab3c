interface Call {
  readonly path: string;
}

/**
 * Sorts calls that were sent for several zones in parallel into the order of zones in `planned`. Calls of one zone keep their
 * order.
 */
export function zoneByZone<T extends Call>(calls: readonly T[], planned: readonly Call[]): readonly T[] {
  const zoneOf = ({ path }: Call) => path.split("/")[2] ?? "";
  const zones = [...new Set(planned.map(zoneOf))];
  return calls.toSorted((a, b) => zones.indexOf(zoneOf(a)) - zones.indexOf(zoneOf(b)));
}
