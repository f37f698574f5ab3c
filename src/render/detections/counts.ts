import type { DetectionReport } from "../../model/detection.js";

export interface DetectionCounts {
  readonly zones: number;
  readonly zones_failed: number;
  readonly count: number;
  readonly malicious: number;
  /** Without anything to tell by whether they are malicious. */
  readonly unknown: number;
}

export function countsOf({ zones }: DetectionReport): DetectionCounts {
  const verdicts = zones.flatMap(({ found }) => (found.ok ? found.value.map(({ verdict }) => verdict) : []));
  return {
    zones: zones.length,
    zones_failed: zones.filter(({ found }) => !found.ok).length,
    count: verdicts.length,
    malicious: verdicts.filter(({ malicious }) => malicious === true).length,
    unknown: verdicts.filter(({ malicious }) => malicious === null).length,
  };
}
