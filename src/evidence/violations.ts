import type { DetectedKind, OtherReports } from "../model/detection.js";
import type { Evidence, Noise } from "../model/evidence.js";
import { groupBy } from "../model/group-by.js";
import type { Json, JsonObject } from "../model/json.js";
import { isId } from "../model/read-api.js";
import { rememberedText } from "../model/remembered.js";
import { readUrl } from "../model/url.js";
import { isInjected, zoneOf } from "./hosts.js";
import { type Load, Loads } from "./loads.js";
import { Seen, timeIn } from "./time.js";

/**
 * Lines of the dataset page_shield_events → what browsers reported, load by load. Only sums are kept, so that it takes no
 * more memory for more lines.
 */
export class Violations {
  readonly #zoneOf: (host: string) => string | null;
  readonly #placeOf = rememberedText(placeIn);
  readonly #loads = new Loads();
  readonly #noise = new Map<Noise, number>();
  readonly #others = new Map<string, Map<string, Counted>>();
  #othersKept = 0;
  readonly #isOfAnyHost: boolean;
  #reports = 0;
  readonly #seen = new Seen();

  /**
   * @param zones the names of all zones of the files: a line belongs to that of its page's host. Null: each host counts, as
   * a zone of its own
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

  /** @param unread what of the log was not even a record */
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

  /** Why it is set apart; null: it counts. */
  #add(record: JsonObject): Noise | null {
    if (!isViolation(record)) return "other_dataset";
    const { URL: written, PageURL: page, Host: host, URLHost, Timestamp } = record;
    const [pageUrl, url] = [withoutQuery(page), withoutQuery(written)];
    const on = pageUrl.length > MOST_CHARS ? null : this.#placeOf(pageUrl);
    // What it is loaded from stands at its beginning, however long it is.
    const at = this.#placeOf(url.slice(0, MOST_CHARS));
    if (at !== null && isOfExtension(at)) return "extension";
    if (on !== null && isOfExtension(on)) return "extension";
    if (on?.protocol === "about:" || at?.protocol === "about:") return "about";
    const pageHost = on?.host || hostIn(host);
    const zone = pageHost === "" ? NO_ZONE : this.#zoneOf(pageHost);
    if (zone === null) return "other_zone";
    if (CODE.has(url)) return this.#besides(zone, record, "code");
    const kind = kindOf(record);
    if (kind === null) return this.#besides(zone, record, "other_load");
    if (isInjected(at ?? { hostname: hostIn(URLHost) })) return "injected";
    if (at === null ? hostIn(URLHost) === REPORTING_HOST : isOfService(at, pageHost)) return "service";
    if (url.length > MOST_CHARS) return this.#besides(zone, record, "too_long");
    if (at === null || pageHost === "") return this.#besides(zone, record, "unnamed");
    const load = { kind, url: at.href, origin: at.origin, path: at.pathname, isOrigin: isOrigin(written) };
    return this.#count(zone, load, on?.href ?? null, timeIn(Timestamp));
  }

  /**
   * What is no load to be tried is counted for what has it reported. Beyond those that are kept it may be anything in the zone:
   * made-up reports must not push out what is true.
   */
  #besides(zone: string, { PolicyID, CSPDirective }: JsonObject, what: OtherReports["what"]): Noise {
    // Where any host is a zone of its own, nobody asks; whose a report is that names nobody, nobody knows.
    if (this.#isOfAnyHost || typeof PolicyID !== "string" || !isId(PolicyID)) return what;
    const directive =
      typeof CSPDirective === "string" && /^[a-z-]{1,40}$/.test(CSPDirective) ? CSPDirective : "";
    const ofZone = this.#others.get(zone) ?? new Map<string, Counted>();
    this.#others.set(zone, ofZone);
    const key = `${PolicyID} ${what} ${directive}`;
    const isKept = ofZone.has(key) || this.#othersKept < MOST_OTHERS;
    const place = isKept ? key : ` ${what} `;
    const known = ofZone.get(place);
    if (known !== undefined) known.count++;
    else {
      this.#othersKept++;
      const whose = isKept ? { object: PolicyID, directive } : { object: null, directive: "" };
      ofZone.set(place, { ...whose, what, count: 1 });
    }
    return what;
  }

  #count(zone: string, load: Load, page: string | null, ms: number | null): Noise | null {
    if (!this.#loads.add(zone, load, page, ms)) return "not_kept";
    this.#reports++;
    this.#seen.add(ms);
    return null;
  }
}

