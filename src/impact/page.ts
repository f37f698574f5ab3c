import type { Request } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import type { Detected } from "../model/detection.js";
import { lazily } from "../model/remembered.js";
import { readUrl } from "../model/url.js";

/** A page of a detection, as far as it is known. */
export interface Page {
  /** The page as the service gave it. Null: only the host, or nothing, is known. */
  readonly name: string | null;
  /** Several URLs if the scheme is unknown, one for each scheme. None: nothing is known. */
  readonly urls: readonly URL[];
  /** Whether the path is known, and not only the host. */
  readonly isWhole: boolean;
  /** The request fields that the URL tells, one request for each possible scheme. */
  requests(): readonly Request[];
}

/**
 * The pages of a detection: the named pages, and a page with an unknown path if no named page is on the host or a name
 * is no page. Never empty.
 */
export function pagesOf({ pages, host, url }: Pick<Detected, "pages" | "host" | "url">): readonly Page[] {
  const schemes = schemesFor(url);
  const namedPages = pages.flatMap((text) => namedPage(text, host, schemes) ?? []);
  const hosts = namedPages.flatMap(({ urls }) => urls.map((each) => each.host));
  const hostPage = anyPageOn(host, schemes);
  const isCovered = hostPage.urls.every((each) => hosts.includes(each.host));
  const areAllNamed = namedPages.length > 0 && namedPages.length === pages.length;
  return areAllNamed && isCovered ? namedPages : [...namedPages, hostPage];
}

/** Equal for pages with the same known facts. */
export function keyOf({ urls, isWhole }: Page): string {
  return `${isWhole ? "" : "some page of "}${urls.map(({ href }) => href).join(" ")}`;
}

function pageAt(name: string | null, urls: readonly URL[], isWhole: boolean): Page {
  const requests = lazily(() => (urls.length === 0 ? [{}] : urls.map((url) => requestFor(url, isWhole))));
  return { name: name, urls, isWhole, requests };
}

function requestFor(url: URL, isWhole: boolean): Request {
  const request = requestOf(url.href);
  if (!request.ok) return {};
  return isWhole ? request.value : Object.fromEntries(OF_HOST.map((field) => [field, request.value[field]]));
}

/** Fields that do not depend on the path. */
const OF_HOST = ["http.host", "ssl", "cf.edge.server_port"];

/** The possible schemes of a page that loads the URL: a secure page loads nothing insecure. */
function schemesFor(url: string): readonly string[] {
  return /^\s*(?:http|ws):/i.test(url) ? ["http"] : ["https", "http"];
}

/** The published OpenAPI document writes pages without a scheme: `blog.example.com/page`. */
function namedPage(text: string, host: string | null, schemes: readonly string[]): Page | null {
  const hasScheme = /^https?:\/\//i.test(text);
  const urls = hasScheme ? urlsOf([text]) : urlsOf(schemes.map((scheme) => `${scheme}://${text}`));
  const isPage = urls.length > 0 && (hasScheme || urls.some((url) => beginsWithHost(text, url, host)));
  return isPage ? pageAt(text, urls, true) : null;
}

function urlsOf(texts: readonly string[]): readonly URL[] {
  return texts.flatMap((text) => readUrl(text) ?? []);
}

/** The URL parser finds a host in any text. A relative path or another scheme is no page of this zone. */
function beginsWithHost(text: string, url: URL, host: string | null): boolean {
  const isAtStart = text.toLowerCase().startsWith(url.host) && /^[/?#]?$/.test(text.charAt(url.host.length));
  return isAtStart && (host === null ? url.hostname.includes(".") : url.host === host.toLowerCase());
}

/** A page with only the host known. */
function anyPageOn(host: string | null, schemes: readonly string[]): Page {
  const urls = host === null ? [] : urlsOf(schemes.map((scheme) => `${scheme}://${host}`));
  const isHost = urls.every(({ href, origin }) => href === `${origin}/`);
  return pageAt(null, isHost ? urls : [], false);
}
