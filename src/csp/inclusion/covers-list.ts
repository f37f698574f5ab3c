import type { SourceList } from "../match/compile.js";
import type { UrlSource } from "../match/match-source.js";
import { type Comparison, coversSource } from "./covers-source.js";

/** What one list allows that another one may not, as far as the texts tell. */
export interface Uncovered {
  readonly urls: readonly UrlSource[];
  readonly hasSelf: boolean;
}

/**
 * The sources of a list that another list does not cover one by one. On any page that comes from a web server:
 * what has no scheme is compared for http: and for https: pages.
 */
export function uncoveredSources(
  over: SourceList,
  under: SourceList,
  upgrades: Comparison["upgrades"],
): Uncovered {
  const found = ["https", "http"].map((pageScheme) => uncoveredOn(over, under, { pageScheme, upgrades }));
  return {
    urls: [...new Set(found.flatMap(({ urls }) => urls))],
    hasSelf: found.some(({ hasSelf }) => hasSelf),
  };
}

function uncoveredOn(over: SourceList, under: SourceList, comparison: Comparison): Uncovered {
  const { pageScheme, upgrades } = comparison;
  const known = new Set(upgrades.covered === upgrades.covering ? over.urls.map(key) : []);
  const rest = [...starSources(under), ...under.urls].filter((source) => !known.has(key(source)));
  const isTooMuch = rest.length * over.urls.length > MOST_COMPARISONS;
  const all = [...starSources(over), ...(isTooMuch ? [] : over.urls)];
  const isCovered = (source: UrlSource) => all.some((each) => coversSource(each, source, comparison));
  const selfCoversSelf =
    over.self !== null && (upgrades.covered === upgrades.covering || keepsSelf(comparison));
  return {
    urls: rest.filter((source) => !isCovered(source)),
    hasSelf: under.self !== null && !selfCoversSelf && !(SELF_SCHEMES[pageScheme] ?? []).every(isCovered),
  };
}

/**
 * Whether what `'self'` matches is still matched where the covering value alone upgrades it. On an http: page at port
 * 443, https: at its own port is another origin; an https: page matches nothing that is upgraded.
 */
function keepsSelf({ pageScheme, upgrades }: Comparison): boolean {
  return pageScheme === "https" && upgrades.covering;
}

/** Lists with thousands of sources that differ in thousands stay undecided. */
const MOST_COMPARISONS = 1_000_000;

function key({ scheme, host, port, path }: UrlSource): string {
  return JSON.stringify([scheme, host?.match, host?.text, port, path]);
}

/** `*` is any URL with one of these schemes; their upgrades are among what they match. */
function starSources(list: SourceList): readonly UrlSource[] {
  return list.star === null ? [] : [wholeScheme("http"), wholeScheme("ws")];
}

function wholeScheme(scheme: string): UrlSource {
  return { scheme, host: null, port: null, path: "" };
}

/** What `'self'` can match, by the scheme of the page. */
const SELF_SCHEMES: Readonly<Record<string, readonly UrlSource[]>> = {
  https: [wholeScheme("https"), wholeScheme("wss")],
  http: [wholeScheme("http"), wholeScheme("ws")],
};
