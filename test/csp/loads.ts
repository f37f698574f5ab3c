import type { Attempt } from "../../src/csp/match/allows.js";
import { fc } from "../support/random.js";

/** A placeholder hash. */
function digest(char: string): string {
  return `sha256-${char.repeat(43)}=`;
}

const sources = [
  ...["'self'", "*", "https:", "http:", "wss:", "ws:", "data:", "blob:", "'none'"],
  ...["'unsafe-inline'", "'unsafe-eval'", "'strict-dynamic'", "'unsafe-hashes'"],
  ...["'nonce-abc'", "'nonce-def'", `'${digest("A")}'`, `'${digest("B")}'`, "'sha256-AAAA'"],
  ...["cdn.example", "a.cdn.example", "*.cdn.example", "*.example", "page.example", "shop.example."],
  ...[
    "https://cdn.example",
    "http://cdn.example",
    "wss://cdn.example",
    "ws://cdn.example",
    "https://*",
    "*:*",
  ],
  ...["cdn.example:443", "cdn.example:80", "cdn.example:8443", "cdn.example:*", "http://cdn.example:8443"],
  ...[
    "cdn.example/js/",
    "cdn.example/js/a.js",
    "cdn.example/js",
    "cdn.example/",
    "https://cdn.example/js/?x",
  ],
  ...["cdn_x.example", "ü.example", "[::1]", "127.0.0.1", "https://*:*/js/", "data://*"],
];

const names = [
  ...["script-src", "script-src", "default-src", "connect-src", "script-src-elem", "img-src", "style-src"],
  ...["worker-src", "frame-ancestors", "sandbox", "upgrade-insecure-requests", "foo-src"],
];

const directive = fc
  .tuple(fc.constantFrom(...names), fc.array(fc.constantFrom(...sources), { maxLength: 4 }))
  .map((words) => words.flat().join(" "));

/** A random value whose sources often match those of other such values, and the URLs of the loads below. */
export const collidingValue: fc.Arbitrary<string> = fc
  .array(fc.array(directive, { minLength: 1, maxLength: 3 }), { maxLength: 2 })
  .map((policies) => policies.map((each) => each.join("; ")).join(", "));

/** Two random values. The second often has only a part of the first one's sources. */
export const relatedValues: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(collidingValue, collidingValue),
  fc
    .tuple(
      fc.constantFrom(...names),
      fc.array(fc.constantFrom(...sources), { maxLength: 3 }),
      fc.array(fc.constantFrom(...sources), { maxLength: 3 }),
    )
    .map(([name, these, others]): [string, string] => [
      [name, ...these, ...others].join(" "),
      [name, ...others].join(" "),
    ]),
);

const urls = ["https", "http", "wss", "ws"].flatMap((scheme) =>
  [
    ...[
      "cdn.example",
      "a.cdn.example",
      "page.example",
      "other.test",
      "shop.example.",
      "127.0.0.1",
      "cdn_x.example",
    ],
    ...["cdn.example:80", "cdn.example:443", "cdn.example:8443", "page.example:8443"],
  ].flatMap((host) => ["/", "/js", "/js/a.js", "/js/b.js"].map((path) => `${scheme}://${host}${path}`)),
);

const url = fc.constantFrom(
  ...urls,
  ...urls,
  "data:text/javascript,1",
  "blob:https://page.example/0",
  "/js/a.js",
);

/** A random load of a page of a web server. */
export const anyLoad: fc.Arbitrary<Omit<Attempt, "csp">> = fc.record(
  {
    page: fc.constantFrom("https://page.example/", "http://page.example/", "https://page.example:8443/x"),
    kind: fc.constantFrom("script" as const, "connection" as const),
    url,
    redirectedTo: url,
    nonce: fc.constantFrom("abc", "def", ""),
    integrity: fc.constantFrom(
      digest("A"),
      `${digest("A")} ${digest("B")}`,
      `sha256-AAAA ${digest("A")}`,
      "sha256-AAAA",
      "none",
    ),
    inserted: fc.constantFrom("parser" as const, "script" as const),
    api: fc.constantFrom("fetch" as const, "xhr" as const),
  },
  { requiredKeys: ["page", "kind", "url"] },
);
