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

/** The requests that count for every source. */
export interface RequestScope {
  readonly upgrades: Upgrades;
  /** The network schemes that count. Only connections use ws: and wss:. */
  readonly schemes: ReadonlySet<string>;
}

/** Whether the value of the covering source upgrades insecure requests, and that of the covered source. */
export interface Upgrades {
  readonly covering: boolean;
  readonly covered: boolean;
}

/** Whether a source that includes the hosts of another also includes its paths. */
export function coversPaths(covering: UrlSource, covered: UrlSource): boolean {
  if (covering.path === "") return true;
  // Only network URLs always have a path that starts with a slash. The path of data: has no slash.
  if (covered.path === "" && covered.scheme !== null && !NETWORK_SCHEMES.has(covered.scheme)) return false;
  return matchesPath(covering.path, covered.path);
}

/** Whether a source matches every scheme and port of another, on pages of this scheme. */
export function coversSchemesAndPorts(
  covering: UrlSource,
  covered: UrlSource,
  pageScheme: string,
  scope: RequestScope,
): boolean {
  return coversCases(casesOf(endpointsOf([covering, covered], scope.schemes), scope.upgrades), {
    covering: (endpoint) => matchesIn(covering, pageScheme, endpoint),
    covered: (endpoint) => matchesIn(covered, pageScheme, endpoint),
  });
}

/**
 * Whether the sources together, with `'self'` if given, match everything that `'self'` matches on this page. Each
 * source has the page's host and every path.
 */
export function coversSelf(
  covering: { readonly hasSelf: boolean; readonly sources: readonly UrlSource[] },
  page: Origin,
  scope: RequestScope,
): boolean {
  return coversCases(casesOf(ownEndpoints(scope.schemes), scope.upgrades).filter(isAnswered), {
    covering: (endpoint) =>
      (covering.hasSelf && matchesOwn(page, endpoint)) ||
      covering.sources.some((source) => matchesIn(source, page.scheme, endpoint)),
    covered: (endpoint) => matchesOwn(page, endpoint),
  });
}

/** Whether `'self'` on this page matches everything that a source with the page's host alone matches. */
export function isOfSelf(covered: UrlSource, page: Origin, scope: RequestScope): boolean {
  return coversCases(casesOf(endpointsOf([covered], scope.schemes), scope.upgrades), {
    covering: (endpoint) => matchesOwn(page, endpoint),
    covered: (endpoint) => matchesIn(covered, page.scheme, endpoint),
  });
}

function coversCases(
  cases: readonly Case[],
  matches: Readonly<Record<"covering" | "covered", (endpoint: Endpoint) => boolean>>,
): boolean {
  return cases.every(
    ({ underCovering, underCovered }) => !matches.covered(underCovered) || matches.covering(underCovering),
  );
}

/** Pairs of sources that share a key have the same answer. */
export function schemeAndPortKey(covering: UrlSource, covered: UrlSource): string {
  return [covering, covered]
    .map(({ scheme, host, port }) => `${scheme ?? ""} ${host === null ? "*" : (port ?? "")}`)
    .join(" ");
}

/** One request, as each of the two values judges it. */
interface Case {
  readonly underCovering: Endpoint;
  readonly underCovered: Endpoint;
}

interface Endpoint {
  readonly scheme: string;
  readonly port: number | null;
}

/**
 * Every scheme and port that could matter: as requested, and as upgraded. `fetch` and loopback hosts keep the requested
 * form.
 */
function casesOf(endpoints: readonly Endpoint[], upgrades: Upgrades): readonly Case[] {
  const upgrade = (endpoint: Endpoint): Case => ({
    underCovering: upgrades.covering ? upgradeOrigin(endpoint) : endpoint,
    underCovered: upgrades.covered ? upgradeOrigin(endpoint) : endpoint,
  });
  const kept = endpoints.map((endpoint): Case => ({ underCovering: endpoint, underCovered: endpoint }));
  return upgrades.covering || upgrades.covered ? [...kept, ...endpoints.map(upgrade)] : kept;
}

/**
 * For each scheme, an endpoint at each special port, at each port of a source, and at one other port. URLs of schemes
 * without a default port have no port.
 */
function endpointsOf(sources: readonly UrlSource[], network: ReadonlySet<string>): readonly Endpoint[] {
  const schemes = sources.flatMap(({ scheme }) => scheme ?? []).filter((each) => !NETWORK_SCHEMES.has(each));
  const numbers = sources.flatMap(({ port }) => (port === "*" ? [] : [port]));
  const ports = [...new Set([null, 80, 443, UNNAMED_PORT, ...numbers])];
  return [...network, ...new Set(schemes)].flatMap((scheme) => {
    const usual = defaultPort(scheme);
    return (usual === null ? [null] : ports.filter((port) => port !== usual)).map((port) => ({
      scheme,
      port,
    }));
  });
}

/** The requests that can reach a web server's own ports, including upgraded requests. */
function ownEndpoints(network: ReadonlySet<string>): readonly Endpoint[] {
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

function matchesOwn(page: Origin, endpoint: Endpoint): boolean {
  return matchesSelf(page, { ...endpoint, host: page.host });
}

/** A scheme source matches every port. */
function matchesIn(source: UrlSource, pageScheme: string, endpoint: Endpoint): boolean {
  const port = source.host === null ? "*" : source.port;
  return matchesSchemeAndPort({ ...source, port }, pageScheme, { ...endpoint, host: "" });
}
