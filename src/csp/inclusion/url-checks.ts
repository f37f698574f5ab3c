import type { Load, Step } from "../match/attempt.js";
import { type CompiledCsp, decidingList, type SourceList } from "../match/compile.js";
import type { EffectiveDirective } from "../match/fallback.js";
import { allowingSource, urlSource } from "../match/judge.js";
import type { Comparison } from "./covers-source.js";

/** A kind of URL that browsers check: which directive decides, and what besides the URL can allow it. */
export interface UrlCheck {
  readonly effective: EffectiveDirective;
  readonly trusts: "scripts" | "nonces" | "workers" | "nothing";
  /** Loads are upgraded under `upgrade-insecure-requests`; a page's base and its ancestors are no loads. */
  readonly isLoad: boolean;
}

export const URL_CHECKS: readonly UrlCheck[] = [
  { effective: "script-src-elem", trusts: "scripts", isLoad: true },
  { effective: "connect-src", trusts: "nothing", isLoad: true },
  { effective: "style-src-elem", trusts: "nonces", isLoad: true },
  { effective: "worker-src", trusts: "workers", isLoad: true },
  { effective: "img-src", trusts: "nothing", isLoad: true },
  { effective: "font-src", trusts: "nothing", isLoad: true },
  { effective: "media-src", trusts: "nothing", isLoad: true },
  { effective: "object-src", trusts: "nothing", isLoad: true },
  { effective: "manifest-src", trusts: "nothing", isLoad: true },
  { effective: "frame-src", trusts: "nothing", isLoad: true },
  { effective: "fenced-frame-src", trusts: "nothing", isLoad: true },
  { effective: "form-action", trusts: "nothing", isLoad: true },
  { effective: "base-uri", trusts: "nothing", isLoad: false },
  { effective: "frame-ancestors", trusts: "nothing", isLoad: false },
];

/** Which of two values changes what is asked for. */
export function upgradesOf(
  { isLoad }: UrlCheck,
  covering: CompiledCsp,
  covered: CompiledCsp,
): Comparison["upgrades"] {
  return {
    covering: isLoad && covering.upgradesInsecure,
    covered: isLoad && covered.upgradesInsecure,
  };
}

export function isDynamic(list: SourceList): boolean {
  return list.keywords.has("'strict-dynamic'");
}

/** The list with the URLs that count: for a script, beside `'strict-dynamic'`, none does. */
export function urlPart({ trusts }: UrlCheck, list: SourceList): SourceList {
  return trusts === "scripts" && isDynamic(list) ? { ...list, star: null, self: null, urls: [] } : list;
}

/** Whether every policy allows it. */
export function passes(check: UrlCheck, csp: CompiledCsp, load: Load): boolean {
  return csp.policies.every((policy) => {
    const list = decidingList(policy.lists, check.effective);
    return list === null || (load.steps ?? []).every((step) => listAllows(check, csp, list, load, step));
  });
}

function listAllows(
  { trusts, isLoad }: UrlCheck,
  csp: CompiledCsp,
  list: SourceList,
  load: Load,
  step: Step,
): boolean {
  if (trusts === "scripts") return allowingSource(csp, list, load, step) !== null;
  if (trusts === "nonces" && load.nonce !== null && list.nonces.has(load.nonce)) return true;
  if (trusts === "workers" && isDynamic(list)) return true;
  const target = isLoad && csp.upgradesInsecure ? step.upgraded : step.target;
  return urlSource(list, load.page, target, step.afterRedirect) !== null;
}
