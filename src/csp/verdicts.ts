import { URLS as ANGULAR } from "csp_evaluator/dist/allowlist_bypasses/angular.js";
import { URLS as JSONP } from "csp_evaluator/dist/allowlist_bypasses/jsonp.js";
import * as parserChecks from "csp_evaluator/dist/checks/parser_checks.js";
import * as securityChecks from "csp_evaluator/dist/checks/security_checks.js";
import { DIRECTIVES_CAUSING_XSS } from "csp_evaluator/dist/checks/security_checks.js";
import * as strictChecks from "csp_evaluator/dist/checks/strictcsp_checks.js";
import { Csp, Directive, Version } from "csp_evaluator/dist/csp.js";
import { Severity, Type, Finding as Verdict } from "csp_evaluator/dist/finding.js";
import { readSource } from "./syntax.js";

/**
 * What the package says of a policy: directive → its sources as `word` has them. Not all of its checks are used: that
 * of IP addresses reads every source as a URL and throws where it is none, and some are for browsers of long ago.
 */
export function verdictsOn(
  policy: Iterable<readonly [directive: string, words: Iterable<string>]>,
): Verdict[] {
  const csp = new Csp(Object.fromEntries(Array.from(policy, ([name, words]) => [name, wordsOf(words)])));
  // Without what browsers ignore beside nonces, hashes and 'strict-dynamic'.
  const effective = csp.getEffectiveCsp(Version.CSP3);
  return [
    ...parserChecks.checkMissingSemicolon(csp),
    ...securityChecks.checkScriptUnsafeInline(effective),
    ...securityChecks.checkScriptUnsafeEval(effective),
    ...securityChecks.checkPlainUrlSchemes(effective),
    ...securityChecks.checkWildcards(effective),
    ...checkWholeDomains(effective),
    ...securityChecks.checkScriptAllowlistBypass(onlyBypasses(effective)),
    ...checkAngularFiles(effective),
    ...securityChecks.checkSrcHttp(effective),
    ...securityChecks.checkDeprecatedDirective(effective),
    ...securityChecks.checkMissingDirectives(effective),
    ...strictChecks.checkStrictDynamic(effective),
    ...strictChecks.checkStrictDynamicNotStandalone(effective),
  ];
}

/** A directive without sources means the same as one with `'none'`. */
function wordsOf(words: Iterable<string>): string[] {
  const all = [...words];
  return all.length === 0 ? ["'none'"] : all;
}

/** A source in the one spelling that the package knows, without the port; null where browsers ignore it. */
export function packageSpelling(text: string): string | null {
  const source = readSource(text);
  switch (source.form) {
    case "keyword":
      return source.keyword;
    case "nonce":
      return `'nonce-${source.nonce}'`;
    case "hash":
      return `'${source.algorithm}-${source.digest}'`;
    case "scheme":
      return `${source.scheme}:`;
    case "host":
      return `${source.scheme === null ? "" : `${source.scheme}://`}${source.host}${source.path}`;
    case "url-hash":
    case "eval-hash":
    case "odd":
      return null;
  }
}

/**
 * The policy with only those hosts that may be known to serve a way around it, for the check that says so: for each
 * host that check goes through all of its list. Without those about which something plainer is said.
 */
function onlyBypasses({ directives }: Csp): Csp {
  return new Csp(
    Object.fromEntries(
      Object.entries(directives).map(([name, words = []]) => [name, words.filter(mayMatter)]),
    ),
  );
}

function mayMatter(word: string): boolean {
  if (word === "'unsafe-eval'" || word === "'none'") return true;
  const source = readSource(word);
  if (source.form !== "host" || wholeDomain(word) !== null || isAngularFile(word)) return false;
  if (!source.host.startsWith("*.")) return hosts.has(source.host);
  const domain = source.host.slice(1);
  return [...hosts].some((host) => host.endsWith(domain));
}

const hosts: ReadonlySet<string> = new Set([...ANGULAR, ...JSONP].map((url) => url.split("/", 3)[2] ?? ""));

/** Verdicts on the files of AngularJS in whatever version; the package knows a few versions alone. */
function checkAngularFiles(csp: Csp): Verdict[] {
  return csp
    .getEffectiveDirectives([Directive.SCRIPT_SRC, Directive.SCRIPT_SRC_ELEM])
    .flatMap((directive) =>
      (csp.directives[directive] ?? [])
        .filter(isAngularFile)
        .map(
          (word) =>
            new Verdict(Type.SCRIPT_ALLOWLIST_BYPASS, "Angular libraries", Severity.HIGH, directive, word),
        ),
    );
}

/** Such a file, or the folder of a version, on a host that has them all. */
function isAngularFile(word: string): boolean {
  const source = readSource(word);
  return source.form === "host" && (PATHS.get(source.host)?.test(source.path) ?? false);
}

const IN_LIBS = /^\/ajax\/libs\/angular\.?js\/1\.[\w.-]+\/(?:angular(?:\.min)?\.js)?$/;

const PATHS: ReadonlyMap<string, RegExp> = new Map([
  ["ajax.googleapis.com", IN_LIBS],
  ["cdnjs.cloudflare.com", IN_LIBS],
  ["cdn.jsdelivr.net", /^\/npm\/angular@1[\w.-]*(?:\/(?:angular(?:\.min)?\.js)?)?$/],
  ["unpkg.com", /^\/angular@1[\w.-]*(?:\/(?:angular(?:\.min)?\.js)?)?$/],
  ["code.angularjs.org", /^\/1\.[\w.-]+\/(?:angular(?:\.min)?\.js)?$/],
]);

/** Verdicts on wildcards over a domain in which everybody can have a host; the package looks at `*` alone. */
function checkWholeDomains(csp: Csp): Verdict[] {
  return csp
    .getEffectiveDirectives(DIRECTIVES_CAUSING_XSS)
    .flatMap((directive) =>
      (csp.directives[directive] ?? [])
        .filter((word) => wholeDomain(word) !== null)
        .map((word) => new Verdict(Type.PLAIN_WILDCARD, "", Severity.HIGH, directive, word)),
    );
}

/** `.com` of `https://*.com`. */
export function wholeDomain(text: string): string | null {
  const source = readSource(text);
  const [, domain] = (source.form === "host" && /^\*\.([a-z0-9-]+)\.?$/.exec(source.host)) || [];
  return domain !== undefined && (COUNTRY.test(domain) || OPEN.has(domain)) ? `.${domain}` : null;
}

/** All top-level domains of two letters are those of countries. */
const COUNTRY = /^[a-z]{2}$/;

/** Domains in which anybody can register a name. Others may belong to one firm, or to a network of one's own. */
const OPEN: ReadonlySet<string> = new Set([
  "app",
  "art",
  "biz",
  "blog",
  "club",
  "cloud",
  "com",
  "design",
  "dev",
  "digital",
  "email",
  "fun",
  "games",
  "group",
  "icu",
  "info",
  "life",
  "live",
  "media",
  "mobi",
  "name",
  "net",
  "news",
  "online",
  "org",
  "page",
  "pro",
  "shop",
  "site",
  "space",
  "store",
  "studio",
  "tech",
  "today",
  "top",
  "vip",
  "website",
  "work",
  "world",
  "xyz",
]);
