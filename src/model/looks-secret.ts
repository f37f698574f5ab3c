import { isCredentialName } from "./credential-names.js";
import type { Json } from "./json.js";

type Range = readonly [start: number, end: number];

/**
 * Text ranges that look like a secret. In a URL: the user, and parts after the host. In a URL that is not of the web,
 * all but the scheme, as its host may be the user's bucket. Also values under names of credentials.
 */
export function secretByLook(text: string): readonly Range[] {
  return [...urls(text), ...byName(text), ...byHeader(text)];
}

const URL = /\b([a-z][a-z0-9+.-]*):(?:\\*\/){2}([\w:[{%$][^\s"'<>]*)/dgi;

function urls(text: string): readonly Range[] {
  return [...text.matchAll(URL)].flatMap(({ 1: scheme = "", 2: rest = "", indices }) => {
    const [start, end] = indices?.[2] ?? [0, 0];
    if (!/^(https?|wss?)$/i.test(scheme)) return [[start, end]];
    const authority = /^[^\\/?#]*/.exec(rest)?.[0] ?? "";
    const user = authority.lastIndexOf("@") + 1;
    const after = start + authority.length;
    if (user > 0 || rest.includes("?"))
      return [...(user > 0 ? [range(start, start + user)] : []), range(after, end)];
    const segments = rest.slice(authority.length).matchAll(/[^\\/#]+/g);
    return [...segments].flatMap(({ 0: segment, index }) =>
      RANDOM.test(segment.replace(/[^\w=]+$/, ""))
        ? [range(after + index, after + index + segment.length)]
        : [],
    );
  });
}

/** A random path segment: some destinations carry their key there. */
const RANDOM = /^(?=[^\d]*\d)(?=[^a-z]*[a-z])[\w=+~.%-]{16,}$/i;

function range(start: number, end: number): Range {
  return [start, end];
}

/** `name=value`, also outside of URLs; `"name": "value"`; and header lines. */
const NAMED: readonly RegExp[] = [
  /(?<![\w.%~-])([\w.%~-]+)=([^\s&"'<>,;]+)/dg,
  /["']([\w.-]+)["']\s*:\s*["']([^"'\r\n]+)/dg,
  /\b((?:proxy-)?authorization|x-auth-\w+|(?:set-)?cookie|destination_conf|ownership_challenge)["']?\s*:\s*["']?([^"'<>\r\n;,]+)/dgi,
];

function byName(text: string): readonly Range[] {
  return NAMED.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 1: name = "", indices }) => {
      const value = indices?.[2];
      return value !== undefined && (isCredentialName(name, "parameter") || pattern === NAMED[2])
        ? [value]
        : [];
    }),
  );
}

/** A credential in a header. A sentence about one would have words there. */
const PRESENTED = /\b(?:bearer|basic)\s+((?=\S*\d|\S{20})[\w.~+/=-]{6,})/dgi;

function byHeader(text: string): readonly Range[] {
  return [...text.matchAll(PRESENTED)].flatMap(({ indices }) => (indices?.[1] ? [indices[1]] : []));
}

/** Whether a URL contains a key or password, as a parameter or before its host. */
export function hasCredential(url: string): boolean {
  const parameters = url.matchAll(/[?&]([^=&]+)=[^&]/g);
  return (
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:[^/?#@]+@/i.test(url) ||
    [...parameters].some(([, name = ""]) => isCredentialName(name, "parameter"))
  );
}

/** Some runs are bounded, as a crafted text may have very many starts of one. */
const CREDENTIALS: readonly RegExp[] = [
  // `https://user:word@proxy.example`, `//user@proxy.example`, `postgres://user:wo/rd@db.example`.
  /(?:^|[^\w/\\])[/\\]{2}[^\s/\\?#]+@/,
  /:[/\\]{2}[^\s/\\?#:@]*:(?!\d*(?:[/\\?#\s,;'"]|$))[^\s@]{0,200}@/,
  // `user:word@proxy.example:3128`, but no mail address and no image by its digest.
  /(?:^|[\s,;])(?!mailto:)[^\s:@/,;]+:[^\s@/,;]+@(?!sha256:)[^\s@]/,
  // A JSON Web Token, a key or certificate in PEM, docker's login for a registry.
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/,
  /-----BEGIN [A-Z0-9 ]+-----/,
  /"auths?"\s*:/,
  // Keys and tokens of widely used services, by their prefixes.
  /\b(?:gh[oprsu]_|github_pat_|glpat-|npm_|hf_|hvs\.|xox[abeoprs]-|[rs]k_(?:live|test)_|SG\.|dop_v1_)[\w.-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b|\bAIza[\w-]{30,}|\bAccountKey=|\bhooks\.slack\.com\/services\//,
];

/** Whether a text is or contains something that looks like a credential. */
export function hasCredentialByLook(text: string): boolean {
  return CREDENTIALS.some((each) => each.test(text)) || [...byName(text), ...byHeader(text)].length > 0;
}

/** Shorter texts may be common words. */
const MIN_SECRET_CHARS = 16;

/** The secrets that a text contains, plain or as JSON spells them. */
export function secretsIn(text: string, secrets: Iterable<Json>): readonly string[] {
  return [...secrets].filter((secret): secret is string => {
    if (typeof secret !== "string" || secret.length < MIN_SECRET_CHARS) return false;
    return text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
  });
}
