import { requireText } from "../model/arguments.js";
import { rememberedText } from "../model/remembered.js";

/** All policies of a value. A page must satisfy every one of them. */
export interface Csp {
  /** Several if the value has commas. None if it has no directive. */
  readonly policies: readonly Policy[];
}

/** One policy of a value: the text between two commas. */
export interface Policy {
  /** In the order written, including repeated ones. `inForce` returns those that count. */
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

/**
 * Splits a value into policies, directives and tokens, as a browser does. Policies end at commas (the header grammar of
 * RFC 9110), directives at semicolons, tokens at ASCII whitespace. No value is wrong here: `check` finds mistakes. It is a
 * single pass, because fleets have thousands of values.
 */
export function parse(text: string): Csp {
  requireText(text, "A CSP value");
  const policies: Policy[] = [];
  let directives: Directive[] = [];
  let tokens: Source[] = [];
  for (const { 0: token, index: start } of `${text},`.matchAll(/[^\t\n\f\r ,;]+|[,;]/g)) {
    if (token !== "," && token !== ";") {
      tokens.push({ text: token, start, end: start + token.length });
      continue;
    }
    directives.push(...directive(tokens));
    tokens = [];
    if (token === ";") continue;
    if (directives.length > 0) policies.push({ directives });
    directives = [];
  }
  return { policies };
}

/**
 * The parsed value, cached by text, because a plan asks for the same values in many places. The result is shared, so
 * callers must not change it. Users of the library get their own from `parse`.
 */
export const parsedCsp = rememberedText(parse);

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
 * The first character of a directive that makes browsers drop the directive. CSP3 drops one with non-ASCII characters;
 * Chromium also drops one with control characters.
 */
export function invalidCharacter(
  directive: Directive,
  text: string,
): { readonly start: number; readonly character: string } | null {
  const match = INVALID.exec(text.slice(directive.start, directive.end));
  return match === null ? null : { start: directive.start + match.index, character: match[0] };
}

/** Whether browsers drop a directive because of an invalid character in its value. */
export function isDropped({ sources }: Directive): boolean {
  return sources.some(({ text }) => INVALID.test(text));
}

const INVALID = /[^\t\n\f\r -~]/u;

/**
 * The form to send: the author's words in the author's order, on one line. The service refuses a value of several lines
 * as an unknown directive, as its users report.
 */
export const oneLine = rememberedText((text): string => render(parsedCsp(text)));

/** A parsed value as a text again. */
function render({ policies }: Csp): string {
  return policies.map((policy) => policy.directives.map(wordsOf).join("; ")).join(", ");
}

/** The value with each directive replaced, in one spelling. */
export function rewritten(csp: string, change: (directive: Directive) => readonly Directive[]): string {
  const policies = parsedCsp(csp).policies;
  return render({ policies: policies.map(({ directives }) => ({ directives: directives.flatMap(change) })) });
}

export function withoutSources(csp: string, isOut: (source: string) => boolean): string {
  return rewritten(csp, (directive) => [
    { ...directive, sources: directive.sources.filter(({ text }) => !isOut(text)) },
  ]);
}

/**
 * The value for a map of directive → sources, in the order written. Each source has to be a single token: a `;` or
 * space would split it.
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

/** The form of a source by CSP3's grammar, and its parts. An `odd` source matches nothing in a browser. */
type ReadSource = SourceParts & {
  /** The length of the case-insensitive start of the text. */
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

/** Cached by text, because every check asks for it. */
export const readSource = rememberedText((text): ReadSource => {
  for (const [grammar, parts] of text.startsWith("'") ? QUOTED : PLAIN) {
    const match = grammar.exec(text);
    if (match !== null) return { ...parts(match), caselessChars: match[1]?.length ?? 0 };
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
 * The first group is case-insensitive. Each grammar is anchored, and no repetition can take a character from the one
 * before, so matching stays linear.
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
 * The value as seen by browsers without support for hashes of URLs and of evaluated text. To them, such sources have no
 * meaning.
 */
export const withoutNewerHashes = rememberedText((csp): string => {
  if (!/'(?:url|eval)-sha/i.test(csp)) return csp;
  return withoutSources(csp, isNewerHash);
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
 * A hash as browsers compare it: algorithm and bytes, whatever its base64 spelling (`-` and `_`, no padding). Null:
 * invalid base64, or more padding than its length needs.
 */
export function hashKey(algorithm: string, digest: string): string | null {
  return excessPadding(digest) > 0 ? null : bytesKey(algorithm, digest);
}

/** The number of superfluous `=` at the end. */
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
 * The hashes of an `integrity` attribute. A browser skips tokens that are no hash. An undecodable hash is null, and no
 * policy lists it. If no hash has a possible length, all are null, because the file is never loaded. Padding does not
 * count here.
 */
export function integrityHashes(integrity: string): readonly (string | null)[] {
  const hashes = integrity.split(/[\t\n\f\r ]+/).flatMap((token) => {
    const [, bits, digest] = /^sha-?(256|384|512)-([a-zA-Z0-9+/_-]+)=*(?:\?[!-~]*)?$/.exec(token) ?? [];
    return bits === undefined || digest === undefined ? [] : [bytesKey(`sha${bits}`, digest)];
  });
  const mayLoad = hashes.some((key) => key !== null && isOfWholeLength(key));
  return mayLoad ? hashes : hashes.map(() => null);
}

/** A hash that is too short or too long matches no file. */
export function isOfWholeLength(key: string): boolean {
  const [algorithm = ""] = /^[^-]*/.exec(key) ?? [];
  return key.length === algorithm.length + 1 + (DIGEST_BYTES.get(algorithm) ?? 0);
}

export const DIGEST_BYTES: ReadonlyMap<string, number> = new Map([
  ["sha256", 32],
  ["sha384", 48],
  ["sha512", 64],
]);
