import type { UrlSource } from "../match/match-source.js";
import { matchesPath, matchesSchemeAndPort } from "../match/match-source.js";
import { defaultPort, NETWORK_SCHEMES, upgradeOrigin } from "../match/origin.js";

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
  upgrades: Upgrades,
): boolean {
  return casesOf(covering, covered, upgrades).every(
    (each) =>
      !matchesIn(covered, pageScheme, each.underCovered) ||
      matchesIn(covering, pageScheme, each.underCovering),
  );
}

/** The sources to which the answer for these two is the same. */
export function schemeAndPortKey(covering: UrlSource, covered: UrlSource): string {
  return [covering, covered]
    .map(({ scheme, host, port }) => `${scheme ?? ""} ${host === null ? "*" : (port ?? "")}`)
    .join(" ");
}

/** One request, as it is judged under either value. */
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
function casesOf(covering: UrlSource, covered: UrlSource, upgrades: Upgrades): readonly Case[] {
  const upgrade = (asked: Asked): Case => ({
    underCovering: upgrades.covering ? upgradeOrigin(asked) : asked,
    underCovered: upgrades.covered ? upgradeOrigin(asked) : asked,
  });
  const stay = (asked: Asked): Case => ({ underCovering: asked, underCovered: asked });
  const all = requests([covering, covered]);
  return upgrades.covering || upgrades.covered ? [...all.map(stay), ...all.map(upgrade)] : all.map(stay);
}

/**
 * A request of each scheme at each port that is special, at each that a source names, and at one that is neither. A
 * URL whose scheme has no port of its own has none at all.
 */
function requests(sources: readonly UrlSource[]): readonly Asked[] {
  const schemes = new Set([...NETWORK_SCHEMES, ...sources.flatMap(({ scheme }) => scheme ?? [])]);
  const named = sources.flatMap(({ port }) => (port === "*" ? [] : [port]));
  const ports = [...new Set([null, 80, 443, UNNAMED_PORT, ...named])];
  return [...schemes].flatMap((scheme) => {
    const own = defaultPort(scheme);
    return (own === null ? [null] : ports.filter((port) => port !== own)).map((port) => ({ scheme, port }));
  });
}

/** A port that no URL has. */
const UNNAMED_PORT = 65_536;

/** A scheme alone is any port of it. */
function matchesIn(source: UrlSource, pageScheme: string, asked: Asked): boolean {
  const port = source.host === null ? "*" : source.port;
  return matchesSchemeAndPort({ ...source, port }, pageScheme, { ...asked, host: "" });
}
