import type { DetectedKind, Detections, OtherReports, Reports } from "./detection.js";

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

/** `code without a URL (1007 × script-src-elem) and other loads (300 × img-src)` */
export function besidesText(all: readonly Omit<OtherReports, "object">[]): string {
  const parts = WHAT.flatMap((what) => {
    const those = all.filter((each) => each.what === what);
    const times = those
      .slice(0, MOST_DIRECTIVES)
      .map(({ count, directive }) => `${count} × ${directive || "?"}`);
    const more = those.length > MOST_DIRECTIVES ? ", …" : "";
    return those.length === 0 ? [] : [`${BESIDES[what]} (${times.join(", ")}${more})`];
  });
  return parts.join(" and ");
}

const MOST_DIRECTIVES = 5;

const BESIDES = {
  code: "code without a URL",
  other_load: "other loads",
  unnamed: "loads whose URL or page is not told",
  too_long: "loads whose URL is too long",
} as const;

const WHAT = Object.keys(BESIDES) as readonly OtherReports["what"][];

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
  unnamed: "that do not tell the page or the URL of a load",
  broken: "without a JSON object",
  too_long: "of more characters than the service takes or writes",
  not_kept: "of loads beyond those that are kept, which are too many",
} as const;

export type Noise = keyof typeof NOISE;

/** What logs tell of violations. */
export interface Evidence {
  /** By the names of zones. */
  readonly loads: ReadonlyMap<string, readonly ReportedLoad[]>;
  /** By the names of zones; under `NO_ZONE` those that may be of any. */
  readonly others: ReadonlyMap<string, readonly OtherReports[]>;
  /** How many reports are in it. */
  readonly reports: number;
  readonly first: string | null;
  readonly last: string | null;
  /** Lines that are set apart, by the reason. */
  readonly noise: ReadonlyMap<Noise, number>;
}

/** What was detected in a zone, with what browsers have reported there. */
export type WithReports = (zone: string, detected: Detections) => Detections;

/** What an object of a zone has had reported, or may have, besides loads that are tried: it would block that. */
export type OthersOf = (zone: string, id: string) => readonly OtherReports[];
