import { type Attempt, prepare } from "../match/attempt.js";
import { compile } from "../match/compile.js";
import { EFFECTIVE, type LoadKind } from "../match/fallback.js";
import { newBudget } from "./budget.js";
import { startComparison } from "./comparison.js";
import { ANY_PAGES, pagesAt } from "./pages.js";
import { findProbe, groundOf, type Probe, unlistedHost } from "./probes.js";
import { URL_CHECKS } from "./url-checks.js";

/**
 * A load that `b` allows and `a` refuses; null where none was found. One of which only the URL counts is preferred, and
 * then a script. Its value is `a`, so that `allows` and `explain` say why it is refused.
 *
 * @param pages the pages to try it on; others than those of web servers are left out
 */
export function witness(a: string, b: string, pages?: readonly string[]): Attempt | null {
  const [over, under] = [compile(a), compile(b)];
  const webPages = pages?.filter(isWebPage);
  const ground =
    webPages === undefined
      ? groundOf(ANY_PAGES, [over, under])
      : { pages: webPages, unlisted: unlistedHost("unlisted", [over, under]) };
  const comparison = startComparison(over, under, newBudget(), webPages && pagesAt(webPages));
  let found: Attempt | null = null;
  for (const kind of KINDS) {
    const check = URL_CHECKS.find(({ effective }) => effective === EFFECTIVE[kind]);
    const probe = check && findProbe(check, over, under, ground, comparison);
    if (probe && isPlain(probe)) return { ...probe, csp: a, kind };
    if (probe) found ??= { ...probe, csp: a, kind };
  }
  return found;
}

function isPlain({ nonce, integrity, inserted }: Probe): boolean {
  return nonce === undefined && integrity === undefined && inserted === undefined;
}

const KINDS: readonly LoadKind[] = ["script", "connection"];

function isWebPage(page: string): boolean {
  const scheme = prepare({ page, kind: "script", url: "/" }).page?.scheme;
  return (scheme === "http" || scheme === "https") && !/^blob:/i.test(page);
}
