import { isLoopback } from "../../model/url.js";
import { type HostParts, readSource } from "../syntax.js";

/** A scheme or host source, ready to be compared. */
export interface UrlSource {
  /** Null where it is the page's. */
  readonly scheme: string | null;
  /** Null where the source is a scheme alone. */
  readonly host: HostPattern | null;
  readonly port: number | "*" | null;
  /** Decoded, without query and fragment; empty for any path. */
  readonly path: string;
}

export interface HostPattern {
  readonly match: "any" | "subdomains" | "exact";
  /** For subdomains what they end in, from its dot on. */
  readonly text: string;
}

/** The URL of a load, in the parts that sources compare. */
export interface Target extends Origin {
  readonly path: string;
}

/** A host source as browsers take it; null where they refuse it. */
export function hostSource({ scheme, host, port, path }: HostParts): UrlSource | null {
  if (host.includes("_")) return null; // Chromium keeps to CSP3's grammar, which has no underscore
  return {
    scheme,
    host: hostPattern(host),
    port: port === null || port === "*" ? port : Number(port),
    path: decodePath(/^[^?#]*/.exec(path)?.[0] ?? ""),
  };
}

/** @param pageScheme null where the page has none to give to sources */
export function matchesSource(
  source: UrlSource,
  pageScheme: string | null,
  target: Target,
  afterRedirect: boolean,
): boolean {
  if (source.host === null) return schemeMatch(source.scheme, target.scheme) !== "no";
  return (
    matchesHost(source.host, target.host) &&
    matchesSchemeAndPort(source, pageScheme, target) &&
    (afterRedirect || matchesPath(source.path, target.path))
  );
}

export function matchesHost({ match, text }: HostPattern, host: string): boolean {
  switch (match) {
    case "any":
      return true;
    case "subdomains":
      return host.endsWith(text);
    case "exact":
      return host === text;
  }
}

/**
 * A URL may be more secure than its source, http → https, only where both scheme and port say so: the default port
 * of one for the default port of the other, or any port.
 */
export function matchesSchemeAndPort(
  source: UrlSource,
  pageScheme: string | null,
  { scheme, port }: Origin,
): boolean {
  const meant = source.scheme ?? pageScheme;
  const schemes = schemeMatch(meant, scheme);
  const ports = schemes === "no" ? "no" : portMatch(source.port, meant, scheme, port);
  if (schemes === "upgrade") return ports === "upgrade" || ports === "any";
  return ports === "exact" || ports === "any";
}

export function matchesPath(pattern: string, path: string): boolean {
  if (pattern === "" || (pattern === "/" && path === "")) return true;
  return pattern.endsWith("/") ? path.startsWith(pattern) : path === pattern;
}

/** Whether `'self'` on this page matches: its own origin, or the same host more secure or over a WebSocket. */
export function matchesSelf(page: Origin, target: Origin): boolean {
  if (page.scheme === "file") return target.scheme === "file";
  if (page.host !== target.host || !NETWORK_SCHEMES.has(target.scheme)) return false;
  const ports = portMatch(page.port ?? defaultPort(page.scheme), page.scheme, target.scheme, target.port);
  if (page.scheme === target.scheme) return ports === "exact";
  if (target.scheme !== "https" && target.scheme !== "wss" && page.scheme !== "http") return false;
  return ports === "exact" || (page.port === null && target.port === null);
}

function hostPattern(host: string): HostPattern {
  if (host === "*") return { match: "any", text: "" };
  return host.startsWith("*.")
    ? { match: "subdomains", text: host.slice(1) }
    : { match: "exact", text: host };
}

export function schemeMatch(source: string | null, scheme: string): "exact" | "upgrade" | "no" {
  if (source === scheme) return "exact";
  return source !== null && upgraded(source) === scheme ? "upgrade" : "no";
}

function portMatch(
  source: UrlSource["port"],
  sourceScheme: string | null,
  scheme: string,
  port: number | null,
): "exact" | "any" | "upgrade" | "no" {
  if (source === "*") return "any";
  if (source === port) return source === null ? "any" : "exact";
  const isHttp = sourceScheme === "http";
  const canUpgrade = source === 80 || (isHttp && (source === null || source === 443));
  const actual = port ?? defaultPort(scheme);
  if (canUpgrade && actual === 443) return "upgrade";
  return (source ?? defaultPort(scheme)) === actual && actual !== null ? "exact" : "no";
}

/**
 * A path as browsers compare it: percent-decoded whole, `%2F` included. What is not UTF-8 then is read byte by byte,
 * so that `%E9` equals `%C3%A9`; an escape that is none stays as it is.
 */
export function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return decodeBytes(path);
  }
}

function decodeBytes(path: string): string {
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  try {
    return UTF8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return bytes;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Where a page comes from, or what a URL asks for, in the parts that sources compare. */
export interface Origin {
  /** Without its colon. */
  readonly scheme: string;
  /** In lower case and punycode; empty where the scheme has no hosts. */
  readonly host: string;
  /** Null where it is the scheme's own. */
  readonly port: number | null;
}

export function originOf({ protocol, hostname, port }: URL): Origin {
  const scheme = protocol.slice(0, -1);
  // Chromium sees hosts only in URLs of these schemes.
  return WITH_HOSTS.has(scheme)
    ? { scheme, host: hostname, port: port === "" ? null : Number(port) }
    : { scheme, host: "", port: null };
}

export function defaultPort(scheme: string): number | null {
  return DEFAULT_PORTS.get(scheme) ?? null;
}

/** The secure scheme that takes the place of an insecure one; null for others. */
function upgraded(scheme: string): string | null {
  return UPGRADES.get(scheme) ?? null;
}

/** What is asked for instead under `upgrade-insecure-requests`: port 443 becomes the scheme's own, others stay. */
export function upgradeOrigin<T extends Pick<Origin, "scheme" | "port">>(target: T): T {
  const scheme = upgraded(target.scheme);
  return scheme === null ? target : { ...target, scheme, port: target.port === 443 ? null : target.port };
}

/** The schemes that `*` stands for, and that `'self'` can match. */
export const NETWORK_SCHEMES: ReadonlySet<string> = new Set(["http", "https", "ws", "wss"]);

const WITH_HOSTS: ReadonlySet<string> = new Set([...NETWORK_SCHEMES, "ftp", "file"]);

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ["http", 80],
  ["https", 443],
  ["ws", 80],
  ["wss", 443],
  ["ftp", 21],
]);

const UPGRADES: ReadonlyMap<string, string> = new Map([
  ["http", "https"],
  ["ws", "wss"],
]);

/** A source that is on the visitor's own machine. Under a scheme of its own a host may be a part of an app. */
export function isOwnMachine(text: string): boolean {
  const source = readSource(text);
  if (source.form !== "host" || !isLoopback(source.host)) return false;
  return source.scheme === null || /^(?:https?|wss?)$/.test(source.scheme);
}
