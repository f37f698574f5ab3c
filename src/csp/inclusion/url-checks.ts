import type { EffectiveDirective } from "../directives.js";
import { allowingSource, isDynamic, urlSource } from "../match/allows.js";
import type { Load, Step } from "../match/attempt.js";
import { type CompiledCsp, type CompiledPolicy, decidingList, type SourceList } from "../match/compile.js";
import type { UrlList } from "./comparison.js";

/** A kind of URL that browsers check: which directive decides, and what besides the URL can allow it. */
export interface UrlCheck {
  readonly effective: EffectiveDirective;
  readonly trusts: Trust;
  readonly terms: "loads" | "connections" | "bases" | "ancestors";
}

/** What besides a URL's own sources counts; ahead of time a page asks for workers among others. */
export type Trust = "scripts" | "nonces" | "workers" | "hints" | "nothing";

export const URL_CHECKS: readonly UrlCheck[] = [
  { effective: "script-src-elem", trusts: "scripts", terms: "loads" },
  { effective: "connect-src", trusts: "nothing", terms: "connections" },
  { effective: "style-src-elem", trusts: "nonces", terms: "loads" },
  { effective: "worker-src", trusts: "workers", terms: "loads" },
  { effective: "img-src", trusts: "nothing", terms: "loads" },
  { effective: "font-src", trusts: "nothing", terms: "loads" },
  { effective: "media-src", trusts: "nothing", terms: "loads" },
  { effective: "object-src", trusts: "nothing", terms: "loads" },
  { effective: "manifest-src", trusts: "nothing", terms: "loads" },
  { effective: "frame-src", trusts: "nothing", terms: "loads" },
  { effective: "fenced-frame-src", trusts: "nothing", terms: "loads" },
  { effective: "form-action", trusts: "nothing", terms: "loads" },
  { effective: "base-uri", trusts: "nothing", terms: "bases" },
  { effective: "frame-ancestors", trusts: "nothing", terms: "ancestors" },
];

/** The list of each policy that decides; null where none does. */
export function decidingLists({ effective }: UrlCheck, csp: CompiledCsp): readonly (SourceList | null)[] {
  return csp.policies.map(({ lists }: CompiledPolicy) => decidingList(lists, effective));
}

/** The part of a list that counts: of a script's, beside `'strict-dynamic'`, none does. */
export function urlPart(trusts: Trust, list: SourceList): UrlList {
  return trusts === "scripts" && isDynamic(list) ? NO_URLS : list;
}

const NO_URLS: UrlList = { star: null, self: null, urls: [] };

/** Whether every policy allows it. */
export function passes(check: UrlCheck, csp: CompiledCsp, load: Load): boolean {
  return decidingLists(check, csp).every(
    (list) => list === null || (load.steps ?? []).every((step) => listAllows(check, csp, list, load, step)),
  );
}

function listAllows(
  { trusts, terms }: UrlCheck,
  csp: CompiledCsp,
  list: SourceList,
  load: Load,
  step: Step,
): boolean {
  if (trusts === "scripts") return allowingSource(csp, list, load, step) !== null;
  if (trusts === "nonces" && load.nonce !== null && list.nonces.has(load.nonce)) return true;
  if (trusts === "workers" && isDynamic(list)) return true;
  const isLoad = terms === "loads" || terms === "connections";
  const target = isLoad && csp.upgradesInsecure ? step.upgraded : step.target;
  return urlSource(list, load.page, target, step.afterRedirect) !== null;
}
