import { equal as isSame } from "../model/json.js";
import type { PartChange } from "../model/plan.js";
import { valueForm } from "./directives.js";
import { type Csp, type Directive, inForce, isDropped, parsedCsp, readSource, render } from "./syntax.js";

/** Whether two values mean the same to a browser. `a, b` is two policies: only the same two in that order equal it. */
export function equal(a: string, b: string): boolean {
  return a === b || isSame(canonical(parsedCsp(a)), canonical(parsedCsp(b)));
}

/**
 * The sources that each directive gains and loses, as their author wrote them. Empty exactly when the values are equal.
 * Directives come in the order of `after`, then those of `before` alone. Policies after a comma are compared by
 * position, and their parts are called `policy 2: img-src`.
 */
export function diff(before: string, after: string): readonly PartChange[] {
  const partsBefore = parts(parsedCsp(before));
  const partsAfter = parts(parsedCsp(after));
  return [...new Set([...partsAfter.keys(), ...partsBefore.keys()])].flatMap((part) =>
    partChange(part, partsBefore.get(part), partsAfter.get(part)),
  );
}

function parts(csp: Csp): ReadonlyMap<string, Directive> {
  return new Map(
    csp.policies.flatMap((policy, at) =>
      Array.from(inForce(policy), ([name, directive]): [string, Directive] => [
        at === 0 ? name : `policy ${at + 1}: ${name}`,
        directive,
      ]),
    ),
  );
}

function partChange(part: string, old: Directive | undefined, next: Directive | undefined): PartChange[] {
  if (old && next && isSame(canonicalSources(old), canonicalSources(next))) return [];
  const before = shownSources(old);
  const after = shownSources(next);
  return [
    {
      part,
      change: old === undefined ? "added" : next === undefined ? "removed" : "changed",
      added: without(after, before),
      removed: without(before, after),
    },
  ];
}

/** Without effective sources, the written sources: readers look for the `'none'`. */
function shownSources(directive: Directive | undefined): ReadonlyMap<string, string> {
  if (directive === undefined) return new Map();
  const sources = effectiveSources(directive);
  return sources.size > 0 ? sources : writtenSources(directive);
}

function without(
  sources: ReadonlyMap<string, string>,
  excluded: ReadonlyMap<string, string>,
): readonly string[] {
  return [...sources].flatMap(([key, written]) => (excluded.has(key) ? [] : [written]));
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
function effectiveSources(directive: Directive): ReadonlyMap<string, string> {
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
function writtenSources(directive: Directive): Map<string, string> {
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
  const policies = parsedCsp(csp).policies.map(({ directives }) => ({
    directives: directives.filter(({ name }) => names.has(name)),
  }));
  return render({ policies });
}
