import type { Detected, Detections, LayerMove, OtherReports } from "../model/detection.js";
import type { FailingTest, Readiness } from "../model/readiness.js";
import type { Layer } from "../model/strength.js";
import { impactOf } from "./impact-of.js";
import { pagesOf } from "./page.js";
import { appliesTo, readWhere } from "./zone-layers.js";

/** What a policy does now, what it would do, and what the zone's others do beside it. */
export interface Proposal {
  readonly reporting: readonly Layer[];
  readonly blocking: readonly Layer[];
  readonly others: readonly (readonly Layer[])[];
}

/**
 * Whether a policy that reports could block without taking anything from its pages, as far as it was seen.
 *
 * How many days of evidence there are, only the service's own detections tell: a report can be made up. Reports can only
 * add to what would be blocked.
 *
 * @param failing the tests of the files that would not pass any more
 * @param besides what browsers reported of the policy that is none of the loads
 *
 * @param detected what the service has seen
 * @param loads the same with what browsers reported
 * @param detecting whether the service looks at what pages load: where it does not, nobody knows what they load by now
 * @param leastDays fewer days of evidence are too few
 */
export function readinessOf(
  { reporting, blocking, others }: Proposal,
  {
    detected,
    loads,
    besides,
    failing,
  }: {
    readonly detected: Detections;
    readonly loads: Detections;
    readonly besides: readonly OtherReports[];
    readonly failing: readonly FailingTest[];
  },
  { detecting, leastDays }: { readonly detecting: boolean; readonly leastDays: number },
): Readiness {
  const moves: readonly LayerMove[] = [
    { change: 0, before: reporting, after: blocking },
    ...others.map((layers) => ({ change: null, before: layers, after: layers })),
  ];
  const { scripts, connections } = impactOf(moves, loads).total;
  const blocked = [...scripts.newly_blocked, ...connections.newly_blocked];
  const may_block = [...scripts.undecided, ...connections.undecided].filter(({ may_be }) =>
    may_be.includes("newly_blocked"),
  );
  const would_block = blocked.filter(({ malicious }) => malicious !== true);
  const seen = evidenceOf(blocking, detected);
  const isOpen =
    !detecting ||
    besides.length > 0 ||
    failing.length > 0 ||
    would_block.length > 0 ||
    may_block.length > 0 ||
    seen.days < leastDays;
  return {
    verdict: seen.first === null ? "no_evidence" : isOpen ? "not_ready" : "ready",
    detecting,
    ...seen,
    loads: onPagesOf(blocking, loads).length,
    would_block,
    may_block,
    failing_tests: failing,
    reported_besides: besides.map(({ what, directive, count }) => ({ what, directive, count })),
    would_stop: blocked.filter(({ malicious }) => malicious === true),
  };
}

/** What was surely seen on pages that the layers cover. */
function onPagesOf(layers: readonly Layer[], { scripts, connections }: Detections): readonly Detected[] {
  const wheres = layers.map(({ where }) => readWhere(where));
  return [...scripts, ...connections].filter((each) =>
    pagesOf(each).some((page) => wheres.some((where) => appliesTo(page, where) === true)),
  );
}

/**
 * For how long pages were seen that layers cover.
 *
 * @param detected what the service has seen itself
 */
export function evidenceOf(
  layers: readonly Layer[],
  detected: Detections,
): Pick<Readiness, "first" | "last" | "days"> {
  const times = onPagesOf(layers, detected)
    .flatMap(({ seen }) => [seen?.first ?? [], seen?.last ?? []].flat())
    .map((text) => ({ text, ms: Date.parse(text) }))
    .filter(({ ms }) => !Number.isNaN(ms))
    .toSorted((a, b) => a.ms - b.ms);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return { first: null, last: null, days: 0 };
  return { first: first.text, last: last.text, days: Math.floor((last.ms - first.ms) / DAY_MS) };
}

const DAY_MS = 86_400_000;
