import { type CompiledCsp, type CompiledPolicy, decidingList, type SourceList } from "../match/compile.js";

/**
 * For each policy what may be prefetched or prerendered, as one list; null where all may. CSP3, "Does resource hint
 * request violate policy?": without `default-src` there is no limit, and with it the least restrictive directive is
 * the limit.
 */
export function hintLists(csp: CompiledCsp): readonly (SourceList | null)[] {
  return csp.policies.map(hintList);
}

function hintList({ lists }: CompiledPolicy): SourceList | null {
  const defaults = lists.get("default-src");
  if (defaults === undefined) return null;
  const counting = REQUESTING.flatMap((name) => lists.get(name) ?? []);
  // Chromium asks as if it were for a worker too, which `'strict-dynamic'` allows whatever the URL.
  const { keywords } = decidingList(lists, "worker-src") ?? defaults;
  return {
    ...defaults,
    keywords,
    star: counting.find(({ star }) => star !== null)?.star ?? null,
    self: counting.find(({ self }) => self !== null)?.self ?? null,
    urls: counting.flatMap(({ urls }) => urls),
  };
}

/** The fetch directives that Chromium asks; those for attributes request nothing. */
const REQUESTING = [
  "child-src",
  "connect-src",
  "default-src",
  "font-src",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "script-src",
  "script-src-elem",
  "style-src",
  "style-src-elem",
  "worker-src",
];
