import { readSource } from "../source.js";

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
export function upgraded(scheme: string): string | null {
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

/** A host that is always the visitor's own machine. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(host);
}
