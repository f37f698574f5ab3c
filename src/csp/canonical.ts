import { equal as isSame } from "../model/json.js";
import { valueForm } from "./directives.js";
import { type Csp, type Directive, inForce, isDropped, parsedCsp, readSource, rewritten } from "./syntax.js";

/** Whether two values mean the same to a browser. `a, b` is two policies: only the same two in that order equal it. */
export function equal(a: string, b: string): boolean {
  return a === b || isSame(canonical(parsedCsp(a)), canonical(parsedCsp(b)));
}

/**
 * The meaning of a value as plain JSON: for each policy its directives sorted by name, each with its sorted sources.
 * Pairs rather than an object, because a directive may be called `constructor`.
 */
type CanonicalCsp = readonly (readonly CanonicalDirective[])[];
type CanonicalDirective = readonly [name: string, sources: readonly string[]];

/** Two values mean the same exactly when their canonical forms are deep-equal. */
export function canonical(csp: Csp): CanonicalCsp {
  return csp.policies.map((policy) =>
    [...inForce(policy).values()]
      .map((directive): CanonicalDirective => [directive.name, canonicalSources(directive)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Sorted and unique. Empty means that nothing is allowed: `'none'`, or no source at all. */
export function canonicalSources(directive: Directive): readonly string[] {
  return [...effectiveSources(directive).keys()].sort();
}

/**
 * The sources that browsers use: canonical form → first spelling, in the order written. A value that is no source list
 * is kept whole, as one source.
 */
export function effectiveSources(directive: Directive): ReadonlyMap<string, string> {
  switch (valueForm(directive.name)) {
    case "nothing":
      // Browsers ignore a value here, unless it makes them drop the directive.
      return isDropped(directive) ? wholeValue(directive) : new Map();
    case "other":
      return wholeValue(directive);
    case "sources": {
      const sources = writtenSources(directive);
      sources.delete("'none'"); // alone it is the empty list, beside others browsers ignore it
      return sources;
    }
  }
}

function wholeValue({ sources }: Directive): ReadonlyMap<string, string> {
  const value = sources.map((source) => source.text).join(" ");
  return new Map(value === "" ? [] : [[value, value]]);
}

/** Canonical form → first spelling, in the order written. */
export function writtenSources(directive: Directive): Map<string, string> {
  const written = new Map<string, string>();
  for (const { text } of directive.sources) {
    const key = canonicalSource(text);
    if (!written.has(key)) written.set(key, text);
  }
  return written;
}

/** The source with its case-insensitive part in lower case. Paths, nonces and hash values stay as written. */
export function canonicalSource(text: string): string {
  const { caselessChars } = readSource(text);
  return text.slice(0, caselessChars).toLowerCase() + text.slice(caselessChars);
}

/** The directives in force that have other names, in one spelling: equal texts mean equal directives. */
export function directivesBeside(csp: string, names: ReadonlySet<string>): string {
  return canonical(parsedCsp(csp))
    .flatMap((policy) => policy.filter(([name]) => IS_NAME.test(name) && !names.has(name)))
    .map(([name, sources]) => [name, ...sources].join(" "))
    .sort()
    .join("; ");
}

/** Browsers accept no directive with any other name (CSP3, directive-name). */
const IS_NAME = /^[a-z0-9-]+$/;

/** The value with the named directives only. */
export function directivesAmong(csp: string, names: ReadonlySet<string>): string {
  if (directivesBeside(csp, names) === "") return csp;
  return rewritten(csp, (directive) => (names.has(directive.name) ? [directive] : []));
}
