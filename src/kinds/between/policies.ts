import { FALLBACKS } from "../../csp/directives.js";
import { includes } from "../../csp/inclusion/includes.js";
import { witness } from "../../csp/inclusion/witness.js";
import { type CompiledCsp, type CompiledPolicy, compile, type SourceList } from "../../csp/match/allows.js";
import { readSource, type Source } from "../../csp/syntax.js";
import { areApart, coverage } from "../../expression/coverage/coverage.js";
import { cut } from "../../model/cut.js";
import { type Item, isSameWithinReading } from "../../model/item.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { itemsOf, type ZoneState } from "../../model/zone-state.js";
import { type Finding, warningAt } from "../kind.js";

const SETTINGS = { kind: "settings", section: "settings" } as const;
const POLICIES = { kind: "policy", section: "policies" } as const;

/** Whether a policy is in force and blocks loads that it does not allow. */
function isBlocking({ enabled, action }: SealedObject): boolean {
  return enabled === true && action === "allow";
}

/** Whether a policy is in force and reports loads that it would block. */
function isReporting({ enabled, action }: SealedObject): boolean {
  return enabled === true && action === "log";
}

/** A policy's name for a message. */
function nameOf({ normal }: Pick<Item, "normal">): string {
  return JSON.stringify(cut(asText(normal.description ?? ""), MAX_NAME_CHARS));
}

const MAX_NAME_CHARS = 80;

/**
 * Warns of enabled policies while the service is off. They stay in force (the service's documentation), although the
 * setting suggests otherwise.
 */
export function policiesWhileOff(state: ZoneState): readonly Finding[] {
  const settings = itemsOf(state, SETTINGS.kind).find(({ normal }) => normal.enabled === false);
  const policies = itemsOf(state, POLICIES.kind).filter(({ normal }) => normal.enabled === true);
  return settings === undefined || policies.length === 0 ? [] : [whileOffWarning(settings, policies)];
}

function whileOffWarning({ at }: Item, policies: readonly Item[]): Finding {
  const blocking = policies.filter(({ normal }) => isBlocking(normal));
  const consequence =
    blocking.length > 0
      ? `With client-side security off, ${nameList(blocking)} still ${blocking.length === 1 ? "blocks" : "block"} what ${blocking.length === 1 ? "it does" : "they do"} not allow`
      : `With client-side security off, ${nameList(policies)} ${policies.length === 1 ? "stays" : "stay"} in force`;
  const detail = `${consequence}. Switch the policies off too (enabled: false), or leave client-side security on. While client-side security is off, nothing is detected or reported.`;
  return warningAt(
    [...(at ?? [SETTINGS.section]), "enabled"],
    "policies_while_off",
    "Policies stay in force while client-side security is off",
    detail,
  );
}

const MAX_NAMED = 3;

