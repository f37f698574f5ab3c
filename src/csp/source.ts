/** What a source is by CSP3's grammar, and its parts; `odd` ones match nothing in a browser. */
type ReadSource = SourceParts & {
  /** How much of the text, from its start, means the same in any letter case. */
  readonly caselessChars: number;
};

type SourceParts =
  | { readonly form: "keyword"; readonly keyword: string }
  | { readonly form: "nonce"; readonly nonce: string }
  | { readonly form: "hash"; readonly algorithm: string; readonly digest: string }
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

export function readSource(text: string): ReadSource {
  for (const [grammar, parts] of text.startsWith("'") ? QUOTED : PLAIN) {
    const found = grammar.exec(text);
    if (found !== null) return { ...parts(found), caselessChars: found[1]?.length ?? 0 };
  }
  return { form: "odd", caselessChars: 0 };
}

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
];

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
