import * as parserChecks from "csp_evaluator/dist/checks/parser_checks.js";
import * as securityChecks from "csp_evaluator/dist/checks/security_checks.js";
import * as strictChecks from "csp_evaluator/dist/checks/strictcsp_checks.js";
import { Csp, Version } from "csp_evaluator/dist/csp.js";
import type { Finding as Verdict } from "csp_evaluator/dist/finding.js";
import { readSource } from "../source.js";
import { checkAngularFiles } from "./angular-files.js";
import { onlyBypasses } from "./bypass-hosts.js";
import { checkWholeDomains } from "./whole-domains.js";

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
export function word(text: string): string | null {
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
    case "odd":
      return null;
  }
}
