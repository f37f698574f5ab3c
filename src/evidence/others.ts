import type { OtherReports } from "../model/detection.js";
import type { Evidence } from "../model/evidence.js";
import { groupBy } from "../model/group-by.js";

/** In the place of a zone's name, where a report tells no page: its policy may be in any. */
export const NO_ZONE = "";

/** What an object of a zone has had reported besides loads that are tried, or may have, the most first. */
export function othersOf(
  { others }: Pick<Evidence, "others">,
  zone: string,
  id: string,
): readonly OtherReports[] {
  const own = [zone, NO_ZONE]
    .flatMap((each) => others.get(each) ?? [])
    .filter(({ object }) => object === null || object === id);
  const alike = groupBy(own, ({ object, what, directive }) => JSON.stringify([object, what, directive]));
  return [...alike.values()].map(summed).toSorted(byCount);
}

function summed([first, ...others]: readonly [OtherReports, ...OtherReports[]]): OtherReports {
  return { ...first, count: others.reduce((sum, { count }) => sum + count, first.count) };
}

export function byCount(a: OtherReports, b: OtherReports): number {
  return b.count - a.count || (a.directive < b.directive ? -1 : 1);
}