/** Where the service has browsers report to, says the published OpenAPI document. */
const REPORTING_HOST = "csp-reporting.cloudflare.com";

function isOfService({ pathname, host }: Place, pageHost: string): boolean {
  return pathname.startsWith("/cdn-cgi/") && [pageHost, REPORTING_HOST].includes(host);
}

/** Policies times directives, in all zones, and one more of each sort a zone: anybody can make up more. */
const MOST_OTHERS = 10_000;

type Counted = OtherReports & { count: number };

/** The service takes no URL that is longer, and whoever remembers some thousand of them remembers some megabytes. */
const MOST_CHARS = 16_384;

/** A URL without what no policy looks at; nothing where none is told. */
function withoutQuery(written: Json | undefined): string {
  if (typeof written !== "string") return "";
  const cut = written.search(/[?#]/);
  return cut === -1 ? written : written.slice(0, cut);
}

function hostIn(written: Json | undefined): string {
  return typeof written === "string" ? written.toLowerCase() : "";
}

/** A URL without even the slash that a page writes: of what was redirected, browsers report the origin, which has none. */
function isOrigin(written: Json | undefined): boolean {
  return typeof written === "string" && /^[a-z]+:\/\/[^/?#]+$/i.test(written);
}

/** What a URL is, as far as it matters here. */
interface Place {
  readonly href: string;
  /** Where there is no host, the scheme alone with its colon. */
  readonly origin: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly pathname: string;
}

/** Of what is not on the network, browsers report the scheme alone: `data`, `blob`, `chrome-extension`. */
function placeIn(written: string): Place | null {
  const url = readUrl(/^[a-z][a-z0-9+-]*$/.test(written) ? `${written}:` : written);
  if (url === null) return null;
  const { href, protocol, host, hostname, pathname } = url;
  const origin = host === "" ? protocol : `${protocol}//${host}`;
  return { href, origin, protocol, host, hostname, pathname };
}

/** Where a browser has no URL at all, it says what it was. */
const CODE: ReadonlySet<string> = new Set([
  "inline",
  "eval",
  "wasm-eval",
  "trusted-types-sink",
  "trusted-types-policy",
]);

/** Lines of several datasets can be in one bucket. What is asked for here no other dataset has. */
function isViolation({ CSPDirective, ResourceType, PolicyID, ...told }: JsonObject): boolean {
  if (typeof CSPDirective === "string") return true;
  const isOfPolicy = [ResourceType, PolicyID].some((each) => typeof each === "string");
  return isOfPolicy && OF_LOADS.some((field) => typeof told[field] === "string");
}

const OF_LOADS = ["URL", "URLHost", "PageURL", "Host"];

/** The service says what it is; where the job does not list that, the directive does. */
function kindOf({ ResourceType: type, CSPDirective: directive }: JsonObject): DetectedKind | null {
  if (type === "script") return "scripts";
  if (type === "connection") return "connections";
  if (typeof type === "string" || typeof directive !== "string") return null;
  if (/^script-src/.test(directive)) return "scripts";
  return directive === "connect-src" ? "connections" : null;
}

/** `chrome-extension:`, `moz-extension:`, `safari-web-extension:` and whatever the next browser calls it. */
function isOfExtension({ protocol }: Place): boolean {
  return /^[a-z-]*-extension:$|^(chrome|resource|webkit-masked-url|safari-resource):$/.test(protocol);
}

/** In the place of a zone's name, where a report tells no page: its policy may be in any. */
const NO_ZONE = "";

/** What an object of a zone has had reported besides loads that are tried, or may have, the most first. */
export function othersOf(
  { others }: Pick<Evidence, "others">,
  zone: string,
  id: string,
): readonly OtherReports[] {
  const own = [zone, NO_ZONE]
    .flatMap((each) => others.get(each) ?? [])
    .filter(({ object }) => object === null || object === id);
  const alike = groupBy(own, ({ object, what, directive }) => JSON.stringify([object, what, directive]));
  return [...alike.values()].map(summed).toSorted(byCount);
}

function summed([first, ...others]: readonly [OtherReports, ...OtherReports[]]): OtherReports {
  return { ...first, count: others.reduce((sum, { count }) => sum + count, first.count) };
}

function byCount(a: OtherReports, b: OtherReports): number {
  return b.count - a.count || (a.directive < b.directive ? -1 : 1);
}
