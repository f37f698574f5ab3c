import { isUtf8 } from "node:buffer";
import { isLoopback } from "../../model/url.js";
import { type HostParts, readSource } from "../syntax.js";

/** A scheme source or host source, ready for comparison. */
export interface UrlSource {
  /** Null: the scheme of the page. */
  readonly scheme: string | null;
  /** Null: the source is only a scheme. */
  readonly host: HostPattern | null;
  readonly port: number | "*" | null;
  /** Decoded, without query and fragment. Empty: any path. */
  readonly path: string;
}

export interface HostPattern {
  readonly match: "any" | "subdomains" | "exact";
  /** For subdomains, the suffix with its leading dot. */
  readonly text: string;
}

/** The URL of a load, in the parts that sources compare. */
export interface Target extends Origin {
  readonly path: string;
}

/** A host source as browsers accept it. Null: browsers refuse it. */
export function hostSource({ scheme, host, port, path }: HostParts): UrlSource | null {
  if (host.includes("_")) return null; // Chromium keeps to CSP3's grammar, which has no underscore
  return {
    scheme,
    host: hostPattern(host),
    port: port === null || port === "*" ? port : Number(port),
    path: decodePath(/^[^?#]*/.exec(path)?.[0] ?? ""),
  };
}

/** @param pageScheme null: the page has no scheme to give to sources */
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
 * A URL may be more secure than its source (http → https) only if scheme and port both allow it: the default port of
 * one for the default port of the other, or any port.
 */
export function matchesSchemeAndPort(
  source: UrlSource,
  pageScheme: string | null,
  { scheme, port }: Origin,
): boolean {
  const sourceScheme = source.scheme ?? pageScheme;
  const schemes = schemeMatch(sourceScheme, scheme);
  const ports = schemes === "no" ? "no" : portMatch(source.port, sourceScheme, scheme, port);
  if (schemes === "upgrade") return ports === "upgrade" || ports === "any";
  return ports === "exact" || ports === "any";
}

export function matchesPath(pattern: string, path: string): boolean {
  if (pattern === "" || (pattern === "/" && path === "")) return true;
  return pattern.endsWith("/") ? path.startsWith(pattern) : path === pattern;
}

/** Whether `'self'` on this page matches: its own origin, or the same host over a more secure scheme or a WebSocket. */
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
  return source !== null && secureScheme(source) === scheme ? "upgrade" : "no";
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
 * A path as browsers compare it: fully percent-decoded, including `%2F`. Invalid UTF-8 is decoded byte by byte, so
 * `%E9` equals `%C3%A9`. An invalid escape stays as written.
 */
export function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString() : bytes;
}

/** The origin of a page or URL, in the parts that sources compare. */
export interface Origin {
  /** Without its colon. */
  readonly scheme: string;
  /** In lower case and punycode. Empty: the scheme has no hosts. */
  readonly host: string;
  /** Null: the scheme's default port. */
  readonly port: number | null;
}

export function originOf({ protocol, hostname, port }: URL): Origin {
  const scheme = protocol.slice(0, -1);
  // Chromium recognises hosts only in URLs of these schemes.
  return WITH_HOSTS.has(scheme)
    ? { scheme, host: hostname, port: port === "" ? null : Number(port) }
    : { scheme, host: "", port: null };
}

export function defaultPort(scheme: string): number | null {
  return DEFAULT_PORTS.get(scheme) ?? null;
}

/** The secure scheme that replaces an insecure one. Null: none does. */
function secureScheme(scheme: string): string | null {
  return UPGRADES.get(scheme) ?? null;
}

/** The request under `upgrade-insecure-requests`: port 443 becomes the default port, other ports stay. */
export function upgradeOrigin<T extends Pick<Origin, "scheme" | "port">>(target: T): T {
  const scheme = secureScheme(target.scheme);
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

/** A source on the visitor's own machine. Under a custom scheme, a host may be part of an app. */
export function isOwnMachine(text: string): boolean {
  const source = readSource(text);
  if (source.form !== "host" || !isLoopback(source.host)) return false;
  return source.scheme === null || /^(?:https?|wss?)$/.test(source.scheme);
}
