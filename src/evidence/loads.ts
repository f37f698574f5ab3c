import type { Detected, DetectedKind, Detections } from "../model/detection.js";
import type { ReportedLoad } from "../model/evidence.js";
import { readUrl } from "../model/url.js";
import { TimeSpan } from "./time.js";

/** A load in one report. */
export interface Load {
  readonly kind: DetectedKind;
  readonly url: string;
  /** With its scheme. Without a host: the scheme and its colon. */
  readonly origin: string;
  readonly path: string;
  /** Whether the report names only the origin. */
  readonly isOrigin: boolean;
}

/** The limit for all zones together. Real pages load a few hundred URLs, but anyone can report more. */
const MOST_URLS = 50_000;
/** The limit for one origin in one zone. A real origin reaches it if every build gives its files new names. */
const MOST_URLS_OF_ORIGIN = 200;
/** Beyond the URL limits, loads are counted by URL prefix: the limits for all zones, and for one origin in one zone. */
const MOST_PREFIXES = 10_000;
const MOST_PREFIXES_OF_ORIGIN = 20;
/** The limit of pages for one load. */
const MOST_PAGES = 100;
/** The limit for the characters of all URLs together, and of all page URLs: 320 for each load. */
const MOST_KEPT_CHARS = 16_000_000;
/** No host has more than 253 characters, and longer folder names are forged. Either would take the room of many loads. */
const MOST_PREFIX_CHARS = 400;
const MOST_FOLDER_CHARS = 100;

/**
 * Sums of reports, so that memory does not grow with their number. If an origin has very many URLs, later ones are
 * counted by the first folder of the path or by the origin, and take no room from other origins.
 */
export class Loads {
  readonly #zones = new Map<string, ZoneSums>();
  readonly #urls = new Room(MOST_URLS, MOST_KEPT_CHARS);
  readonly #prefixes = new Room(MOST_PREFIXES, MOST_KEPT_CHARS);
  #pageChars = 0;

  /** @returns whether there was room for the load */
  add(zone: string, load: Load, page: string | null, ms: number | null): boolean {
    const ofZone = this.#zones.get(zone) ?? emptyZone();
    this.#zones.set(zone, ofZone);
    const keptSum = this.#sumOf(ofZone, load);
    const sum = keptSum ?? this.#others(ofZone, load);
    sum.count++;
    sum.isOrigin &&= load.isOrigin;
    sum.times.add(ms);
    if (keptSum !== null) this.#addPage(keptSum, page);
    return keptSum !== null;
  }

  /** By zone name. */
  get all(): ReadonlyMap<string, readonly ReportedLoad[]> {
    return new Map(
      [...this.#zones].map(([zone, { sums, prefixes }]) => {
        const zoneSums = [sums, ...prefixes.values()].flatMap((each) => [...each.values()]);
        return [zone, zoneSums.map(loadOf).toSorted(byUrl)];
      }),
    );
  }

  /** The sum that counts a load. Null: there is no room. */
  #sumOf(ofZone: ZoneSums, load: Load): Sum | null {
    const { kind, url } = load;
    const key = `${kind} ${url}`;
    const knownSum = ofZone.sums.get(key);
    if (knownSum !== undefined) return knownSum;
    const origin = `${kind} ${load.origin}`;
    const ofOrigin = ofZone.urls.get(origin) ?? 0;
    if (ofOrigin >= MOST_URLS_OF_ORIGIN || !this.#urls.take(url, ofZone.sums.size))
      return this.#sumOfPrefix(ofZone, origin, load);
    const sum = emptySum(kind, url);
    ofZone.sums.set(key, sum);
    ofZone.urls.set(origin, ofOrigin + 1);
    return sum;
  }

  /** The sum of the longest prefix that exists or has room. */
  #sumOfPrefix(ofZone: ZoneSums, origin: string, load: Load): Sum | null {
    const knownSum = ofZone.prefixes.get(origin);
    const isFull = (knownSum?.size ?? 0) >= MOST_PREFIXES_OF_ORIGIN;
    const folder = folderOf(load);
    const prefixSum = knownSum?.get(folder) ?? (isFull ? knownSum?.get("") : undefined);
    if (prefixSum !== undefined) return prefixSum;
    const path = isFull ? "" : folder;
    const url = prefixOf(load, path);
    if (url.length > MOST_PREFIX_CHARS || !this.#prefixes.take(url, ofZone.prefixSums))
      return knownSum?.get("") ?? null;
    ofZone.prefixSums++;
    // A substring keeps its whole source text in memory, so the text is copied.
    const sum = { ...emptySum(load.kind, [...url].join("")), isPrefix: true, isOrigin: false };
    ofZone.prefixes.set(origin, (knownSum ?? new Map<string, Sum>()).set([...path].join(""), sum));
    return sum;
  }

  /** Loads without room share one sum that tells nothing about them. */
  #others({ sums }: ZoneSums, { kind }: Load): Sum {
    const knownSum = sums.get(kind) ?? { ...emptySum(kind, NOT_KEPT), isElsewhere: true, isOrigin: false };
    sums.set(kind, knownSum);
    return knownSum;
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

