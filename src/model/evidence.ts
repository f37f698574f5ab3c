import type { DetectedKind, Detections, OtherReports, Reports } from "./detection.js";

/** A load that browsers reported as a violation. Reports can be forged. */
export interface ReportedLoad {
  readonly kind: DetectedKind;
  /** Without query and fragment, which policies ignore. */
  readonly url: string;
  /** Pages with this load, as far as they are kept, without their queries. */
  readonly pages: readonly string[];
  /** Whether there were more pages. */
  readonly isElsewhere: boolean;
  readonly reports: Reports;
}

/** `code without a URL (1007 × script-src-elem) and other loads (300 × img-src)` */
export function besidesText(reports: readonly Omit<OtherReports, "object">[]): string {
  const parts = WHAT.flatMap((kind) => {
    const group = reports.filter((each) => each.what === kind);
    const times = group
      .slice(0, MOST_DIRECTIVES)
      .map(({ count, directive }) => `${count} × ${directive || "?"}`);
    const more = group.length > MOST_DIRECTIVES ? ", …" : "";
    return group.length === 0 ? [] : [`${BESIDES[kind]} (${times.join(", ")}${more})`];
  });
  return parts.join(" and ");
}

const MOST_DIRECTIVES = 5;

const BESIDES = {
  code: "code without a URL",
  other_load: "other loads",
  unnamed: "loads without a URL or page",
  too_long: "loads whose URL is too long",
  not_read: "loads in logs that are cut off",
} as const;

const WHAT = Object.keys(BESIDES) as readonly OtherReports["what"][];

/** Why a log line is ignored. */
export const NOISE = {
  extension: "of browser extensions",
  injected: "of programs on the visitor's machine that inject code",
  about: "of about: pages or loads",
  service: "of code that Cloudflare itself injects",
  code: "of code without a URL (inline, eval)",
  other_load: "of loads that are neither scripts nor connections",
  other_zone: "of undeclared zones",
  other_dataset: "of other datasets",
  unnamed: "without the page or the URL of a load",
  broken: "without a JSON object",
  too_long: "of too many characters",
  not_kept: "of loads beyond the limit",
} as const;

export type Noise = keyof typeof NOISE;

/** Violations in logs. */
export interface Evidence {
  /** By zone name. */
  readonly loads: ReadonlyMap<string, readonly ReportedLoad[]>;
  /** By zone name; under `NO_ZONE`, reports of an unknown zone. */
  readonly others: ReadonlyMap<string, readonly OtherReports[]>;
  /** The total number of reports. */
  readonly reports: number;
  readonly first: string | null;
  readonly last: string | null;
  /** Ignored lines, by reason. */
  readonly noise: ReadonlyMap<Noise, number>;
}

/** Adds the reports by browsers to a zone's detections. */
export type WithReports = (zone: string, detected: Detections) => Detections;

/** Further reports about an object, certain or possible, that it would block. */
export type OthersOf = (zone: string, id: string) => readonly OtherReports[];
