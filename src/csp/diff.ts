import { equal as isSame } from "../model/json.js";
import type { PartChange } from "../model/plan.js";
import { valueForm } from "./directives.js";
import { type Csp, type Directive, inForce, isDropped, parsedCsp, readSource, render } from "./syntax.js";

/** Whether two values mean the same to a browser. `a, b` is two policies: only the same two in that order equal it. */
export function equal(a: string, b: string): boolean {
  return a === b || isSame(canonical(parsedCsp(a)), canonical(parsedCsp(b)));
}

/**
 * What each directive gains and loses, in the spelling of its author; empty exactly when the values are equal.
 * Directives come in the order of `after`, then those that only `before` has. After a comma, which starts another
 * policy, parts are called `policy 2: img-src`, and policies are compared by their position.
 */
export function diff(before: string, after: string): readonly PartChange[] {
  const was = parts(parsedCsp(before));
  const is = parts(parsedCsp(after));
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((part) =>
    partChange(part, was.get(part), is.get(part)),
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

function partChange(part: string, was: Directive | undefined, is: Directive | undefined): PartChange[] {
  if (was && is && isSame(canonicalSources(was), canonicalSources(is))) return [];
  const before = shown(was);
  const after = shown(is);
  return [
    {
      part,
      change: was === undefined ? "added" : is === undefined ? "removed" : "changed",
      added: without(after, before),
      removed: without(before, after),
    },
  ];
}

/** Where nothing is meant, what is written: people look for the `'none'`. */
function shown(directive: Directive | undefined): ReadonlyMap<string, string> {
  if (directive === undefined) return new Map();
  const meant = meantSources(directive);
  return meant.size > 0 ? meant : writtenSources(directive);
}

function without(these: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): readonly string[] {
  return [...these].flatMap(([key, written]) => (others.has(key) ? [] : [written]));
}

/**
 * What a value means, as plain JSON: per policy its directives in the order of their names, each with its
 * sorted sources. Pairs rather than an object: a directive may be called `constructor`.
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

/** Sorted, each once. Empty means that nothing is allowed: `'none'`, or no source at all. */
export function canonicalSources(directive: Directive): readonly string[] {
  return [...meantSources(directive).keys()].sort();
}

/**
 * What browsers take from a directive: canonical form → as first written, in the order written.
 * The value of a directive that is no list of sources is kept whole, as one.
 */
function meantSources(directive: Directive): ReadonlyMap<string, string> {
  switch (valueForm(directive.name)) {
    case "nothing":
      // Whatever stands there is ignored, unless it makes browsers drop the directive.
      return isDropped(directive) ? wholeValue(directive) : new Map();
    case "other":
      return wholeValue(directive);
    case "sources": {
      const meant = writtenSources(directive);
      meant.delete("'none'"); // alone it is the empty list, beside others browsers ignore it
      return meant;
    }
  }
}

function wholeValue({ sources }: Directive): ReadonlyMap<string, string> {
  const value = sources.map((source) => source.text).join(" ");
  return new Map(value === "" ? [] : [[value, value]]);
}

/** Canonical form → as first written, in the order written. */
function writtenSources(directive: Directive): Map<string, string> {
  const written = new Map<string, string>();
  for (const { text } of directive.sources) {
    const key = canonicalSource(text);
    if (!written.has(key)) written.set(key, text);
  }
  return written;
}

/** The source with what ignores letter case in lower case; paths, nonces and hash values stay. */
export function canonicalSource(text: string): string {
  const { caselessChars } = readSource(text);
  return text.slice(0, caselessChars).toLowerCase() + text.slice(caselessChars);
}

/** The directives in force of other names than these, in one spelling: the same text where all of them are the same. */
export function directivesBeside(csp: string, known: ReadonlySet<string>): string {
  return canonical(parsedCsp(csp))
    .flatMap((policy) => policy.filter(([name]) => IS_NAME.test(name) && !known.has(name)))
    .map(([name, sources]) => [name, ...sources].join(" "))
    .sort()
    .join("; ");
}

/** No browser will ever know a directive by another name (CSP3, directive-name). */
const IS_NAME = /^[a-z0-9-]+$/;

/** The value without directives of other names than these. */
export function directivesAmong(csp: string, known: ReadonlySet<string>): string {
  if (directivesBeside(csp, known) === "") return csp;
  const policies = parsedCsp(csp).policies.map(({ directives }) => ({
    directives: directives.filter(({ name }) => known.has(name)),
  }));
  return render({ policies });
}
