interface Call {
  readonly path: string;
}

/**
 * Calls of zones that were written to side by side, zone by zone as `planned` has the zones; those of one zone in their
 * order.
 */
export function zoneByZone<T extends Call>(calls: readonly T[], planned: readonly Call[]): readonly T[] {
  const zoneOf = ({ path }: Call) => path.split("/")[2] ?? "";
  const zones = [...new Set(planned.map(zoneOf))];
  return calls.toSorted((a, b) => zones.indexOf(zoneOf(a)) - zones.indexOf(zoneOf(b)));
}
