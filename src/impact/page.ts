import type { Request } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import type { Detected } from "../model/detection.js";
import { lazily } from "../model/remembered.js";
import { readUrl } from "../model/url.js";

/** Where a detection was seen, as far as that is known. */
export interface Page {
  /** As the service named it; null: it did not. */
  readonly named: string | null;
  /** Several where its scheme is not known, each with another one; none: nothing is known of it. */
  readonly urls: readonly URL[];
  /** Whether its path is known, and not only its host. */
  readonly isWhole: boolean;
  /** What an expression can ask of the request for the page: what a URL tells. One for each scheme it may have. */
  requests(): readonly Request[];
}

/**
 * The pages of a detection: those that are named, and of a host that none of them is on, one with any path: so too
 * where what is named is no page. There is always one.
 */
export function pagesOf({ pages, host, url }: Pick<Detected, "pages" | "host" | "url">): readonly Page[] {
  const schemes = schemesFor(url);
  const named = pages.flatMap((text) => namedPage(text, host, schemes) ?? []);
  const hosts = named.flatMap(({ urls }) => urls.map((each) => each.host));
  const other = somePage(host, schemes);
  const isCovered = other.urls.every((each) => hosts.includes(each.host));
  return named.length > 0 && named.length === pages.length && isCovered ? named : [...named, other];
}

/** The same for pages of which the same is known. */
export function keyOf({ urls, isWhole }: Page): string {
  return `${isWhole ? "" : "some page of "}${urls.map(({ href }) => href).join(" ")}`;
}

function pageAt(named: string | null, urls: readonly URL[], isWhole: boolean): Page {
  const requests = lazily(() => (urls.length === 0 ? [{}] : urls.map((url) => requestFor(url, isWhole))));
  return { named, urls, isWhole, requests };
}

function requestFor(url: URL, isWhole: boolean): Request {
  const request = requestOf(url.href);
  if (!request.ok) return {};
  return isWhole ? request.value : Object.fromEntries(OF_HOST.map((field) => [field, request.value[field]]));
}

/** Fields that are the same whatever the path. */
const OF_HOST = ["http.host", "ssl", "cf.edge.server_port"];

/** What a page may be that does not say: no secure page loads what is not secure. */
function schemesFor(url: string): readonly string[] {
  return /^\s*(?:http|ws):/i.test(url) ? ["http"] : ["https", "http"];
}

/** In the published OpenAPI document, pages stand without a scheme: `blog.example.com/page`. */
function namedPage(named: string, host: string | null, schemes: readonly string[]): Page | null {
  const hasScheme = /^https?:\/\//i.test(named);
  const urls = hasScheme ? urlsOf([named]) : urlsOf(schemes.map((scheme) => `${scheme}://${named}`));
  const isPage = urls.length > 0 && (hasScheme || urls.some((url) => beginsWithHost(named, url, host)));
  return isPage ? pageAt(named, urls, true) : null;
}

function urlsOf(texts: readonly string[]): readonly URL[] {
  return texts.flatMap((text) => readUrl(text) ?? []);
}

/** What the parser makes a host of is one: a relative path, or another scheme, is no page of this zone. */
function beginsWithHost(named: string, url: URL, host: string | null): boolean {
  const isThere = named.toLowerCase().startsWith(url.host) && /^[/?#]?$/.test(named.charAt(url.host.length));
  return isThere && (host === null ? url.hostname.includes(".") : url.host === host.toLowerCase());
}

/** A page of which no more than the host is known. */
function somePage(host: string | null, schemes: readonly string[]): Page {
  const urls = host === null ? [] : urlsOf(schemes.map((scheme) => `${scheme}://${host}`));
  const isHost = urls.every(({ href, origin }) => href === `${origin}/`);
  return pageAt(null, isHost ? urls : [], false);
}
