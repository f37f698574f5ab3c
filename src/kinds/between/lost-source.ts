import { FALLBACKS } from "../../csp/directives.js";
import { includes } from "../../csp/inclusion/includes.js";
import { witness } from "../../csp/inclusion/witness.js";
import type { CompiledCsp, CompiledPolicy, SourceList } from "../../csp/match/compile.js";
import { readSource } from "../../csp/source.js";
import type { Source } from "../../csp/syntax.js";

/** A source by which one policy allows something that another one blocks. */
export interface Lost {
  readonly source: string;
  readonly directive: string;
  /** The directive of the other policy that decides. */
  readonly blockedBy: string;
}

/** The first source of a value that allows what another value blocks, on pages over https; null: none is found. */
export function lostSource(wide: CompiledCsp, narrow: CompiledCsp): Lost | null {
  const [one, other] = [wide.policies[0], narrow.policies[0]];
  if (one === undefined || other === undefined) return null;
  if (wide.policies.length > 1 || narrow.policies.length > 1) return null; // no policy of the service is several
  for (const [directive, list] of one.lists) {
    const deciding = decidingFor(directive, other);
    const found = deciding === null ? undefined : lostIn(list, deciding);
    if (deciding !== null && found !== undefined)
      return { source: found.text, directive, blockedBy: deciding.directive.name };
  }
  return null;
}

/** What decides in a policy about the loads that a directive of another one names. */
function decidingFor(directive: string, { lists }: CompiledPolicy): SourceList | null {
  const chain: readonly string[] = CHAINS.find((names) => names.includes(directive)) ?? [];
  const name = chain.slice(chain.indexOf(directive)).find((each) => lists.has(each));
  return (name !== undefined && lists.get(name)) || null;
}

/** Longest last: `script-src` falls back to `default-src`, however it comes up behind `worker-src`. */
const CHAINS: readonly (readonly string[])[] = Object.values(FALLBACKS)
  .slice()
  .sort((a, b) => a.length - b.length);

const MOST_SOURCES = 50;

function lostIn(list: SourceList, deciding: SourceList): Source | undefined {
  const there = new Set(deciding.directive.sources.map(({ text }) => text));
  return list.directive.sources
    .filter(({ text }) => !there.has(text))
    .slice(0, MOST_SOURCES)
    .find((source) => isLost(source, list, deciding));
}

function isLost({ text }: Source, list: SourceList, deciding: SourceList): boolean {
  switch (readSource(text).form) {
    case "host":
    case "scheme":
      return isUrlLost(text, list, deciding);
    case "keyword":
      return isKeywordLost(text, list, deciding);
    case "hash":
      return isRefused(text, deciding);
    case "nonce":
    case "odd":
      return false;
  }
}

/** Hosts and schemes mean the same in each directive, and only connections have schemes of their own. */
function isUrlLost(text: string, list: SourceList, deciding: SourceList): boolean {
  if ([list, deciding].some(({ keywords }) => keywords.has("'strict-dynamic'"))) return false; // they do not count
  const name = list.directive.name === "connect-src" ? "connect-src" : "script-src";
  const sources = deciding.directive.sources.map((each) => each.text).join(" ");
  return witness(`${name} ${sources}`, `${name} ${text}`, PAGES) !== null;
}

const PAGES = ["https://page.example/"];

function isKeywordLost(text: string, list: SourceList, deciding: SourceList): boolean {
  switch (text.toLowerCase()) {
    case "'self'": // whether one of its hosts is the page's own, nobody can tell
      return deciding.urls.length === 0 && deciding.star === null && deciding.self === null;
    case "'unsafe-inline'": // beside nonces and hashes, browsers pass over it
      return list.nonces.size + list.hashes.size === 0 && isRefused(text, deciding);
    case "'unsafe-eval'":
    case "'wasm-unsafe-eval'":
      return isRefused(text, deciding);
    default:
      return false;
  }
}

function isRefused(text: string, { directive }: SourceList): boolean {
  const sources = directive.sources.map((each) => each.text).join(" ");
  return includes(`${directive.name} ${sources}`, `${directive.name} ${text}`) === false;
}
