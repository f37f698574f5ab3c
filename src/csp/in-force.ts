import type { Directive, Policy } from "./parse.js";

/** The directives that browsers obey, by name and in the order written: the first of each name. */
export function inForce(policy: Policy): ReadonlyMap<string, Directive> {
  const first = new Map<string, Directive>();
  for (const directive of policy.directives) {
    if (!first.has(directive.name)) first.set(directive.name, directive);
  }
  return first;
}
