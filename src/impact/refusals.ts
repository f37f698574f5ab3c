import type { LoadKind } from "../csp/directives.js";
import {
  allowingSource,
  type CompiledCsp,
  type CompiledPolicy,
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

/** A detection on a page, as all that is known of the load. */
export interface Trial {
  readonly kind: LoadKind;
  readonly url: string;
  /** One for each origin the page may have, else for each sort of page, and each way of asking; null: the URL is none that a page loads. */
  readonly loads: readonly Load[] | null;
  readonly host: string;
  /** Whether the URL stands for all that begin with it. It ends where a folder does, so what allows it allows them all. */
  readonly isPrefix: boolean;
}

/** @param origins those that the page may have; none: nothing is known of it */
export function trial(
  kind: LoadKind,
  { url: written, reports }: Pick<Detected, "url" | "reports">,
  origins: readonly string[],
): Trial {
  const isPrefix = reports?.path_prefix === true;
  const url = written.length > MOST_URL_CHARS ? null : readUrl(written);
  if (url === null || !isLoaded(url)) return { kind, url: written, loads: null, host: "", isPrefix };
  const pages = origins.length === 0 ? somePages(url) : origins;
  const loads = pages.flatMap((page) => prepareAll({ kind, page, url: url.href }));
  return { kind, url: written, loads, host: url.hostname, isPrefix };
}

/** Servers take none that is longer, so it was never loaded as it stands there. */
const MOST_URL_CHARS = 65_536;

/** Pages load from the network, and what they have made or written themselves. */
function isLoaded({ protocol }: URL): boolean {
  return NETWORK_SCHEMES.has(protocol.slice(0, -1)) || protocol === "data:" || protocol === "blob:";
}

/** Pages that stand for all: of the load's own host and of another one. No secure page loads what is not secure. */
function somePages({ protocol, host }: URL): readonly string[] {
  const schemes = protocol === "http:" || protocol === "ws:" ? ["http"] : ["http", "https"];
  const hosts = host === "" ? ["another.invalid"] : [host, "another.invalid"];
  return schemes.flatMap((scheme) => hosts.map((each) => `${scheme}://${each}/`));
}

/**
 * Whether a value refuses a load. What lets a script pass whatever its URL (a nonce, a hash, a script that inserts it)
 * is not in a detection, so where a value has such sources a refusal is not certain.
 *
 * @param upgrades whether the browser upgrades insecure requests before it asks this value
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

/** How many sources of a value decide about a load. */
export function sourcesFor({ policies }: CompiledCsp, { kind, loads }: Trial): number {
  const sources = policies.map(({ deciding }) => 1 + (deciding[kind]?.urls.length ?? 0));
  return sources.reduce((sum, each) => sum + each, 0) * (loads?.length ?? 1);
}

/** Of loads that stand for one of which too little is known: what is the same for all. */
function refusesAll(csp: CompiledCsp, [first, ...others]: readonly Load[], isPrefix: boolean): Truth {
  const answer = first === undefined ? "unknown" : refusesLoad(csp, first, isPrefix);
  return others.every((load) => refusesLoad(csp, load, isPrefix) === answer) ? answer : "unknown";
}

function refusesLoad(csp: CompiledCsp, load: Load, isPrefix: boolean): Truth {
  let answer: Truth = false;
  for (const { deciding } of csp.policies) {
    const list = deciding[load.kind];
    if (list === null || isAllowed(csp, list, load)) continue;
    // Browsers that do not know hashes of URLs heed the hosts.
    const isAllowedInOlder = list.older !== null && isAllowed(csp, list.older, load);
    const isOpen = isAllowedInOlder || (load.kind === "script" && mayBeTrusted(list));
    if (!isOpen && !(isPrefix && isAllowedInPart(csp, list, load))) return true;
    answer = "unknown";
  }
  return answer;
}

/** Whether some of the URLs for which one stands may be allowed, although not all are. */
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

/** The value for loads from one host, without the sources of other hosts: few are left of a long list. */
export function narrowed(csp: CompiledCsp, host: string): CompiledCsp {
  return { ...csp, policies: csp.policies.map((policy) => narrowedPolicy(policy, host)) };
}

function narrowedPolicy(policy: CompiledPolicy, host: string): CompiledPolicy {
  const { script, connection } = policy.deciding;
  const deciding = {
    script: script && narrowedList(script, host),
    connection: connection && narrowedList(connection, host),
  };
  return { ...policy, deciding };
}

function narrowedList(list: SourceList, host: string): SourceList {
  return { ...list, urls: list.urls.filter((source) => mayName(source, host)) };
}

function mayName({ host: of }: SourceList["urls"][number], host: string): boolean {
  switch (of?.match) {
    case "exact":
      return of.text === host;
    case "subdomains":
      return host.endsWith(of.text);
    default:
      return true;
  }
}

function mayBeTrusted(list: SourceList): boolean {
  return list.nonces.size > 0 || list.hashes.size > 0 || isDynamic(list);
}
