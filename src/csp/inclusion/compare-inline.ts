import type { EffectiveDirective } from "../directives.js";
import {
  type CompiledCsp,
  type CompiledPolicy,
  decidingList,
  isDynamic,
  type SourceList,
} from "../match/allows.js";
import { isOfWholeLength } from "../syntax.js";
import { type Answer, type Budget, type Comparison, spend } from "./comparison.js";

/** Compares everything without a URL: inline scripts, styles and attributes, and eval. */
export function compareInline(over: CompiledCsp, under: CompiledCsp, { budget }: Comparison): Answer {
  const answers = INLINE_KINDS.map((kind) => {
    const grantsOf = (csp: CompiledCsp) => {
      const requires = csp.policies.some(requiresTrustedTypes);
      return csp.policies.map((policy) => inlineGrants(kind, policy, requires));
    };
    return compareKind(grantsOf(over), grantsOf(under), budget);
  });
  if (answers.includes("refuted")) return "refuted";
  return answers.includes("open") ? "open" : "covered";
}

/** It is enough if each policy of the first value contains one policy of the second. */
function compareKind(overs: readonly Grants[], unders: readonly Grants[], budget: Budget): Answer {
  const isCovered = overs.every((over) => unders.some((under) => isSubset(under, over, budget)));
  if (isCovered || !overs.some(isLimited)) return "covered";
  return isRefuted(overs.filter(isLimited), unders.filter(isLimited), budget) ? "refuted" : "open";
}

type Limited = Exclude<Grants, "everything">;

function isLimited(grants: Grants): grants is Limited {
  return grants !== "everything";
}

function isSubset(under: Grants, over: Grants, budget: Budget): boolean {
  if (!isLimited(over)) return true;
  return isLimited(under) && spend(budget, under.size) && [...under].every((grant) => over.has(grant));
}

/**
 * Looks for one grant of every policy of the second value that a policy of the first lacks. Even without such a grant,
 * two policies with different grants can still allow an element that has both.
 */
function isRefuted(overs: readonly Limited[], unders: readonly Limited[], budget: Budget): boolean {
  const [first, ...others] = unders;
  if (first === undefined) return true;
  if (!spend(budget, first.size * (others.length + overs.length))) return false;
  const granted = [...first].filter((grant) => others.every((under) => under.has(grant)));
  return overs.some((over) => granted.some((grant) => !over.has(grant)));
}

/** The grants of a policy for loads without a URL: everything of a kind, or the listed nonces, hashes and keywords. */
type Grants = "everything" | ReadonlySet<string>;

interface InlineKind {
  readonly name: string;
  readonly effective: EffectiveDirective;
  /** @param requires whether a policy of the value requires trusted types */
  readonly grants: (list: SourceList, requires: boolean) => Grants;
}

function inlineGrants({ effective, grants }: InlineKind, policy: CompiledPolicy, requires: boolean): Grants {
  const list = decidingList(policy.lists, effective);
  return list === null ? "everything" : grants(list, requires);
}

/** Whether scripts may pass only trusted types to the page as markup or code. */
export function requiresTrustedTypes({ directives }: CompiledPolicy): boolean {
  const sources = directives.get("require-trusted-types-for")?.sources ?? [];
  return sources.some(({ text }) => text === "'script'");
}

/** Whether pages may evaluate trusted types where they are required. */
export function trustsEval({ lists }: CompiledPolicy): boolean {
  return decidingList(lists, "script-src")?.keywords.has(TRUSTED_EVAL) === true;
}

export const TRUSTED_EVAL = "'trusted-types-eval'";

/**
 * In CSP3, `'strict-dynamic'` turns `'unsafe-inline'` off for scripts, event handlers and navigation ("Does a source
 * list allow all inline behavior for type"). In Chromium it depends on the deciding directive: `default-src` counts as
 * a script directive, even where it decides about styles (CSPSourceListAllowAllInline). Styles are compared both ways.
 */
