import type { HostParts } from "../source.js";
import { defaultPort, NETWORK_SCHEMES, type Origin, upgraded } from "./origin.js";

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
