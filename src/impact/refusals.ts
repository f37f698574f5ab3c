import type { LoadKind } from "../csp/directives.js";
import {
  allowingSource,
  type CompiledCsp,
  isDynamic,
  type Load,
  namesSomeBelow,
  prepareAll,
  type SourceList,
} from "../csp/match/allows.js";
import { NETWORK_SCHEMES } from "../csp/match/match-source.js";
import type { Truth } from "../expression/value.js";
import type { Detected } from "../model/detection.js";
import { readUrl } from "../model/url.js";

/** A detection on a page, with everything known about the load. */
export interface Trial {
  readonly kind: LoadKind;
  readonly url: string;
  /** One load for each possible page origin and each way of asking. Null: pages cannot load the URL. */
  readonly loads: readonly Load[] | null;
  /** Whether the URL stands for all URLs below a folder. A source that allows the folder allows all of them. */
  readonly isPrefix: boolean;
}

/** @param origins the possible origins of the page; none: unknown */
export function trial(
  kind: LoadKind,
  { url: text, reports }: Pick<Detected, "url" | "reports">,
  origins: readonly string[],
): Trial {
  const isPrefix = reports?.path_prefix === true;
  const url = text.length > MOST_URL_CHARS ? null : readUrl(text);
  if (url === null || !isLoaded(url)) return { kind, url: text, loads: null, isPrefix };
  const pages = origins.length === 0 ? examplePages(url) : origins;
  const loads = pages.flatMap((page) => prepareAll({ kind, page, url: url.href }));
  return { kind, url: text, loads, isPrefix };
}

/** Servers reject longer URLs, so such a URL was never loaded as written. */
const MOST_URL_CHARS = 65_536;

/** Pages load from the network, or data that they made themselves. */
function isLoaded({ protocol }: URL): boolean {
  return NETWORK_SCHEMES.has(protocol.slice(0, -1)) || protocol === "data:" || protocol === "blob:";
}

/** Example pages of the load's own host and of another host. A secure page loads nothing insecure. */
function examplePages({ protocol, host }: URL): readonly string[] {
  const schemes = protocol === "http:" || protocol === "ws:" ? ["http"] : ["http", "https"];
  const hosts = host === "" ? ["another.invalid"] : [host, "another.invalid"];
  return schemes.flatMap((scheme) => hosts.map((each) => `${scheme}://${each}/`));
}

/**
 * Whether a CSP refuses a load. A detection does not show whether a script was allowed by a nonce, by a hash or by the
 * script that inserts it, so a refusal by a CSP with such sources is uncertain.
 *
 * @param upgrades whether the browser upgrades insecure requests before it asks this CSP
 */
export function refuses(csp: CompiledCsp, { kind, loads, isPrefix }: Trial, upgrades: Truth): Truth {
  if (csp.policies.every(({ deciding }) => deciding[kind] === null)) return false;
  if (loads === null) return "unknown";
  const answers = (upgrades === "unknown" ? [true, false] : [upgrades]).map((upgradesInsecure) =>
    refusesAll({ ...csp, upgradesInsecure }, loads, isPrefix),
  );
  const [first = "unknown"] = answers;
  return answers.every((each) => each === first) ? first : "unknown";
}

/** The number of sources in a CSP that decide about a load. */
export function sourcesFor({ policies }: CompiledCsp, { kind, loads }: Trial): number {
  const sources = policies.map(({ deciding }) => 1 + (deciding[kind]?.urls.length ?? 0));
  return sources.reduce((sum, each) => sum + each, 0) * (loads?.length ?? 1);
}

/** The answer for several loads that stand for one: known only if all agree. */
function refusesAll(csp: CompiledCsp, [first, ...otherLoads]: readonly Load[], isPrefix: boolean): Truth {
  const answer = first === undefined ? "unknown" : refusesLoad(csp, first, isPrefix);
  return otherLoads.every((load) => refusesLoad(csp, load, isPrefix) === answer) ? answer : "unknown";
}

function refusesLoad(csp: CompiledCsp, load: Load, isPrefix: boolean): Truth {
  let answer: Truth = false;
  for (const { deciding } of csp.policies) {
    const list = deciding[load.kind];
    if (list === null || isAllowed(csp, list, load)) continue;
    // Older browsers ignore hashes of URLs and use the hosts.
    const isAllowedInOlder = list.older !== null && isAllowed(csp, list.older, load);
    const isOpen = isAllowedInOlder || (load.kind === "script" && mayBeTrusted(list));
    if (!isOpen && !(isPrefix && isAllowedInPart(csp, list, load))) return true;
    answer = "unknown";
  }
  return answer;
}

/** Whether a source may allow some of the URLs below the prefix. */
function isAllowedInPart(
  { upgradesInsecure }: CompiledCsp,
  list: SourceList,
  { page, steps }: Load,
): boolean {
  if (steps === null) return false;
  return steps.every((step) => namesSomeBelow(list, page, upgradesInsecure ? step.upgraded : step.target));
}

function isAllowed(csp: CompiledCsp, list: SourceList, load: Load): boolean {
  if (load.steps === null) return false;
  return load.steps.every((step) => allowingSource(csp, list, load, step) !== null);
}

function mayBeTrusted(list: SourceList): boolean {
  return list.nonces.size > 0 || list.hashes.size > 0 || isDynamic(list);
}
