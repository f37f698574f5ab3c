import type { Detected, DetectedKind, Detections } from "../model/detection.js";
import type { ReportedLoad } from "../model/evidence.js";
import { readUrl } from "../model/url.js";
import { Seen } from "./time.js";

/** A load as one report tells it. */
export interface Load {
  readonly kind: DetectedKind;
  readonly url: string;
  /** With its scheme; where there is no host, the scheme alone with its colon. */
  readonly origin: string;
  readonly path: string;
  /** Whether the report names no more than the origin. */
  readonly isOrigin: boolean;
}

/** As many URLs are kept of all zones together: real pages have some hundred, and anybody can report more. */
const MOST_URLS = 50_000;
/** Of one origin in one zone: a real one has so many files where each build gives them other names. */
const MOST_URLS_OF_ORIGIN = 200;
/** Beyond these, loads are kept by the prefixes of their URLs: as many of all zones together, and of one origin in one. */
const MOST_PREFIXES = 10_000;
const MOST_PREFIXES_OF_ORIGIN = 20;
/** Of pages of one load. */
const MOST_PAGES = 100;
/** URLs together are as long at most, and those of pages: 320 characters a load. */
const MOST_KEPT_CHARS = 16_000_000;
/** No host has more than 253, and a folder with a longer name is made up: either would take the room of many. */
const MOST_PREFIX_CHARS = 400;
const MOST_FOLDER_CHARS = 100;

/**
 * Sums of what was reported, so that more reports take no more memory. Of an origin with very many URLs, those that come
 * later are one load by the first folder of their paths, or by the origin: they take no room from other origins.
 */
export class Loads {
  readonly #zones = new Map<string, ZoneSums>();
  readonly #urls = new Room(MOST_URLS, MOST_KEPT_CHARS);
  readonly #prefixes = new Room(MOST_PREFIXES, MOST_KEPT_CHARS);
  #pageChars = 0;

  /** @returns whether there was room for it */
  add(zone: string, load: Load, page: string | null, ms: number | null): boolean {
    const ofZone = this.#zones.get(zone) ?? emptyZone();
    this.#zones.set(zone, ofZone);
    const kept = this.#sumOf(ofZone, load);
    const sum = kept ?? this.#others(ofZone, load);
    sum.count++;
    sum.isOrigin &&= load.isOrigin;
    sum.seen.add(ms);
    if (kept !== null) this.#addPage(kept, page);
    return kept !== null;
  }

  /** By the names of zones. */
  get all(): ReadonlyMap<string, readonly ReportedLoad[]> {
    return new Map(
      [...this.#zones].map(([zone, { sums, prefixes }]) => {
        const all = [sums, ...prefixes.values()].flatMap((each) => [...each.values()]);
        return [zone, all.map(loadOf).toSorted(byUrl)];
      }),
    );
  }

  /** Where a load is counted; null: there is no room for it. */
  #sumOf(ofZone: ZoneSums, load: Load): Sum | null {
    const { kind, url } = load;
    const key = `${kind} ${url}`;
    const known = ofZone.sums.get(key);
    if (known !== undefined) return known;
    const origin = `${kind} ${load.origin}`;
    const ofOrigin = ofZone.urls.get(origin) ?? 0;
    if (ofOrigin >= MOST_URLS_OF_ORIGIN || !this.#urls.take(url, ofZone.sums.size))
      return this.#sumOfPrefix(ofZone, origin, load);
    const sum = emptySum(kind, url);
    ofZone.sums.set(key, sum);
    ofZone.urls.set(origin, ofOrigin + 1);
    return sum;
  }

  /** By the longest prefix that is kept or that there is room for. */
  #sumOfPrefix(ofZone: ZoneSums, origin: string, load: Load): Sum | null {
    const known = ofZone.prefixes.get(origin);
    const isFull = (known?.size ?? 0) >= MOST_PREFIXES_OF_ORIGIN;
    const folder = folderOf(load);
    const found = known?.get(folder) ?? (isFull ? known?.get("") : undefined);
    if (found !== undefined) return found;
    const path = isFull ? "" : folder;
    const url = prefixOf(load, path);
    if (url.length > MOST_PREFIX_CHARS || !this.#prefixes.take(url, ofZone.prefixSums))
      return known?.get("") ?? null;
    ofZone.prefixSums++;
    // A part of a text keeps all of it in memory: what is kept is a text of its own.
    const sum = { ...emptySum(load.kind, [...url].join("")), isPrefix: true, isOrigin: false };
    ofZone.prefixes.set(origin, (known ?? new Map<string, Sum>()).set([...path].join(""), sum));
    return sum;
  }

  /** What there is no room for is one load of which nothing is known. */
  #others({ sums }: ZoneSums, { kind }: Load): Sum {
    const known = sums.get(kind) ?? { ...emptySum(kind, NOT_KEPT), isElsewhere: true, isOrigin: false };
    sums.set(kind, known);
    return known;
  }

  #addPage(sum: Sum, page: string | null): void {
    if (page !== null && sum.pages.has(page)) return;
    const chars = this.#pageChars + (page?.length ?? 0);
    if (page === null || sum.pages.size >= MOST_PAGES || chars > MOST_KEPT_CHARS) {
      sum.isElsewhere = true;
      return;
    }
    sum.pages.add(page);
    this.#pageChars = chars;
  }
}

