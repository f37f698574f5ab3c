import { diff, partsOf } from "../csp/diff.js";
import { REPORT_DIRECTIVES, valueForm } from "../csp/directives.js";
import { includes } from "../csp/inclusion/includes.js";
import { NETWORK_SCHEMES } from "../csp/match/match-source.js";
import { type Directive, readSource } from "../csp/syntax.js";
import type { PartChange } from "../model/plan.js";
import type { Layer } from "../model/strength.js";
import { listText, type Way } from "./move.js";
import { isNowhere, on, onAny } from "./scope-words.js";

export function startWords({ mode, where }: Layer): string {
  return `starts to ${DOES[mode]} ${on(where, "page")}`;
}

export function endWords(removed: Layer, after: Layer | null): string {
  if (after !== null && isNowhere(after.where)) return "no longer on any page";
  return `no longer ${DOES[removed.mode]}s ${onAny(removed.where, "page")}`;
}

const DOES = { enforce: "block", report: "report" } as const;

/** The words for a CSP change, directive by directive: `script-src also allows cdn.example.net`. */
export function cspWords(way: Way, before: string, after: string): string {
  const parts = sortedBy(diff(before, after), ({ part }) => directiveOrder(nameOf(part)));
  const names = listText(parts.map(({ part }) => part));
  if (way === "unknown") return `unknown whether less is allowed (${names})`;
  const sides = { before: partsOf(before), after: partsOf(after) };
  const words = parts.flatMap((part) => partWords(part, way, sides));
  return words.length === 0 ? IN_GENERAL[way] : listText(words, "; ");
}

/** Long lists are cut at the end, so directives that run code come first and passive content comes last. */
function directiveOrder(directive: string): number {
  if (/^(?:script|default)-src/.test(directive)) return 0;
  return /^(?:style|img|font|media|manifest|prefetch)-src/.test(directive) ? 2 : 1;
}

/** Sources in the same spirit: whole networks and inline code first, then wildcards that cover more hosts. */
function sourceOrder(source: string): number {
  const parsed = readSource(source);
  switch (parsed.form) {
    case "scheme":
      return NETWORK_SCHEMES.has(parsed.scheme) ? 0 : 1;
    case "keyword":
      return /unsafe|dynamic/.test(parsed.keyword) ? 1 : Infinity;
    case "host":
      if (parsed.host === "*") return 0;
      return parsed.host.startsWith("*") ? parsed.host.split(".").length : Infinity;
    default:
      return Infinity;
  }
}

function listedSources(sources: readonly string[]): string {
  return listText(sortedBy(sources, sourceOrder));
}

/** A stable sort: items with equal keys keep their order. */
function sortedBy<Item>(items: readonly Item[], key: (item: Item) => number): readonly Item[] {
  return [...items].sort((a, b) => (key(a) === key(b) ? 0 : key(a) - key(b)));
}

const IN_GENERAL = {
  weaker: "more is allowed",
  stronger: "less is allowed",
  mixed: "some is newly allowed, some no longer",
};

function partWords(
  { part, change, added, removed }: PartChange,
  way: Exclude<Way, "unknown">,
  sides: Readonly<Record<"before" | "after", ReadonlyMap<string, Directive>>>,
): readonly string[] {
  if (REPORT_DIRECTIVES.has(nameOf(part))) return [];
  if (change === "removed") return [`${part} removed`];
  if (change === "added")
    return [added.length === 0 ? `${part} added` : `${part} added: ${listedSources(added)}`];
  if (valueForm(nameOf(part)) !== "sources") return [`${part} changed`];
  const newSources = way === "stronger" ? [] : notAllowedBy(added, sides.before.get(part));
  const lostSources = way === "weaker" ? [] : notAllowedBy(removed, sides.after.get(part));
  const clauses = [
    ...(newSources.length === 0 ? [] : [`also allows ${listedSources(newSources)}`]),
    ...(lostSources.length === 0 ? [] : [`no longer allows ${listedSources(lostSources)}`]),
  ];
  return clauses.length === 0 ? [] : [`${part} ${clauses.join(", and ")}`];
}

/** The directive in `policy 2: img-src`. */
function nameOf(part: string): string {
  return part.slice(part.lastIndexOf(" ") + 1);
}

/** The sources that the other side does not allow already. */
function notAllowedBy(sources: readonly string[], other: Directive | undefined): readonly string[] {
  const candidates = sources.filter((source) => source.toLowerCase() !== "'none'");
  if (other === undefined || candidates.length > MOST_TRIED) return candidates;
  return candidates.filter((source) => !isNeedless(source, other));
}

/** A longer list is shown untested. */
const MOST_TRIED = 20;

/** Most quoted sources qualify other sources and allow nothing by themselves. */
function isNeedless(source: string, { name, sources }: Directive): boolean {
  if (source.startsWith("'") && source.toLowerCase() !== "'self'") return false;
  const directiveText = [name, ...sources.map(({ text }) => text)].join(" ");
  return includes(directiveText, `${name} ${source}`) === true;
}
