import { fc } from "../support/random.js";

/** Inline content of a page, which has no URL. */
export interface Inline {
  readonly type: keyof typeof DIRECTIVES;
  /** The hash of the content, as a CSP source. */
  readonly hash: string;
  readonly nonce: string;
  readonly inserted: boolean;
}

/** Where CSP3 and Chromium differ, which of them to follow. */
export type Reading = "CSP3" | "Chromium";

/** Whether inline content runs, by CSP3's "Does element match source list for type and source?". */
export function runs(csp: string, inline: Inline, reading: Reading): boolean {
  const all = policies(csp);
  const isRequired = all.some((directives) => directives.has(REQUIRING));
  if (inline.type === "trusted eval of a page without other values")
    return runs(csp, { ...inline, type: isRequired ? "trusted eval" : "eval" }, reading);
  return all.every((directives) => {
    const name = DIRECTIVES[inline.type].find((each) => directives.has(each));
    return name === undefined || matches(directives.get(name) ?? [], name, inline, reading);
  });
}

const REQUIRING = "require-trusted-types-for";

/** The directives of each policy. The first of equal directives wins. Values must be well-formed. */
export function policies(csp: string): ReadonlyMap<string, readonly string[]>[] {
  return csp.split(",").map((policy) => {
    const directives = policy.split(";").map((directive) => directive.trim().split(/ +/));
    return new Map(directives.reverse().map(([name = "", ...sources]) => [name, sources]));
  });
}

function matches(list: readonly string[], name: string, inline: Inline, reading: Reading): boolean {
  const { type, hash, nonce, inserted } = inline;
  if (type === "eval") return list.includes("'unsafe-eval'");
  if (type === "WebAssembly")
    return ["'unsafe-eval'", "'wasm-unsafe-eval'"].some((each) => list.includes(each));
  if (type === "trusted eval") {
    return ["'unsafe-eval'", "'trusted-types-eval'"].some((each) => list.includes(each));
  }
  if (allowsAll(list, name, type, reading)) return true;
  const isElement = type === "script" || type === "style" || type === "speculation rules";
  if (isElement && list.includes(`'nonce-${nonce}'`)) return true;
  if (!isElement && !list.includes("'unsafe-hashes'")) return false;
  return list.includes(`'${hash}'`) || (type === "script" && inserted && list.includes("'strict-dynamic'"));
}

function allowsAll(list: readonly string[], name: string, type: Inline["type"], reading: Reading): boolean {
  if (list.some((source) => /^'(?:nonce|sha)/.test(source))) return false;
  const isForScripts = reading === "CSP3" ? !type.startsWith("style") : !name.startsWith("style");
  if (isForScripts && list.includes("'strict-dynamic'")) return false;
  const isNamed = type === "speculation rules" && list.includes("'inline-speculation-rules'");
  return isNamed || list.includes("'unsafe-inline'");
}

const DIRECTIVES = {
  script: ["script-src-elem", "script-src", "default-src"],
  "javascript: URL": ["script-src-elem", "script-src", "default-src"],
  "speculation rules": ["script-src-elem", "script-src", "default-src"],
  "event handler": ["script-src-attr", "script-src", "default-src"],
  style: ["style-src-elem", "style-src", "default-src"],
  "style attribute": ["style-src-attr", "style-src", "default-src"],
  eval: ["script-src", "default-src"],
  WebAssembly: ["script-src", "default-src"],
  "trusted eval": ["script-src", "default-src"],
  "trusted eval of a page without other values": ["script-src", "default-src"],
} as const;

/** Placeholder hashes. The last one is too short to match anything. */
export const DIGESTS = {
  a: `sha256-${"A".repeat(43)}=`,
  b: `sha384-${"B".repeat(64)}`,
  short: "sha256-AAAA",
} as const;

const types = Object.keys(DIRECTIVES) as Inline["type"][]; // DIRECTIVES is a constant, so it has no other keys.

export const allInline: readonly Inline[] = types.flatMap((type) =>
  [DIGESTS.a, DIGESTS.b].flatMap((hash) =>
    ["", "abc", "def"].flatMap((nonce) =>
      [false, true].map((inserted): Inline => ({ type, hash, nonce, inserted })),
    ),
  ),
);

const names = [
  "script-src",
  "script-src-elem",
  "script-src-attr",
  "default-src",
  "style-src",
  "style-src-attr",
];

const words = [
  ...[
    "'unsafe-inline'",
    "'unsafe-inline'",
    "'unsafe-hashes'",
    "'strict-dynamic'",
    "'nonce-abc'",
    "'nonce-def'",
  ],
  ...["'unsafe-eval'", "'wasm-unsafe-eval'", "'trusted-types-eval'", "'inline-speculation-rules'"],
  ...Object.values(DIGESTS).map((digest) => `'${digest}'`),
];

const policy = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.subarray(words, { maxLength: 4 })), {
    minLength: 1,
    maxLength: 3,
    selector: ([name]) => name,
  })
  .chain((directives) => {
    const csp = directives.map((directive) => directive.flat().join(" ")).join("; ");
    return fc.constantFrom(csp, csp, csp, `${csp}; ${REQUIRING} 'script'`);
  });

/** Two values that differ in keywords for inline content: in one directive, or completely. */
export const inlineValues: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(policy, policy),
  fc.tuple(policy, policy, policy).map(([a, b, c]): [string, string] => [a, `${b}, ${c}`]),
  policy.map((csp): [string, string] => [csp, `${csp}; ${REQUIRING} 'script'`]),
  fc
    .tuple(policy, fc.constantFrom(...names), fc.subarray(words), fc.subarray(words))
    .map(([rest, name, more, less]): [string, string] => [
      `${[name, ...more, ...less].join(" ")}; ${rest}`,
      `${[name, ...less].join(" ")}; ${rest}`,
    ]),
);