/** The room for one sort of text in all zones: a number of texts and a number of characters. */
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
   * One zone gets at most half of the remaining room, so forged loads of one zone cannot push out other zones.
   *
   * @param ofZone the number of texts kept for the zone
   * @returns whether there was room; if so, it is taken
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
  /** The number of URLs by kind and origin. */
  readonly urls: Map<string, number>;
  /** By kind and origin, then by folder. The empty folder is the whole origin. */
  readonly prefixes: Map<string, Map<string, Sum>>;
  /** The number of prefix sums. */
  prefixSums: number;
}

function emptyZone(): ZoneSums {
  return { sums: new Map(), urls: new Map(), prefixes: new Map(), prefixSums: 0 };
}

/** The first folder of the path. Empty: none, or one with an escape, whose meaning depends on the rest of the path. */
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
  /** Whether no report of the load has a path. */
  isOrigin: boolean;
  readonly isPrefix: boolean;
  count: number;
  readonly times: TimeSpan;
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
    times: new TimeSpan(),
  };
}

/** A stand-in for a URL. It is no URL, so its impact is always unknown and nothing is proven. */
const NOT_KEPT = "(loads beyond those that are kept)";

function loadOf({ kind, url, pages, isElsewhere, isOrigin, isPrefix, count, times }: Sum): ReportedLoad {
  const reports = {
    count,
    ...times.asText(),
    ...(isOrigin ? { origin_only: true as const } : {}),
    ...(isPrefix ? { path_prefix: true as const } : {}),
  };
  return { kind, url, pages: [...pages].sort(), isElsewhere, reports };
}

function byUrl(a: ReportedLoad, b: ReportedLoad): number {
  return a.url < b.url ? -1 : a.url > b.url ? 1 : 0;
}

/**
 * The detections of a zone with the browsers' reports. A detection keeps its facts and may gain pages. A load that is
 * only reported has no id, and it is unknown whether the load is malicious.
 */
export function withReported(detected: Detections, loads: readonly ReportedLoad[]): Detections {
  const joinedFor = (kind: DetectedKind) =>
    joined(
      detected[kind],
      loads.filter((each) => each.kind === kind),
    );
  return { scripts: joinedFor("scripts"), connections: joinedFor("connections") };
}

function joined(detected: readonly Detected[], loads: readonly ReportedLoad[]): readonly Detected[] {
  // A prefix equals no single URL.
  const single = loads.filter(({ reports }) => reports.path_prefix !== true);
  const byUrl = new Map(single.map((load) => [load.url, load]));
  const matched = new Set<ReportedLoad>();
  const withReports = detected.map((entry): Detected => {
    const load = byUrl.get(comparable(entry.url));
    if (load === undefined) return entry;
    matched.add(load);
    return { ...entry, pages: [...new Set([...entry.pages, ...pagesOf(load)])], reports: load.reports };
  });
  const unmatched = loads.filter((load) => !matched.has(load));
  return [...withReports, ...unmatched.map(reportedOnly)];
}

function reportedOnly(load: ReportedLoad): Detected {
  const { url, reports } = load;
  return { id: null, url, pages: pagesOf(load), host: null, malicious: null, own: false, reports };
}

/** An empty page name stands for the pages that were not kept. */
function pagesOf({ pages, isElsewhere }: ReportedLoad): readonly string[] {
  return isElsewhere ? [...pages, ""] : pages;
}

function comparable(written: string): string {
  const url = readUrl(written.replace(/[?#].*$/s, ""));
  return url === null ? written : url.href;
}
