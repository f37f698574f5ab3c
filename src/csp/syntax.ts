import { requireText } from "../model/arguments.js";
import { rememberedText } from "../model/remembered.js";

/** All policies of a value. A page must satisfy every one of them. */
export interface Csp {
  /** One, unless the value has commas; none when it has no directive. */
  readonly policies: readonly Policy[];
}

/** One policy of a value: what stands between two commas. */
export interface Policy {
  /** In the order written, repeated ones included: `inForce` has those that count. */
  readonly directives: readonly Directive[];
}

/** Offsets are UTF-16 indices into the parsed text; `end` is exclusive. */
export interface Directive {
  /** In lower case. */
  readonly name: string;
  /** The name as its author wrote it, from `start` on. */
  readonly written: string;
  readonly start: number;
  readonly end: number;
  readonly sources: readonly Source[];
}

/** One token of a directive's value. */
export interface Source {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const COMMA = 0x2c;
const SEMICOLON = 0x3b;

/**
 * Reads a value as a browser splits it: commas part policies (the header's grammar, RFC 9110), semicolons part
 * directives, ASCII whitespace parts tokens (CSP3's serialized policy). There is no wrong value here: `check` says
 * what is odd about one. One pass, since fleets have thousands of values.
 */
export function parse(text: string): Csp {
  requireText(text, "A CSP value");
  const policies: Policy[] = [];
  let directives: Directive[] = [];
  let tokens: Source[] = [];
  let tokenStart = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? COMMA : text.charCodeAt(at);
    if (isInToken(code)) {
      if (tokenStart === -1) tokenStart = at;
      continue;
    }
    if (tokenStart !== -1) tokens.push({ text: text.slice(tokenStart, at), start: tokenStart, end: at });
    tokenStart = -1;
    if (code !== SEMICOLON && code !== COMMA) continue;
    directives.push(...directive(tokens));
    tokens = [];
    if (code === SEMICOLON) continue;
    if (directives.length > 0) policies.push({ directives });
    directives = [];
  }
  return { policies };
}

/**
 * The same, read once for each text: a plan asks for the same values in many places. Everybody has the same result, so
 * that nobody may change it; the library's users get their own by `parse`.
 */
export const parsedCsp = rememberedText(parse);

function isInToken(code: number): boolean {
  if (code > SEMICOLON) return true;
  return (
    code !== SEMICOLON && code !== COMMA && code !== 0x20 && (code < 0x09 || code > 0x0d || code === 0x0b)
  );
}

function directive([name, ...sources]: readonly Source[]): readonly Directive[] {
  if (name === undefined) return [];
  const end = sources.at(-1)?.end ?? name.end;
  return [{ name: lowerAscii(name.text), written: name.text, start: name.start, end, sources }];
}

/** `toLowerCase` alone would also turn the Kelvin sign into a k. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}

/** The directives that browsers obey, by name and in the order written: the first of each name. */
export function inForce(policy: Policy): ReadonlyMap<string, Directive> {
  const first = new Map<string, Directive>();
  for (const directive of policy.directives) {
    if (!first.has(directive.name)) first.set(directive.name, directive);
  }
  return first;
}

/**
 * The first character of a directive that makes browsers drop all of it. CSP3 drops one that is not ASCII; Chromium
 * does the same for control characters.
 */
export function invalidCharacter(
  directive: Directive,
  text: string,
): { readonly start: number; readonly character: string } | null {
  const found = INVALID.exec(text.slice(directive.start, directive.end));
  return found === null ? null : { start: directive.start + found.index, character: found[0] };
}

/** Whether browsers drop a directive because of what stands in its value. */
export function isDropped({ sources }: Directive): boolean {
  return sources.some(({ text }) => INVALID.test(text));
}

const INVALID = /[^\t\n\f\r -~]/u;

/**
 * The form that is sent: the author's words in the author's order, on one line. Users of the service see it refuse
 * a value of several lines as an unknown directive.
 */
export const oneLine = rememberedText((text): string => render(parsedCsp(text)));

/** A value that has been read, as a text again. */
export function render({ policies }: Csp): string {
  return policies.map((policy) => policy.directives.map(wordsOf).join("; ")).join(", ");
}

/**
 * The map form of a value, directive → sources, in the order written. Sources are single tokens: one that holds a
 * `;` or a space would become several here.
 */
export function fromMap(map: Readonly<Record<string, readonly string[]>>): string {
  return oneLine(
    Object.entries(map)
      .map(([name, sources]) => [name, ...sources].join(" "))
      .join(";"),
  );
}

function wordsOf(directive: Directive): string {
  return [directive.written, ...directive.sources.map((source) => source.text)].join(" ");
}

/** What a source is by CSP3's grammar, and its parts; `odd` ones match nothing in a browser. */
type ReadSource = SourceParts & {
  /** How much of the text, from its start, means the same in any letter case. */
  readonly caselessChars: number;
};

type SourceParts =
  | { readonly form: "keyword"; readonly keyword: string }
  | { readonly form: "nonce"; readonly nonce: string }
  | { readonly form: "hash" | "url-hash" | "eval-hash"; readonly algorithm: string; readonly digest: string }
  | { readonly form: "scheme"; readonly scheme: string }
  | HostParts
  | { readonly form: "odd" };

/** Everything but the path is in lower case. */
export interface HostParts {
  readonly form: "host";
  readonly scheme: string | null;
  /** `*`, or a name that may start with `*.`. */
  readonly host: string;
  /** Digits, or `*`. */
  readonly port: string | null;
  /** From its `/` on, as written. */
  readonly path: string;
}

