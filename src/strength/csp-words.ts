import { diff } from "../csp/diff.js";
import { valueForm } from "../csp/directives.js";
import { includes } from "../csp/inclusion/includes.js";
import { type Directive, inForce, parse } from "../csp/syntax.js";

import type { PartChange } from "../model/plan.js";
import { listed } from "./listed.js";
import type { Way } from "./ways.js";

/** What a change of a CSP means, directive by directive: `script-src also allows cdn.example.net`. */
export function cspWords(way: Way, before: string, after: string): string {
  if (way === "unknown") return `whether less is allowed cannot be decided (${changed(before, after)})`;
  const sides = { before: directivesOf(before), after: directivesOf(after) };
  const words = diff(before, after).flatMap((part) => partWords(part, way, sides));
  return words.length === 0 ? IN_GENERAL[way] : listed(words, "; ");
}

function changed(before: string, after: string): string {
  return listed(diff(before, after).map(({ part }) => part));
}

const IN_GENERAL = { weaker: "more is allowed", stronger: "less is allowed", mixed: "other is allowed" };

function partWords(
  { part, change, added, removed }: PartChange,
  way: Exclude<Way, "unknown">,
  sides: { readonly before: Directives; readonly after: Directives },
): readonly string[] {
  if (REPORTING.has(nameOf(part))) return [];
  if (change === "removed") return [`${part} removed`];
  if (change === "added") return [added.length === 0 ? `${part} added` : `${part} added: ${listed(added)}`];
  if (valueForm(nameOf(part)) !== "sources") return [`${part} changed`];
  const gained = way === "stronger" ? [] : allowing(added, sides.before.get(part));
  const lost = way === "weaker" ? [] : allowing(removed, sides.after.get(part));
  const says = [
    ...(gained.length === 0 ? [] : [`also allows ${listed(gained)}`]),
    ...(lost.length === 0 ? [] : [`no longer allows ${listed(lost)}`]),
  ];
  return says.length === 0 ? [] : [`${part} ${says.join(", and ")}`];
}

/** They say where reports go. */
const REPORTING: ReadonlySet<string> = new Set(["report-to", "report-uri"]);

/** Of `policy 2: img-src` the directive. */
function nameOf(part: string): string {
  return part.slice(part.lastIndexOf(" ") + 1);
}

type Directives = ReadonlyMap<string, Directive>;

/** By the names that `diff` gives them. */
function directivesOf(csp: string): Directives {
  return new Map(
    parse(csp).policies.flatMap((policy, at) =>
      [...inForce(policy)].map(
        ([name, directive]) => [at === 0 ? name : `policy ${at + 1}: ${name}`, directive] as const,
      ),
    ),
  );
}

/** Those that the other side does not allow anyway. */
function allowing(sources: readonly string[], other: Directive | undefined): readonly string[] {
  const some = sources.filter((source) => source.toLowerCase() !== "'none'");
  if (other === undefined || some.length > MOST_TRIED) return some;
  return some.filter((source) => !isNeedless(source, other));
}

/** More of them are listed as they are. */
const MOST_TRIED = 20;

/** Of what is in quotes, most says how the rest is meant, and allows nothing by itself. */
function isNeedless(source: string, { name, sources }: Directive): boolean {
  if (source.startsWith("'") && source.toLowerCase() !== "'self'") return false;
  const all = [name, ...sources.map(({ text }) => text)].join(" ");
  return includes(all, `${name} ${source}`) === true;
}
