import type { Load } from "./attempt.js";
import type { SourceList } from "./compile.js";
import {
  matchesHost,
  matchesPath,
  matchesSchemeAndPort,
  schemeMatch,
  type Target,
  type UrlSource,
} from "./match-source.js";
import { defaultPort, type Origin } from "./origin.js";

/** What nearly allowed a load that is refused, as sentences; a few at most. */
export function nearMisses(
  list: SourceList,
  load: Load,
  target: Target,
  afterRedirect: boolean,
): readonly string[] {
  const notes = load.kind === "script" ? trustNotes(list, load) : [];
  const isVoid = load.kind === "script" && list.keywords.has("'strict-dynamic'");
  if (isVoid) return notes;
  if (list.self !== null && load.page === null)
    notes.push("'self' matches nothing, as the page has no origin.");
  if (list.self !== null && load.page?.host === target.host && target.host !== "") {
    notes.push("'self' differs in scheme or port.");
  }
  for (const source of list.urls) {
    if (notes.length >= MOST) break;
    const miss = nearMiss(source, load.page, target, afterRedirect);
    if (miss !== null) notes.push(`${source.written.text} ${miss}.`);
  }
  return notes;
}

const MOST = 3;

function trustNotes(list: SourceList, { nonce, hashes }: Load): string[] {
  return [
    ...(nonce !== null && list.nonces.size > 0 ? ["Its nonce is not among the directive's nonces."] : []),
    ...(hashes.length > 0 && list.hashes.size > 0
      ? ["The directive does not list every hash of its integrity attribute."]
      : []),
  ];
}

function nearMiss(
  source: UrlSource,
  page: Origin | null,
  target: Target,
  afterRedirect: boolean,
): string | null {
  const pageScheme = page?.scheme ?? null;
  if (source.host === null) {
    const isSocket = target.scheme === "ws" || target.scheme === "wss";
    return isSocket && source.scheme?.startsWith("http")
      ? `does not match ${target.scheme}:, which is a scheme of its own`
      : null;
  }
  const differs = {
    host: !matchesHost(source.host, target.host),
    origin: !matchesSchemeAndPort(source, pageScheme, target),
    path: !afterRedirect && !matchesPath(source.path, target.path),
  };
  if (differs.host) return differs.origin || differs.path ? null : hostMiss(source, target);
  if (source.host.match === "any" && source.path === "" && differs.origin)
    return originMiss(source, pageScheme, target);
  if (differs.origin && differs.path) return null;
  return differs.origin ? originMiss(source, pageScheme, target) : pathMiss(source);
}

function hostMiss({ host }: UrlSource, target: Target): string | null {
  if (host === null) return null;
  if (host.match === "subdomains" && host.text === `.${target.host}`) {
    return `matches only what stands before that host, not ${target.host} itself`;
  }
  if (host.match === "exact" && target.host.endsWith(`.${host.text}`)) return "does not match its subdomains";
  const isDotted = host.text === `${target.host}.` || target.host === `${host.text}.`;
  return host.match === "exact" && isDotted ? "is another host: one of them ends in a dot" : null;
}

function originMiss(source: UrlSource, pageScheme: string | null, target: Target): string {
  const scheme = source.scheme ?? pageScheme;
  if (scheme === null) return "has no scheme, and the page has none to give it";
  if (schemeMatch(scheme, target.scheme) === "no") return `is for ${scheme}: and not for ${target.scheme}:`;
  const port = source.port ?? defaultPort(scheme);
  return `is for port ${port}, and the URL has ${target.port ?? defaultPort(target.scheme)}`;
}

function pathMiss({ path }: UrlSource): string {
  return path.endsWith("/") ? `is for paths below ${path}` : `is for the path ${path} alone`;
}
