import { equal as isSame } from "../model/json.js";
import type { PartChange } from "../model/plan.js";
import { canonicalSources, effectiveSources, writtenSources } from "./canonical.js";
import { type Directive, inForce, parsedCsp } from "./syntax.js";

/**
 * The sources that each directive gains and loses, as their author wrote them. Empty exactly when the values are equal.
 * Directives come in the order of `after`, then those of `before` alone. Policies after a comma are compared by
 * position, and their parts are called `policy 2: img-src`.
 */
export function diff(before: string, after: string): readonly PartChange[] {
  const [partsBefore, partsAfter] = [partsOf(before), partsOf(after)];
  return [...new Set([...partsAfter.keys(), ...partsBefore.keys()])].flatMap((part) =>
    partChange(part, partsBefore.get(part), partsAfter.get(part)),
  );
}

/** The directives in force, by the name of their part. */
export function partsOf(csp: string): ReadonlyMap<string, Directive> {
  return new Map(
    parsedCsp(csp).policies.flatMap((policy, at) =>
      Array.from(inForce(policy), ([name, directive]): [string, Directive] => [
        at === 0 ? name : `policy ${at + 1}: ${name}`,
        directive,
      ]),
    ),
  );
}

function partChange(part: string, old: Directive | undefined, next: Directive | undefined): PartChange[] {
  if (old && next && isSame(canonicalSources(old), canonicalSources(next))) return [];
  const before = shownSources(old);
  const after = shownSources(next);
  return [
    {
      part,
      change: old === undefined ? "added" : next === undefined ? "removed" : "changed",
      added: without(after, before),
      removed: without(before, after),
    },
  ];
}

/** Without effective sources, the written sources: readers look for the `'none'`. */
function shownSources(directive: Directive | undefined): ReadonlyMap<string, string> {
  if (directive === undefined) return new Map();
  const sources = effectiveSources(directive);
  return sources.size > 0 ? sources : writtenSources(directive);
}

function without(
  sources: ReadonlyMap<string, string>,
  excluded: ReadonlyMap<string, string>,
): readonly string[] {
  return [...sources].flatMap(([key, written]) => (excluded.has(key) ? [] : [written]));
}
