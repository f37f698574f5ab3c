import type { Detected, DetectedKind, Detections } from "../model/detection.js";
import type { ReportedLoad } from "../model/evidence.js";
import { readUrl } from "../model/url.js";

/**
 * What the service has detected in a zone, with what browsers have reported there. What is detected stays as it is, and may
 * be on more pages; what is only reported has no id, and nothing tells whether it is malicious.
 */
export function withReported(detected: Detections, loads: readonly ReportedLoad[]): Detections {
  const of = (kind: DetectedKind) =>
    joined(
      detected[kind],
      loads.filter((each) => each.kind === kind),
    );
  return { scripts: of("scripts"), connections: of("connections") };
}

function joined(detected: readonly Detected[], loads: readonly ReportedLoad[]): readonly Detected[] {
  // What stands for several URLs is none of them.
  const single = loads.filter(({ reports }) => reports.path_prefix !== true);
  const byUrl = new Map(single.map((load) => [load.url, load]));
  const known = new Set<ReportedLoad>();
  const withReports = detected.map((each): Detected => {
    const load = byUrl.get(comparable(each.url));
    if (load === undefined) return each;
    known.add(load);
    return { ...each, pages: [...new Set([...each.pages, ...pagesOf(load)])], reports: load.reports };
  });
  const others = loads.filter((load) => !known.has(load));
  return [...withReports, ...others.map(reportedOnly)];
}

function reportedOnly(load: ReportedLoad): Detected {
  const { url, reports } = load;
  return { id: null, url, pages: pagesOf(load), host: null, malicious: null, own: false, reports };
}

/** A page that is named by nothing stands for those that are not kept. */
function pagesOf({ pages, isElsewhere }: ReportedLoad): readonly string[] {
  return isElsewhere ? [...pages, ""] : pages;
}

function comparable(written: string): string {
  const url = readUrl(written.replace(/[?#].*$/s, ""));
  return url === null ? written : url.href;
}