/** How many of one sort can be kept in all zones, and how many characters of them. */
class Room {
  #chars = 0;
  #left: number;

  constructor(
    most: number,
    private readonly mostChars: number,
  ) {
    this.#left = most;
  }

  /**
   * Of one zone half of what the others leave is kept: made-up loads of one zone do not push out those of others.
   *
   * @param ofZone how many are kept of the zone
   * @returns whether there was room, which is taken then
   */
  take({ length }: string, ofZone: number): boolean {
    if (ofZone >= this.#left || this.#chars + length > this.mostChars) return false;
    this.#left--;
    this.#chars += length;
    return true;
  }
}

interface ZoneSums {
  /** By kind and URL. */
  readonly sums: Map<string, Sum>;
  /** How many of these are of one kind and origin. */
  readonly urls: Map<string, number>;
  /** By kind and origin, then by folder: empty for all of the origin. */
  readonly prefixes: Map<string, Map<string, Sum>>;
  /** How many there are of these. */
  prefixSums: number;
}

function emptyZone(): ZoneSums {
  return { sums: new Map(), urls: new Map(), prefixes: new Map(), prefixSums: 0 };
}

/** The first folder of the path; empty: it is none to go by. How a browser reads an escape in it depends on the rest of the path. */
function folderOf({ origin, path }: Load): string {
  const end = path.indexOf("/", 1);
  if (end === -1 || origin.endsWith(":")) return "";
  const folder = path.slice(0, end + 1);
  return folder.length > MOST_FOLDER_CHARS || folder.includes("%") ? "" : folder;
}

function prefixOf({ origin }: Load, folder: string): string {
  return origin.endsWith(":") ? origin : `${origin}${folder || "/"}`;
}

interface Sum extends Pick<ReportedLoad, "kind" | "url"> {
  readonly pages: Set<string>;
  isElsewhere: boolean;
  /** Whether none of its reports has a path. */
  isOrigin: boolean;
  readonly isPrefix: boolean;
  count: number;
  readonly seen: Seen;
}

function emptySum(kind: DetectedKind, url: string): Sum {
  const pages = new Set<string>();
  return {
    kind,
    url,
    pages,
    isElsewhere: false,
    isOrigin: true,
    isPrefix: false,
    count: 0,
    seen: new Seen(),
  };
}

/** In the place of a URL: whether it would be blocked, nobody can tell, so that nothing is proven where it stands. */
const NOT_KEPT = "(loads beyond those that are kept)";

function loadOf({ kind, url, pages, isElsewhere, isOrigin, isPrefix, count, seen }: Sum): ReportedLoad {
  const reports = {
    count,
    ...seen.asText(),
    ...(isOrigin ? { origin_only: true as const } : {}),
    ...(isPrefix ? { path_prefix: true as const } : {}),
  };
  return { kind, url, pages: [...pages].sort(), isElsewhere, reports };
}

function byUrl(a: ReportedLoad, b: ReportedLoad): number {
  return a.url < b.url ? -1 : a.url > b.url ? 1 : 0;
}

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
