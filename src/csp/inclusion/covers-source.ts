import type { HostPattern, UrlSource } from "../match/match-source.js";
import { matchesHost, matchesPath, matchesSchemeAndPort } from "../match/match-source.js";
import { defaultPort, upgraded } from "../match/origin.js";

/** What is different between two values, and the page, when their sources are compared. */
export interface Comparison {
  readonly pageScheme: string;
  /** Whether the value of the covering source upgrades insecure requests, and that of the covered one. */
  readonly upgrades: { readonly covering: boolean; readonly covered: boolean };
}

/** Whether a source matches everything that another one matches. */
export function coversSource(covering: UrlSource, covered: UrlSource, comparison: Comparison): boolean {
  const [over, under] = [asHost(covering), asHost(covered)];
  return (
    coversHost(over.host, under.host) &&
    (over.path === "" || matchesPath(over.path, under.path)) &&
    coversSchemesAndPorts(over, under, comparison)
  );
}

/** A scheme alone is any host, port and path of it. */
function asHost(source: UrlSource): UrlSource & { readonly host: HostPattern } {
  const { host } = source;
  return host === null
    ? { ...source, host: { match: "any", text: "" }, port: "*", path: "" }
    : { ...source, host };
}

function coversHost(over: HostPattern, under: HostPattern): boolean {
  if (over.match === "any") return true;
  if (under.match === "any" || (over.match === "exact" && under.match !== "exact")) return false;
  return matchesHost(over, under.text);
}

/**
 * Tried on every scheme and port that could make a difference: both as they are asked for, which is what stays so for
 * `fetch` and for loopback hosts, and as they are after an upgrade.
 */
function coversSchemesAndPorts(over: UrlSource, under: UrlSource, comparison: Comparison): boolean {
  const { pageScheme, upgrades } = comparison;
  const own = [over.scheme, under.scheme].flatMap((scheme) => (scheme === null ? [] : [scheme]));
  const ports = [null, 80, 443, ANY_OTHER_PORT, over.port, under.port];
  return [...new Set([...NETWORK_SCHEMES, ...own])].every((scheme) =>
    ports.every((port) => {
      if (port === "*" || port === defaultPort(scheme)) return true;
      const asked = { scheme, host: "", port };
      const under1 = upgrades.covered ? upgrade(asked) : asked;
      const over1 = upgrades.covering ? upgrade(asked) : asked;
      const matches = (source: UrlSource, target: typeof asked) =>
        matchesSchemeAndPort(source, pageScheme, target);
      return (
        (!matches(under, asked) || matches(over, asked)) && (!matches(under, under1) || matches(over, over1))
      );
    }),
  );
}

function upgrade<T extends { readonly scheme: string; readonly port: number | null }>(target: T): T {
  const scheme = upgraded(target.scheme);
  return scheme === null ? target : { ...target, scheme, port: target.port === 443 ? null : target.port };
}

const NETWORK_SCHEMES = ["http", "https", "ws", "wss"];

/** A port that no source names. */
const ANY_OTHER_PORT = 65_536;
