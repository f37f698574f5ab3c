import {
  defaultPort,
  matchesPath,
  matchesSchemeAndPort,
  matchesSelf,
  NETWORK_SCHEMES,
  type Origin,
  type UrlSource,
  upgradeOrigin,
} from "../match/match-source.js";

/** Which requests count, whatever the source. */
export interface Asking {
  readonly upgrades: Upgrades;
  /** The network schemes that count: only connections use ws: and wss:. */
  readonly schemes: ReadonlySet<string>;
}

/** Whether the value of the covering source upgrades insecure requests, and that of the covered one. */
export interface Upgrades {
  readonly covering: boolean;
  readonly covered: boolean;
}

/** Whether a source, whose hosts take in those of another one, has all of its paths too. */
export function coversPaths(covering: UrlSource, covered: UrlSource): boolean {
  if (covering.path === "") return true;
  // Only on the network does every path start with a slash: that of data: has none.
  if (covered.path === "" && covered.scheme !== null && !NETWORK_SCHEMES.has(covered.scheme)) return false;
  return matchesPath(covering.path, covered.path);
}

/** Whether a source matches every scheme and port that another one matches, on pages of this scheme. */
export function coversSchemesAndPorts(
  covering: UrlSource,
  covered: UrlSource,
  pageScheme: string,
  asking: Asking,
): boolean {
  return coversCases(casesOf(requests([covering, covered], asking.schemes), asking.upgrades), {
    covering: (asked) => matchesIn(covering, pageScheme, asked),
    covered: (asked) => matchesIn(covered, pageScheme, asked),
  });
}

/**
 * Whether sources together, or `'self'` with them, match all that `'self'` matches on this page. Each of the sources
 * has its host and every path.
 */
export function coversSelf(
  covering: { readonly hasSelf: boolean; readonly sources: readonly UrlSource[] },
  page: Origin,
  asking: Asking,
): boolean {
  return coversCases(casesOf(ownRequests(asking.schemes), asking.upgrades).filter(isAnswered), {
    covering: (asked) =>
      (covering.hasSelf && matchesOwn(page, asked)) ||
      covering.sources.some((source) => matchesIn(source, page.scheme, asked)),
    covered: (asked) => matchesOwn(page, asked),
  });
}

/** Whether `'self'` on this page matches all that a source matches whose only host is the page's. */
export function isOfSelf(covered: UrlSource, page: Origin, asking: Asking): boolean {
  return coversCases(casesOf(requests([covered], asking.schemes), asking.upgrades), {
    covering: (asked) => matchesOwn(page, asked),
    covered: (asked) => matchesIn(covered, page.scheme, asked),
  });
}

function coversCases(
  cases: readonly Case[],
  matches: Readonly<Record<"covering" | "covered", (asked: Asked) => boolean>>,
): boolean {
  return cases.every(
    ({ underCovering, underCovered }) => !matches.covered(underCovered) || matches.covering(underCovering),
  );
}

/** A key that two pairs of sources share only where their answer is the same. */
export function schemeAndPortKey(covering: UrlSource, covered: UrlSource): string {
  return [covering, covered]
    .map(({ scheme, host, port }) => `${scheme ?? ""} ${host === null ? "*" : (port ?? "")}`)
    .join(" ");
}

/** One request, as each of the two values judges it. */
interface Case {
  readonly underCovering: Asked;
  readonly underCovered: Asked;
}

interface Asked {
  readonly scheme: string;
  readonly port: number | null;
}

/**
 * Every scheme and port that could make a difference: as it is asked for, which is what stays so for `fetch` and for
 * loopback hosts, and as it is after an upgrade.
 */
function casesOf(all: readonly Asked[], upgrades: Upgrades): readonly Case[] {
  const upgrade = (asked: Asked): Case => ({
    underCovering: upgrades.covering ? upgradeOrigin(asked) : asked,
    underCovered: upgrades.covered ? upgradeOrigin(asked) : asked,
  });
  const stay = (asked: Asked): Case => ({ underCovering: asked, underCovered: asked });
  return upgrades.covering || upgrades.covered ? [...all.map(stay), ...all.map(upgrade)] : all.map(stay);
}

/**
 * A request of each scheme at each port that is special, at each that a source names, and at one that is neither. A
 * URL whose scheme has no port of its own has none at all.
 */
function requests(sources: readonly UrlSource[], network: ReadonlySet<string>): readonly Asked[] {
  const named = sources.flatMap(({ scheme }) => scheme ?? []).filter((each) => !NETWORK_SCHEMES.has(each));
  const numbers = sources.flatMap(({ port }) => (port === "*" ? [] : [port]));
  const ports = [...new Set([null, 80, 443, UNNAMED_PORT, ...numbers])];
  return [...network, ...new Set(named)].flatMap((scheme) => {
    const own = defaultPort(scheme);
    return (own === null ? [null] : ports.filter((port) => port !== own)).map((port) => ({ scheme, port }));
  });
}

/** What can come to the ports that a server of web pages listens on, by an upgrade too. */
function ownRequests(network: ReadonlySet<string>): readonly Asked[] {
  return [...network].flatMap((scheme) => [
    { scheme, port: null },
    ...(defaultPort(scheme) === 443 ? [] : [{ scheme, port: 443 }]),
  ]);
}

/** A server does not answer one scheme at the default port of the other. */
function isAnswered({ underCovered }: Case): boolean {
  return underCovered.port === null;
}

/** A port that no URL has. */
const UNNAMED_PORT = 65_536;

function matchesOwn(page: Origin, asked: Asked): boolean {
  return matchesSelf(page, { ...asked, host: page.host });
}

/** A scheme alone is any port of it. */
function matchesIn(source: UrlSource, pageScheme: string, asked: Asked): boolean {
  const port = source.host === null ? "*" : source.port;
  return matchesSchemeAndPort({ ...source, port }, pageScheme, { ...asked, host: "" });
}