function nameList(policies: readonly Item[]): string {
  const names = policies.slice(0, MAX_NAMED).map(nameOf);
  const restCount = policies.length - names.length;
  const shown = restCount > 0 ? [...names, `${restCount} more`] : names;
  return shown.length === 1 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/**
 * Warns of policies that start to block without a reporting period. The service's documentation recommends a week of
 * reports first.
 */
export function untriedBlocks(after: ZoneState, before: ZoneState): readonly Finding[] {
  const live = itemsOf(before, POLICIES.kind);
  const tried = live.filter(({ normal }) => isReporting(normal) || isBlocking(normal));
  if (tried.length > MOST_TRIED) return [];
  return itemsOf(after, POLICIES.kind).flatMap((policy) => {
    const was = live.find(({ ref }) => isSameWithinReading(ref, policy.ref))?.normal ?? null;
    const isUntried =
      startsToBlock(policy, was) && !tried.some(({ normal }) => isTrialOf(normal, policy.normal));
    return isUntried ? [untriedWarning(policy, was)] : [];
  });
}

/** A service has fewer policies. With more, the check is skipped. */
const MOST_TRIED = 20;

function startsToBlock({ normal, at }: Item, was: SealedObject | null): boolean {
  return at !== null && isBlocking(normal) && (was === null || !isBlocking(was));
}

/** Whether the tried policy covers all pages and all blocked loads of the policy. In doubt it does. */
function isTrialOf(tried: SealedObject, policy: SealedObject): boolean {
  const [where, pages] = [tried, policy].map(({ expression }) => asText(expression ?? ""));
  const [reported, refused] = [tried, policy].map(({ value }) => asText(value ?? ""));
  return (
    includes(refused ?? "", reported ?? "") !== false &&
    ["equal", "superset", "unknown"].includes(coverage(where ?? "", pages ?? ""))
  );
}

function untriedWarning({ normal, at }: Item, was: SealedObject | null): Finding {
  const name = nameOf({ normal });
  const before =
    was !== null && isReporting(was)
      ? `${name} has reported so far, but with other pages or another value`
      : `${name} would block at once, and no live policy has reported (action: log) for its pages and value`;
  return warningAt(
    [...(at ?? [POLICIES.section]), "action"],
    "blocks_untried",
    "Policy blocks without a reporting period",
    `${before}. Apply it with action: log first, read the reports, then set action: allow. Cloudflare recommends seven days of reports.`,
  );
}

/**
 * Warns of two policies on the same pages if one blocks a source that the other allows. Browsers load only what every
 * policy allows, but people write policies as if one were enough.
 */
export function combinedBlocks(state: ZoneState): readonly Finding[] {
  const blocking = itemsOf(state, POLICIES.kind).filter(({ normal }) => isBlocking(normal));
  return pairsOf(blocking).flatMap((pair) => {
    const conflict = conflictOf(pair);
    return conflict === null ? [] : [conflictWarning(conflict)];
  });
}

type Pair = readonly [Item, Item];

/** A service has fewer policies. Pairs of unmanaged policies are not checked. */
const MOST_PAIRS = 100;

function pairsOf(policies: readonly Item[]): readonly Pair[] {
  const pairs = policies
    .slice(0, MOST_PAIRS)
    .flatMap((first, index) => policies.slice(index + 1, MOST_PAIRS).map((second): Pair => [first, second]));
  return pairs.filter(([first, second]) => first.at !== null || second.at !== null).slice(0, MOST_PAIRS);
}

/** A source that one policy allows and another policy blocks. */
interface Conflict {
  readonly allowing: Item;
  readonly blocking: Item;
  readonly source: string;
  readonly directive: string;
  /** The directive of the other policy that blocks the source. */
  readonly blockedBy: string;
}

/**
 * A policy for fewer pages may well be stricter than one for more pages. If each policy has pages of its own, they
 * conflict only if each blocks a source of the other.
 */
function conflictOf([first, second]: Pair): Conflict | null {
  const [firstPages, secondPages] = [pagesOf(first), pagesOf(second)];
  if (areApart(firstPages, secondPages)) return null;
  const lostByFirst = lostBetween(first, second);
  const lostBySecond = lostBetween(second, first);
  if (lostByFirst === null && lostBySecond === null) return null;
  switch (coverage(firstPages, secondPages)) {
    case "equal":
      return lostByFirst ?? lostBySecond;
    case "subset":
      return lostByFirst;
    case "superset":
      return lostBySecond;
    case "overlaps":
      return lostByFirst !== null && lostBySecond !== null ? lostByFirst : null;
    case "disjoint":
    case "unknown":
      return null;
  }
}

function pagesOf({ normal: { expression } }: Item): string {
  return asText(expression ?? "");
}

function lostBetween(allowing: Item, blocking: Item): Conflict | null {
  const [wide, narrow] = [shortValueOf(allowing), shortValueOf(blocking)];
  const lost = wide === null || narrow === null ? null : lostSource(compile(wide), compile(narrow));
  return lost && { allowing, blocking, ...lost };
}

/** Null: the value is too long to check. */
function shortValueOf({ normal: { value } }: Item): string | null {
  const text = asText(value ?? "");
  return text.length > MOST_CHARS ? null : text;
}

/** Several times the service's limit. */
const MOST_CHARS = 20_000;

function conflictWarning({ allowing, blocking, ...lost }: Conflict): Finding {
  const [allowingName, blockingName] = [nameOf(allowing), nameOf(blocking)];
  const source = cut(lost.source, MAX_SOURCE_CHARS);
  const by = lost.blockedBy === lost.directive ? "" : ` by its ${lost.blockedBy}`;
  const detail = `On pages of both, ${blockingName} blocks${by} ${source}, which ${allowingName} allows in ${lost.directive}. Allow it in ${blockingName}, exclude these pages from ${blockingName}, or remove it from ${allowingName}. Browsers load only what every policy of a page allows.`;
  const { at } = allowing.at === null ? blocking : allowing;
  return warningAt(
    [...(at ?? [POLICIES.section]), "value"],
    "policies_combined",
    `${blockingName} blocks what ${allowingName} allows`,
    detail,
  );
}

const MAX_SOURCE_CHARS = 100;

/** The first source of one value that the other value blocks, on https pages. Null: not found. */
function lostSource(wide: CompiledCsp, narrow: CompiledCsp) {
  const [allowing, blocking] = [wide.policies[0], narrow.policies[0]];
  if (allowing === undefined || blocking === undefined) return null;
  if (wide.policies.length > 1 || narrow.policies.length > 1) return null; // the service takes one CSP per policy
  for (const [directive, list] of allowing.lists) {
    const deciding = decidingFor(directive, blocking);
    const source = deciding === null ? undefined : lostIn(list, deciding);
    if (deciding !== null && source !== undefined)
      return { source: source.text, directive, blockedBy: deciding.directive.name };
  }
  return null;
}

/** The directive by which a policy decides about the loads of a directive of another policy. */
function decidingFor(directive: string, { lists }: CompiledPolicy): SourceList | null {
  const chain: readonly string[] = CHAINS.find((names) => names.includes(directive)) ?? [];
  const name = chain.slice(chain.indexOf(directive)).find((each) => lists.has(each));
  return (name !== undefined && lists.get(name)) || null;
}

/** Sorted from short to long, so that `script-src` finds its own chain before that of `worker-src`. */
const CHAINS: readonly (readonly string[])[] = Object.values(FALLBACKS)
  .slice()
  .sort((a, b) => a.length - b.length);

const MOST_SOURCES = 50;

function lostIn(list: SourceList, deciding: SourceList): Source | undefined {
  const decidingTexts = new Set(deciding.directive.sources.map(({ text }) => text));
  return list.directive.sources
    .filter(({ text }) => !decidingTexts.has(text))
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
    case "url-hash":
    case "eval-hash":
    case "odd":
      return false;
  }
}

/** Hosts and schemes mean the same in every directive, except that connections have their own schemes. */
function isUrlLost(text: string, list: SourceList, deciding: SourceList): boolean {
  // Browsers ignore hosts and schemes beside 'strict-dynamic'.
  if ([list, deciding].some(({ keywords }) => keywords.has("'strict-dynamic'"))) return false;
  if (list.urlHashes.size > 0) return false;
  const name = list.directive.name === "connect-src" ? "connect-src" : "script-src";
  const sources = deciding.directive.sources.map((each) => each.text).join(" ");
  return witness(`${name} ${sources}`, `${name} ${text}`, OVER_HTTPS) !== null;
}

const OVER_HTTPS = ["https://page.example/"];

function isKeywordLost(text: string, list: SourceList, deciding: SourceList): boolean {
  switch (text.toLowerCase()) {
    case "'self'": // one of its hosts may be the page's own
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
