import type { DetectedKind, OtherReports } from "../model/detection.js";
import type { Evidence, Noise } from "../model/evidence.js";
import { groupBy } from "../model/group-by.js";
import type { Json, JsonObject } from "../model/json.js";
import { isId } from "../model/read-api.js";
import { rememberedText } from "../model/remembered.js";
import { readUrl } from "../model/url.js";
import { isInjected, zoneOf } from "./hosts.js";
import { type Load, Loads } from "./loads.js";
import { TimeSpan, timeIn } from "./time.js";

/**
 * Lines of the dataset page_shield_events, summed up by load. Only sums are kept, so that memory does not grow with the
 * lines.
 */
export class Violations {
  readonly #zoneOf: (host: string) => string | null;
  readonly #urlPartsOf = rememberedText(urlPartsIn);
  readonly #loads = new Loads();
  readonly #noise = new Map<Noise, number>();
  readonly #others = new Map<string, Map<string, Counted>>();
  #othersKept = 0;
  readonly #isOfAnyHost: boolean;
  #reports = 0;
  readonly #seen = new TimeSpan();

  /**
   * @param zones the names of all zones in the files: a line belongs to the zone of its page's host. Null: each host
   * counts as a zone of its own
   */
  constructor(zones: readonly string[] | null) {
    this.#isOfAnyHost = zones === null;
    const names = zones === null ? null : new Set(zones);
    this.#zoneOf = rememberedText((host) => (names === null ? host : zoneOf(host, names)));
  }

  take(record: JsonObject): void {
    const noise = this.#add(record);
    if (noise !== null) this.#setApart(noise, 1);
  }

  /** @param unread the lines of the log that were not readable as records */
  evidence({ broken, tooLong }: { readonly broken: number; readonly tooLong: number }): Evidence {
    if (broken > 0) this.#setApart("broken", broken);
    if (tooLong > 0) this.#setApart("too_long", tooLong);
    return {
      loads: this.#loads.all,
      others: new Map([...this.#others].map(([zone, sums]) => [zone, [...sums.values()].toSorted(byCount)])),
      reports: this.#reports,
      ...this.#seen.asText(),
      noise: this.#noise,
    };
  }

  #setApart(noise: Noise, lines: number): void {
    this.#noise.set(noise, (this.#noise.get(noise) ?? 0) + lines);
  }

  /** The reason to set the report aside. Null: it counts. */
  #add(record: JsonObject): Noise | null {
    if (!isViolation(record)) return "other_dataset";
    const { URL: rawUrl, PageURL: page, Host: host, URLHost, Timestamp } = record;
    const [pageUrl, url] = [withoutQuery(page), withoutQuery(rawUrl)];
    const pagePlace = pageUrl.length > MOST_CHARS ? null : this.#urlPartsOf(pageUrl);
    // A long URL is cut: its origin is at the start.
    const place = this.#urlPartsOf(url.slice(0, MOST_CHARS));
    if (place !== null && isOfExtension(place)) return "extension";
    if (pagePlace !== null && isOfExtension(pagePlace)) return "extension";
    if (pagePlace?.protocol === "about:" || place?.protocol === "about:") return "about";
    const pageHost = pagePlace?.host || hostIn(host);
    const zone = pageHost === "" ? NO_ZONE : this.#zoneOf(pageHost);
    if (zone === null) return "other_zone";
    if (CODE.has(url)) return this.#besides(zone, record, "code");
    const kind = kindOf(record);
    if (kind === null) return this.#besides(zone, record, "other_load");
    if (isInjected(place ?? { hostname: hostIn(URLHost) })) return "injected";
    if (place === null ? hostIn(URLHost) === REPORTING_HOST : isOfService(place, pageHost)) return "service";
    if (url.length > MOST_CHARS) return this.#besides(zone, record, "too_long");
    if (place === null || pageHost === "") return this.#besides(zone, record, "unnamed");
    const load = { kind, ...place, isOrigin: isOrigin(rawUrl) };
    return this.#count(zone, load, pagePlace?.url ?? null, timeIn(Timestamp));
  }