export const INLINE_KINDS: readonly InlineKind[] = [
  { name: "scripts", effective: "script-src-elem", grants: scripts },
  { name: "javascript: URLs", effective: "script-src-elem", grants: withUnsafeHashes(allowsScripts) },
  { name: "speculation rules", effective: "script-src-elem", grants: speculationRules },
  { name: "event handlers", effective: "script-src-attr", grants: withUnsafeHashes(allowsScripts) },
  { name: "styles by CSP3", effective: "style-src-elem", grants: (list) => elements(list, allowsAny) },
  { name: "styles in Chromium", effective: "style-src-elem", grants: (list) => elements(list, allowsStyles) },
  { name: "style attributes by CSP3", effective: "style-src-attr", grants: withUnsafeHashes(allowsAny) },
  {
    name: "style attributes in Chromium",
    effective: "style-src-attr",
    grants: withUnsafeHashes(allowsStyles),
  },
  { name: "eval", effective: "script-src", grants: anyEval },
  {
    name: "WebAssembly",
    effective: "script-src",
    grants: withKeyword("'unsafe-eval'", "'wasm-unsafe-eval'"),
  },
  { name: "eval of trusted types", effective: "script-src", grants: trustedEval },
  {
    name: "eval of trusted types, if hashes limit it",
    effective: "script-src",
    grants: (list) => evalHashes(list) ?? trustedEval(list),
  },
  {
    name: "eval of trusted types, if no other value requires them",
    effective: "script-src",
    grants: (list, requires) => (requires ? trustedEval(list) : anyEval(list)),
  },
  {
    name: "eval of trusted types, if hashes limit it and no other value requires them",
    effective: "script-src",
    grants: (list, requires) => (requires ? (evalHashes(list) ?? trustedEval(list)) : anyEval(list)),
  },
];

type GrantsOf = (list: SourceList) => Grants;
type AllowsAll = (list: SourceList) => boolean;

/** Under `'strict-dynamic'`, a running script may insert others. */
function scripts(list: SourceList): Grants {
  const grants = elements(list, allowsScripts);
  return grants === "everything" || !isDynamic(list) ? grants : new Set([...grants, "inserted"]);
}

function speculationRules(list: SourceList): Grants {
  const isNamed = list.keywords.has("'inline-speculation-rules'");
  return elements(list, isNamed ? (each) => !isDynamic(each) && hasNoTrust(each) : allowsScripts);
}

function elements(list: SourceList, allowsAll: AllowsAll): Grants {
  if (allowsAll(list)) return "everything";
  return new Set([...prefixed("nonce", list.nonces.keys()), ...digests(list)]);
}

/** Without an element there is no nonce, and a hash counts only with `'unsafe-hashes'`. */
function withUnsafeHashes(allowsAll: AllowsAll): GrantsOf {
  return (list) => {
    if (allowsAll(list)) return "everything";
    return new Set(list.keywords.has("'unsafe-hashes'") ? digests(list) : []);
  };
}

function withKeyword(...keywords: readonly string[]): GrantsOf {
  return (list) => (keywords.some((keyword) => list.keywords.has(keyword)) ? "everything" : new Set());
}

function anyEval(list: SourceList): Grants {
  return evalHashes(list) ?? withKeyword("'unsafe-eval'")(list);
}

/** Grants for trusted types where they are required (CSP3, "EnsureCSPDoesNotBlockStringCompilation"). */
function trustedEval(list: SourceList): Grants {
  return withKeyword("'unsafe-eval'", TRUSTED_EVAL)(list);
}

/** Hashes of evaluated text turn `'unsafe-eval'` off, but not for WebAssembly. Null: the list has none. */
function evalHashes({ evalHashes: hashes }: SourceList): Grants | null {
  return hashes.size === 0 ? null : new Set(prefixed("eval", hashes.keys()));
}

function allowsScripts(list: SourceList): boolean {
  return allowsAny(list) && !isDynamic(list);
}

function allowsStyles(list: SourceList): boolean {
  return allowsAny(list) && (list.directive.name.startsWith("style-src") || !isDynamic(list));
}

function allowsAny(list: SourceList): boolean {
  return list.keywords.has("'unsafe-inline'") && hasNoTrust(list);
}

/** Nonces and hashes turn `'unsafe-inline'` off. */
function hasNoTrust({ nonces, hashes }: SourceList): boolean {
  return nonces.size === 0 && hashes.size === 0;
}

/** The browser hashes the inline text, so a hash of another length never matches. */
function digests({ hashes }: SourceList): string[] {
  return prefixed("hash", [...hashes.keys()].filter(isOfWholeLength));
}

function prefixed(prefix: string, keys: Iterable<string>): string[] {
  return [...keys].map((key) => `${prefix} ${key}`);
}
