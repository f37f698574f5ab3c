/** What a source is by CSP3's grammar; `odd` ones match nothing in a browser. */
type SourceForm = "keyword" | "nonce" | "hash" | "scheme" | "host" | "odd";

interface ReadSource {
  readonly form: SourceForm;
  /** How much of the text, from its start, means the same in any letter case. */
  readonly caselessChars: number;
}

export function readSource(text: string): ReadSource {
  for (const [form, grammar] of GRAMMARS) {
    const caseless = grammar.exec(text)?.[1];
    if (caseless !== undefined) return { form, caselessChars: caseless.length };
  }
  return { form: "odd", caselessChars: 0 };
}

const KEYWORDS = [
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

/**
 * The first group is what ignores letter case. Each grammar is anchored and none of its repetitions can take
 * over a character from the one before, so that matching stays linear.
 */
const GRAMMARS: readonly (readonly [SourceForm, RegExp])[] = [
  ["keyword", new RegExp(`^('(?:${KEYWORDS.join("|")})')$`, "i")],
  ["nonce", /^('nonce-)[a-z0-9+/_-]+={0,2}'$/i],
  ["hash", /^('sha(?:256|384|512)-)[a-z0-9+/_-]+={0,2}'$/i],
  ["scheme", /^([a-z][a-z0-9+.-]*:)$/i],
  [
    "host",
    /^((?:[a-z][a-z0-9+.-]*:\/\/)?(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(?:\d+|\*))?)(?:\/[!-~]*)?$/i,
  ],
];
