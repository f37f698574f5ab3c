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
 * The verdicts of the package on a policy: directive → its sources in the package's spelling. Some checks are not used:
 * the IP address check reads every source as a URL and throws for others, and some checks are for very old browsers.
 */
export function verdictsOn(
  policy: Iterable<readonly [directive: string, words: Iterable<string>]>,
): Verdict[] {
  const csp = new Csp(Object.fromEntries(Array.from(policy, ([name, words]) => [name, wordsOf(words)])));
  // Without the sources that browsers ignore beside nonces, hashes and 'strict-dynamic'.
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
  const list = [...words];
  return list.length === 0 ? ["'none'"] : list;
}

/** A source in the package's spelling, without the port. Null: browsers ignore the source. */
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
 * The policy reduced to hosts that may be known bypasses, because the check scans its whole list for each host. Hosts
 * with a plainer warning are left out too.
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

/** Verdicts on AngularJS files of any version. The package knows only a few versions. */
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

/** An AngularJS file, or the folder of a version, on a host with all versions. */
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

/** Verdicts on wildcards over a domain that is open to anyone. The package checks `*` only. */
function checkWholeDomains(csp: Csp): Verdict[] {
  return csp
    .getEffectiveDirectives(DIRECTIVES_CAUSING_XSS)
    .flatMap((directive) =>
      (csp.directives[directive] ?? [])
        .filter((word) => wholeDomain(word) !== null)
        .map((word) => new Verdict(Type.PLAIN_WILDCARD, "", Severity.HIGH, directive, word)),
    );
}

/** `.com` for `https://*.com`. */
export function wholeDomain(text: string): string | null {
  const source = readSource(text);
  const [, domain] = (source.form === "host" && /^\*\.([a-z0-9-]+)\.?$/.exec(source.host)) || [];
  return domain !== undefined && (COUNTRY.test(domain) || OPEN.has(domain)) ? `.${domain}` : null;
}

/** All two-letter top-level domains belong to countries. */
const COUNTRY = /^[a-z]{2}$/;

/** Domains in which anyone can register a name. Others may belong to one firm or to a private network. */
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
