import { equal } from "../model/json.js";
import type { PartChange } from "../model/plan.js";
import { canonicalSources, meantSources, writtenSources } from "./canonical.js";
import { type Csp, type Directive, inForce, parsedCsp } from "./syntax.js";

/**
 * What each directive gains and loses, in the spelling of its author; empty exactly when the values are equal.
 * Directives come in the order of `after`, then those that only `before` has. After a comma, which starts another
 * policy, parts are called `policy 2: img-src`, and policies are compared by their position.
 */
export function diff(before: string, after: string): readonly PartChange[] {
  const was = parts(parsedCsp(before));
  const is = parts(parsedCsp(after));
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((part) =>
    partChange(part, was.get(part), is.get(part)),
  );
}

function parts(csp: Csp): ReadonlyMap<string, Directive> {
  return new Map(
    csp.policies.flatMap((policy, at) =>
      Array.from(inForce(policy), ([name, directive]): [string, Directive] => [
        at === 0 ? name : `policy ${at + 1}: ${name}`,
        directive,
      ]),
    ),
  );
}

function partChange(part: string, was: Directive | undefined, is: Directive | undefined): PartChange[] {
  if (was && is && equal(canonicalSources(was), canonicalSources(is))) return [];
  const before = shown(was);
  const after = shown(is);
  return [
    {
      part,
      change: was === undefined ? "added" : is === undefined ? "removed" : "changed",
      added: without(after, before),
      removed: without(before, after),
    },
  ];
}

/** Where nothing is meant, what is written: people look for the `'none'`. */
function shown(directive: Directive | undefined): ReadonlyMap<string, string> {
  if (directive === undefined) return new Map();
  const meant = meantSources(directive);
  return meant.size > 0 ? meant : writtenSources(directive);
}

function without(these: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): readonly string[] {
  return [...these].flatMap(([key, written]) => (others.has(key) ? [] : [written]));
}
