import type { DetectedKind, Detections, Reports } from "./detection.js";

/** A load that browsers reported as against a policy. Anybody can make up a report. */
export interface ReportedLoad {
  readonly kind: DetectedKind;
  /** Without query and fragment, which no policy looks at. */
  readonly url: string;
  /** Of the pages that loaded it those that are kept, without their queries. */
  readonly pages: readonly string[];
  /** Whether it was on more pages. */
  readonly isElsewhere: boolean;
  readonly reports: Reports;
}

/** Why a line is set apart. */
export const NOISE = {
  extension: "of browser extensions",
  injected: "of programs on the visitor's machine that put code into pages",
  about: "of pages or loads that are not on the network (about:)",
  service: "of what the service itself puts into pages",
  code: "of code without a URL (inline, eval), which no list of URLs decides",
  other_load: "of loads that are neither scripts nor connections",
  other_zone: "of zones that the files do not have",
  other_dataset: "of other datasets",
  no_page: "without a page or a load",
  broken: "without a JSON object",
  too_long: "of more characters than the service takes or writes",
  not_kept: "of loads beyond those that are kept, which are too many",
} as const;

export type Noise = keyof typeof NOISE;

/** What logs tell of violations. */
export interface Evidence {
  /** By the names of zones. */
  readonly loads: ReadonlyMap<string, readonly ReportedLoad[]>;
  /** How many reports are in it. */
  readonly reports: number;
  readonly first: string | null;
  readonly last: string | null;
  /** Lines that are set apart, by the reason. */
  readonly noise: ReadonlyMap<Noise, number>;
}

/** What was detected in a zone, with what browsers have reported there. */
export type WithReports = (zone: string, detected: Detections) => Detections;