  /**
   * Counts a report that is no load to be tried, by the policy that caused it. The policy is unknown if the job does not
   * log it, and beyond the limit, so that forged reports cannot push out true ones.
   */
  #besides(zone: string, { PolicyID, CSPDirective }: JsonObject, sort: OtherReports["what"] & Noise): Noise {
    // Without zones, these counts are unused. Another value than an id belongs to no known policy.
    const isNamed = typeof PolicyID === "string" && isId(PolicyID);
    if (this.#isOfAnyHost || !(isNamed || PolicyID === undefined)) return sort;
    const directive =
      typeof CSPDirective === "string" && /^[a-z-]{1,40}$/.test(CSPDirective) ? CSPDirective : "";
    const ofZone = this.#others.get(zone) ?? new Map<string, Counted>();
    this.#others.set(zone, ofZone);
    const key = `${PolicyID} ${sort} ${directive}`;
    const isKept = isNamed && (ofZone.has(key) || this.#othersKept < MOST_OTHERS);
    const slot = isKept ? key : ` ${sort} `;
    const counted = ofZone.get(slot);
    if (counted !== undefined) counted.count++;
    else {
      this.#othersKept++;
      const owner = isKept ? { object: PolicyID, directive } : { object: null, directive: "" };
      ofZone.set(slot, { ...owner, what: sort, count: 1 });
    }
    return sort;
  }

  #count(zone: string, load: Load, page: string | null, ms: number | null): Noise | null {
    if (!this.#loads.add(zone, load, page, ms)) return "not_kept";
    this.#reports++;
    this.#seen.add(ms);
    return null;
  }
}

/** The service's report endpoint, by the published OpenAPI document. */
const REPORTING_HOST = "csp-reporting.cloudflare.com";

function isOfService({ path, host }: UrlParts, pageHost: string): boolean {
  return path.startsWith("/cdn-cgi/") && [pageHost, REPORTING_HOST].includes(host);
}

/** The limit of policies times directives in all zones, plus one of each sort in a zone. Anyone can forge more. */
const MOST_OTHERS = 10_000;

type Counted = OtherReports & { count: number };

/** The service accepts no longer URL. Caching some thousand longer ones would take megabytes. */
const MOST_CHARS = 16_384;

/** The URL without query and fragment, which no policy looks at. Empty: there is no URL. */
function withoutQuery(written: Json | undefined): string {
  if (typeof written !== "string") return "";
  const cut = written.search(/[?#]/);
  return cut === -1 ? written : written.slice(0, cut);
}

function hostIn(written: Json | undefined): string {
  return typeof written === "string" ? written.toLowerCase() : "";
}

/** A URL without even the slash of a path. After a redirect, browsers report only the origin. */
function isOrigin(written: Json | undefined): boolean {
  return typeof written === "string" && /^[a-z]+:\/\/[^/?#]+$/i.test(written);
}

/** The parts of a URL that matter here. */
interface UrlParts {
  readonly url: string;
  /** Without a host: the scheme and its colon. */
  readonly origin: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly path: string;
}

/** For a URL outside of the network, browsers report only the scheme: `data`, `blob`, `chrome-extension`. */
function urlPartsIn(written: string): UrlParts | null {
  const url = readUrl(/^[a-z][a-z0-9+-]*$/.test(written) ? `${written}:` : written);
  if (url === null) return null;
  const { href, protocol, host, hostname, pathname } = url;
  const origin = host === "" ? protocol : `${protocol}//${host}`;
  return { url: href, origin, protocol, host, hostname, path: pathname };
}

/** The words that browsers report in place of a URL. */
const CODE: ReadonlySet<string> = new Set([
  "inline",
  "eval",
  "wasm-eval",
  "trusted-types-sink",
  "trusted-types-policy",
]);

/** One bucket may hold several datasets. No other dataset has these fields. */
function isViolation({ CSPDirective, ResourceType, PolicyID, ...fields }: JsonObject): boolean {
  if (typeof CSPDirective === "string") return true;
  const isOfPolicy = [ResourceType, PolicyID].some((each) => typeof each === "string");
  return isOfPolicy && LOAD_FIELDS.some((field) => typeof fields[field] === "string");
}

const LOAD_FIELDS = ["URL", "URLHost", "PageURL", "Host"];

/** The service names the kind of load. If the job does not log it, the directive tells. */
function kindOf({ ResourceType: type, CSPDirective: directive }: JsonObject): DetectedKind | null {
  if (type === "script") return "scripts";
  if (type === "connection") return "connections";
  if (typeof type === "string" || typeof directive !== "string") return null;
  if (/^script-src/.test(directive)) return "scripts";
  return directive === "connect-src" ? "connections" : null;
}

/** `chrome-extension:`, `moz-extension:`, `safari-web-extension:` and any later name. */
function isOfExtension({ protocol }: UrlParts): boolean {
  return /^[a-z-]*-extension:$|^(chrome|resource|webkit-masked-url|safari-resource):$/.test(protocol);
}

/** A stand-in for the zone name of a report without a page: its policy may be in any zone. */
const NO_ZONE = "";

/** The reports that an object of a zone caused, or may have caused, about other things than loads to try. */
export function otherReportsOf(
  { others }: Pick<Evidence, "others">,
  zone: string,
  id: string,
): readonly OtherReports[] {
  const ofObject = [zone, NO_ZONE]
    .flatMap((each) => others.get(each) ?? [])
    .filter(({ object }) => object === null || object === id);
  const alike = groupBy(ofObject, ({ object, what, directive }) => JSON.stringify([object, what, directive]));
  return [...alike.values()].map(sumOf).toSorted(byCount);
}

function sumOf([first, ...others]: readonly [OtherReports, ...OtherReports[]]): OtherReports {
  return { ...first, count: others.reduce((sum, { count }) => sum + count, first.count) };
}

function byCount(a: OtherReports, b: OtherReports): number {
  return b.count - a.count || (a.directive < b.directive ? -1 : 1);
}
