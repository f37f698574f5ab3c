import { DIRECTIVES_CAUSING_XSS } from "csp_evaluator/dist/checks/security_checks.js";
import type { Csp } from "csp_evaluator/dist/csp.js";
import { Severity, Type, Finding as Verdict } from "csp_evaluator/dist/finding.js";
import { readSource } from "../source.js";

/** Verdicts on wildcards over a domain in which everybody can have a host; the package looks at `*` alone. */
export function checkWholeDomains(csp: Csp): Verdict[] {
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
