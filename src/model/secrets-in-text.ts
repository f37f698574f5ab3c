import { isCredentialName } from "./credential-names.js";
import type { Json } from "./json.js";

type Range = readonly [start: number, end: number];

/**
 * What looks like a secret in a text, whoever says it: the service may speak of an object that nobody has read. Of a
 * URL, who logs in and what stands after the host; of one that is not of the web all but the scheme, since its host is
 * somebody's bucket; and what stands under a name that promises a secret.
 */
export function secretByLook(text: string): readonly Range[] {
  return [...urls(text), ...named(text), ...presented(text)];
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

/** A random segment of a path: some destinations have their key there. */
const RANDOM = /^(?=[^\d]*\d)(?=[^a-z]*[a-z])[\w=+~.%-]{16,}$/i;

function range(start: number, end: number): Range {
  return [start, end];
}

/** `name=value`, also without the form of a URL; `"name": "value"`; and as a header has it, which names with a colon. */
const NAMED: readonly RegExp[] = [
  /(?<![\w.%~-])([\w.%~-]+)=([^\s&"'<>,;]+)/dg,
  /["']([\w.-]+)["']\s*:\s*["']([^"'\r\n]+)/dg,
  /\b((?:proxy-)?authorization|x-auth-\w+|(?:set-)?cookie|destination_conf|ownership_challenge)["']?\s*:\s*["']?([^"'<>\r\n;,]+)/dgi,
];

function named(text: string): readonly Range[] {
  return NAMED.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 1: name = "", indices }) => {
      const value = indices?.[2];
      return value !== undefined && (isCredentialName(name, "parameter") || pattern === NAMED[2])
        ? [value]
        : [];
    }),
  );
}

/** As a header presents a credential; a sentence about it has words there. */
const PRESENTED = /\b(?:bearer|basic)\s+((?=\S*\d|\S{20})[\w.~+/=-]{6,})/dgi;

function presented(text: string): readonly Range[] {
  return [...text.matchAll(PRESENTED)].flatMap(({ indices }) => (indices?.[1] ? [indices[1]] : []));
}

/** Whether a URL has a key or a password written in it: as a parameter with such a name, or before its host. */
export function hasCredential(url: string): boolean {
  const parameters = url.matchAll(/[?&]([^=&]+)=[^&]/g);
  return (
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:[^/?#@]+@/i.test(url) ||
    [...parameters].some(([, name = ""]) => isCredentialName(name, "parameter"))
  );
}

/** Of these, some runs of characters are bounded: a text may be made to have very many beginnings of one. */
const CREDENTIALS: readonly RegExp[] = [
  // `https://user:word@proxy.example`, `//user@proxy.example`, `postgres://user:wo/rd@db.example`.
  /(?:^|[^\w/\\])[/\\]{2}[^\s/\\?#]+@/,
  /:[/\\]{2}[^\s/\\?#:@]*:(?!\d*(?:[/\\?#\s,;'"]|$))[^\s@]{0,200}@/,
  // `user:word@proxy.example:3128`, and no address of mail and no image by its digest.
  /(?:^|[\s,;])(?!mailto:)[^\s:@/,;]+:[^\s@/,;]+@(?!sha256:)[^\s@]/,
  // A JSON Web Token, a key or certificate in PEM, what docker keeps of a registry.
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/,
  /-----BEGIN [A-Z0-9 ]+-----/,
  /"auths?"\s*:/,
  // Keys and tokens of widely used services, by how they begin.
  /\b(?:gh[oprsu]_|github_pat_|glpat-|npm_|hf_|hvs\.|xox[abeoprs]-|[rs]k_(?:live|test)_|SG\.|dop_v1_)[\w.-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b|\bAIza[\w-]{30,}|\bAccountKey=|\bhooks\.slack\.com\/services\//,
];

/** Whether a text is a credential by its look, or has one in it. */
export function hasCredentialByLook(text: string): boolean {
  return CREDENTIALS.some((each) => each.test(text)) || [...named(text), ...presented(text)].length > 0;
}

/** Shorter texts are words that any object may have. */
const MIN_SECRET_CHARS = 16;

/** The secrets that stand in a text, as they are or as JSON spells them. */
export function secretsIn(text: string, secrets: Iterable<Json>): readonly string[] {
  return [...secrets].filter((secret): secret is string => {
    if (typeof secret !== "string" || secret.length < MIN_SECRET_CHARS) return false;
    return text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
  });
}