/** Read once for each text: each check asks for it. */
export const readSource = rememberedText((text): ReadSource => {
  for (const [grammar, parts] of text.startsWith("'") ? QUOTED : PLAIN) {
    const found = grammar.exec(text);
    if (found !== null) return { ...parts(found), caselessChars: found[1]?.length ?? 0 };
  }
  return { form: "odd", caselessChars: 0 };
});

export const KEYWORDS = [
  "none",
  "self",
  "unsafe-inline",
  "unsafe-eval",
  "unsafe-hashes",
  "strict-dynamic",
  "wasm-unsafe-eval",
  "trusted-types-eval",
  "inline-speculation-rules",
  "unsafe-allow-redirects",
  "report-sample",
  "report-sha256",
  "report-sha384",
  "report-sha512",
];

type Grammar = readonly [RegExp, (found: RegExpExecArray) => SourceParts];

/**
 * The first group is what ignores letter case. Each grammar is anchored and none of its repetitions can take
 * over a character from the one before, so that matching stays linear.
 */
const QUOTED: readonly Grammar[] = [
  [
    new RegExp(`^('(?:${KEYWORDS.join("|")})')$`, "i"),
    ([text]) => ({ form: "keyword", keyword: text.toLowerCase() }),
  ],
  [/^('nonce-)([a-z0-9+/_-]+={0,2})'$/i, ([, , nonce = ""]) => ({ form: "nonce", nonce })],
  [
    /^('sha-?(256|384|512)-)([a-z0-9+/_-]+={0,2})'$/i,
    ([, , bits = "", digest = ""]) => ({ form: "hash", algorithm: `sha${bits}`, digest }),
  ],
  [
    /^('url-sha-?(256|384|512)-)([a-z0-9+/_-]+={0,2})'$/i,
    ([, , bits = "", digest = ""]) => ({ form: "url-hash", algorithm: `sha${bits}`, digest }),
  ],
  [
    /^('eval-sha-?(256|384|512)-)([a-z0-9+/_-]+={0,2})'$/i,
    ([, , bits = "", digest = ""]) => ({ form: "eval-hash", algorithm: `sha${bits}`, digest }),
  ],
];

/**
 * The same value as browsers read it that do not know hashes of URLs and of evaluated text: to them these are sources
 * without a meaning.
 */
export const withoutNewerHashes = rememberedText((csp): string => {
  if (!/'(?:url|eval)-sha/i.test(csp)) return csp;
  const policies = parsedCsp(csp).policies.map(({ directives }) => ({
    directives: directives.map((each) => ({
      ...each,
      sources: each.sources.filter(({ text }) => !isNewerHash(text)),
    })),
  }));
  return render({ policies });
});

function isNewerHash(text: string): boolean {
  const { form } = readSource(text);
  return form === "url-hash" || form === "eval-hash";
}

const PLAIN: readonly Grammar[] = [
  [/^(([a-z][a-z0-9+.-]*):)$/i, ([, , scheme = ""]) => ({ form: "scheme", scheme: scheme.toLowerCase() })],
  [
    /^((?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(\d+|\*))?)(\/[!-~]*)?$/i,
    ([, , scheme, host = "", port, path = ""]) => ({
      form: "host",
      scheme: scheme?.toLowerCase() ?? null,
      host: host.toLowerCase(),
      port: port ?? null,
      path,
    }),
  ],
];

/**
 * A source's hash as browsers compare it: algorithm and bytes, however its base64 is spelt (with `-` and `_`, without
 * padding). Null where it is not base64, as with more padding than its length asks for.
 */
export function hashKey(algorithm: string, digest: string): string | null {
  return excessPadding(digest) > 0 ? null : bytesKey(algorithm, digest);
}

/** How many `=` at the end are too many. */
export function excessPadding(digest: string): number {
  const chars = unpadded(digest).length;
  return Math.max(0, digest.length - 4 * Math.ceil(chars / 4));
}

function bytesKey(algorithm: string, digest: string): string | null {
  const standard = unpadded(digest).replaceAll("-", "+").replaceAll("_", "/");
  return standard.length % 4 === 1 ? null : `${algorithm}-${atob(standard)}`;
}

function unpadded(digest: string): string {
  return digest.replace(/=+$/, "");
}

/**
 * The hashes that an `integrity` attribute asks for. A browser skips what is no hash; one that cannot be decoded
 * is kept as null, and no policy lists it. So is what asks for no hash that a file can have: it is never loaded. Here padding does not count, however much of it there is.
 */
export function integrityHashes(integrity: string): readonly (string | null)[] {
  const asked = integrity.split(/[\t\n\f\r ]+/).flatMap((token) => {
    const [, bits, digest] = /^sha-?(256|384|512)-([a-zA-Z0-9+/_-]+)=*(?:\?[!-~]*)?$/.exec(token) ?? [];
    return bits === undefined || digest === undefined ? [] : [bytesKey(`sha${bits}`, digest)];
  });
  const mayLoad = asked.some((key) => key !== null && isOfWholeLength(key));
  return mayLoad ? asked : asked.map(() => null);
}

/** A hash that is too short or too long is nobody's. */
export function isOfWholeLength(key: string): boolean {
  const [algorithm = ""] = /^[^-]*/.exec(key) ?? [];
  return key.length === algorithm.length + 1 + (DIGEST_BYTES.get(algorithm) ?? 0);
}

export const DIGEST_BYTES: ReadonlyMap<string, number> = new Map([
  ["sha256", 32],
  ["sha384", 48],
  ["sha512", 64],
]);
