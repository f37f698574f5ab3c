import type { Detected, Detections, LayerMove, OtherReports } from "../model/detection.js";
import type { FailingTest, Readiness } from "../model/readiness.js";
import type { Layer } from "../model/strength.js";
import { appliesTo, readWhere } from "./csp-layers.js";
import { impactOf } from "./impact-of.js";
import { pagesOf } from "./page.js";

/** The layers of a policy now and when blocking, and the layers of the zone's other policies. */
export interface Proposal {
  readonly reporting: readonly Layer[];
  readonly blocking: readonly Layer[];
  readonly others: readonly (readonly Layer[])[];
}

/**
 * Whether a reporting policy could block without breaking a seen load.
 *
 * The days of evidence come from the service's own detections only, because reports can be forged. Reports can only add
 * loads that would be blocked.
 *
 * @param detected the service's own detections
 * @param loads the detections and the reported loads
 * @param besides reports of the policy about anything but these loads
 * @param failing the tests in the files that would start to fail
 * @param detecting whether detection is on; if it is off, the current loads are unknown
 * @param leastDays the days of evidence that are enough
 */
export function readinessOf(
  { reporting, blocking, others }: Proposal,
  {
    detected,
    loads,
    besides: otherReports,
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
  const evidence = evidenceOf(blocking, detected);
  const isOpen =
    !detecting ||
    otherReports.length > 0 ||
    failing.length > 0 ||
    would_block.length > 0 ||
    may_block.length > 0 ||
    evidence.days < leastDays;
  return {
    verdict: evidence.first === null ? "no_evidence" : isOpen ? "not_ready" : "ready",
    detecting,
    ...evidence,
    loads: onPagesOf(blocking, loads).length,
    would_block,
    may_block,
    failing_tests: failing,
    reported_besides: otherReports.map(({ what, directive, count }) => ({ what, directive, count })),
    would_stop: blocked.filter(({ malicious }) => malicious === true),
  };
}

/** The detections that were surely seen on pages of the layers. */
function onPagesOf(layers: readonly Layer[], { scripts, connections }: Detections): readonly Detected[] {
  const wheres = layers.map(({ where }) => readWhere(where));
  return [...scripts, ...connections].filter((each) =>
    pagesOf(each).some((page) => wheres.some((where) => appliesTo(page, where) === true)),
  );
}

/**
 * How long the service has seen pages of the layers.
 *
 * @param detected the service's own detections
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
