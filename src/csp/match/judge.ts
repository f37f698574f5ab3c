import type { Source } from "../parse.js";
import type { Load, Step } from "./attempt.js";
import type { CompiledCsp, SourceList } from "./compile.js";
import { matchesSelf, matchesSource, type Target } from "./match-source.js";
import { NETWORK_SCHEMES, type Origin } from "./origin.js";

/** Whether a browser loads it: every policy has to allow every step. */
export function judge(csp: CompiledCsp, load: Load): boolean {
  if (load.steps === null) return false;
  for (const { deciding } of csp.policies) {
    const list = deciding[load.kind];
    if (list === null) continue;
    for (const step of load.steps) if (allowingSource(csp, list, load, step) === null) return false;
  }
  return true;
}

/** The source that allows this step, in the order in which browsers ask. */
export function allowingSource(csp: CompiledCsp, list: SourceList, load: Load, step: Step): Source | null {
  const target = csp.upgradesInsecure ? step.upgraded : step.target;
  if (load.kind === "connection") return urlSource(list, load.page, target, step.afterRedirect);
  const trusted = trustingSource(list, load);
  if (trusted !== null) return trusted;
  return isDynamic(list) ? null : urlSource(list, load.page, target, step.afterRedirect);
}

/** Scripts that run may insert others, and the list's URLs and `'unsafe-inline'` do not count for scripts. */
export function isDynamic({ keywords }: SourceList): boolean {
  return keywords.has("'strict-dynamic'");
}

/** The source that allows a URL by what it is. */
export function urlSource(
  list: SourceList,
  page: Origin | null,
  target: Target,
  afterRedirect: boolean,
): Source | null {
  const pageScheme = page?.scheme ?? null;
  if (list.star !== null && (NETWORK_SCHEMES.has(target.scheme) || target.scheme === pageScheme))
    return list.star;
  if (list.self !== null && page !== null && matchesSelf(page, target)) return list.self;
  for (const source of list.urls) {
    if (matchesSource(source, pageScheme, target, afterRedirect)) return source.written;
  }
  return null;
}

/** The source that allows a script whatever its URL. */
function trustingSource(list: SourceList, { nonce, hashes, inserted }: Load): Source | null {
  const byNonce = nonce === null ? undefined : list.nonces.get(nonce);
  if (byNonce !== undefined) return byNonce;
  if (inserted === "script") {
    const byScript = list.keywords.get("'strict-dynamic'");
    if (byScript !== undefined) return byScript;
  }
  return hashes.length > 0 && list.hashes.size > 0 ? sourceOfAll(list, hashes) : null;
}

/** A browser checks the file against any one of the hashes: the policy has to list them all. */
function sourceOfAll({ hashes }: SourceList, wanted: readonly (string | null)[]): Source | null {
  const sources = wanted.map((hash) => (hash === null ? undefined : hashes.get(hash)));
  return sources.includes(undefined) ? null : (sources[0] ?? null);
}
