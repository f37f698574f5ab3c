import { fc } from "../support/random.js";

/** One token of a CSP value: the part that ignores letter case, then the part that does not. */
interface Token {
  readonly caseless: string;
  readonly exact: string;
}

export type Directives = readonly { readonly name: string; readonly sources: readonly Token[] }[];

const tokens: readonly Token[] = [
  { caseless: "'self'", exact: "" },
  { caseless: "'unsafe-inline'", exact: "" },
  { caseless: "'none'", exact: "" },
  { caseless: "'nonce-", exact: "AbC'" },
  { caseless: "'sha256-", exact: "AbC='" },
  { caseless: "'sha256-", exact: "aBc='" },
  { caseless: "https:", exact: "" },
  { caseless: "*", exact: "" },
  { caseless: "https://cdn.example", exact: "/App.js" },
  { caseless: "https://cdn.example", exact: "/app.js" },
  { caseless: "cdn.example:443", exact: "/Path/" },
  { caseless: "*.example.com", exact: "" },
  { caseless: "", exact: "h?Query" },
];

const names = ["default-src", "script-src", "img-src", "frame-ancestors", "upgrade-insecure-requests"];

/** Random directives with different names. */
export const directives: fc.Arbitrary<Directives> = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...names),
    sources: fc.array(fc.constantFrom(...tokens), { maxLength: 4 }),
  }),
  { selector: (directive) => directive.name, maxLength: 4 },
);

/**
 * A random spelling of these directives. Order, whitespace, letter case, empty directives and repeated
 * sources vary.
 */
export function spelling(model: Directives): fc.Arbitrary<string> {
  const written = model.map((directive) =>
    fc
      .tuple(anyCase(directive.name), shuffled(directive.sources.map(token)), gap)
      .map(([name, sources, space]) => [name, ...sources, ...sources.slice(0, 1)].join(space)),
  );
  return fc
    .tuple(shuffled(written), fc.constantFrom("", " ", "\n"), fc.constantFrom(";", "; ", " ;;\n\t;"), ending)
    .map(([parts, start, between, end]) => start + parts.join(between) + end);
}

/** A random sequence of tokens, names and separators, which is mostly invalid. */
const oddValue: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...tokens.map(({ caseless, exact }) => caseless + exact),
      ...names,
      ...[
        "SCRIPT-SRC",
        "sandbox",
        "report-uri",
        "__proto__",
        "constructor",
        "valueOf",
        "self",
        '"none"',
        "‘self’",
      ],
      ...[";", ",", " ", "\n", "\t", "\v", "\u0000", "'", "/", ":", "\ud800"],
    ),
    { maxLength: 30 },
  )
  .chain((words) => fc.constantFrom(words.join(" "), words.join("")));

export const anyValue: fc.Arbitrary<string> = fc.oneof(
  oddValue,
  directives.chain(spelling),
  fc.string({ unit: "binary" }),
);

/** Two spellings of one value, or two unrelated values. */
export const twoValues: fc.Arbitrary<[string, string]> = fc.oneof(
  directives.chain((model) => fc.tuple(spelling(model), spelling(model))),
  fc.tuple(anyValue, anyValue),
);

const gap = fc.constantFrom(" ", "  ", "\t", "\r\n  ", "\f");
const ending = fc.constantFrom("", ";", " ; ", "\n");

function token({ caseless, exact }: Token): fc.Arbitrary<string> {
  return anyCase(caseless).map((start) => start + exact);
}

function anyCase(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(text, text.toUpperCase(), text.slice(0, 3).toUpperCase() + text.slice(3));
}

function shuffled(texts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string[]> {
  return fc
    .tuple(...texts)
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }));
}
