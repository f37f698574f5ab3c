import { isDropped } from "../csp/foreign-character.js";
import { inForce } from "../csp/in-force.js";
import { type Csp, parse } from "../csp/parse.js";
import { render } from "../csp/render.js";
import type { Layer } from "../model/strength.js";
import type { Move } from "./ways.js";

/** Browsers ignore the directive in what only reports. */
export function compareUpgrades(before: Layer, after: Layer): Move | null {
  if (before.mode === "report" || after.mode === "report") return null;
  const [did, does] = [upgrades(before.csp), upgrades(after.csp)];
  if (did === does) return null;
  return does
    ? { way: "stronger", why: `${UPGRADE} added: insecure loads are upgraded` }
    : { way: "weaker", why: `${UPGRADE} removed: insecure loads are no longer upgraded` };
}

/**
 * Two CSPs to be compared by what they allow. An upgrade that only one has makes loads pass, or not, that go another
 * way than before: that is compared by itself.
 */
export function withoutUpgrades(before: Layer, after: Layer): readonly [before: string, after: string] {
  const [did, does] = [before, after].map(({ mode, csp }) => mode === "enforce" && upgrades(csp));
  return did && does ? [before.csp, after.csp] : [withoutUpgrade(before.csp), withoutUpgrade(after.csp)];
}

/** The CSP of a layer as far as browsers obey it. */
export function obeyed({ mode, csp }: Layer): string {
  return mode === "report" ? withoutUpgrade(csp) : csp;
}

const UPGRADE = "upgrade-insecure-requests";

function upgrades(csp: string): boolean {
  return parse(csp).policies.some((policy) => {
    const directive = inForce(policy).get(UPGRADE);
    return directive !== undefined && !isDropped(directive);
  });
}

function withoutUpgrade(csp: string): string {
  if (!csp.toLowerCase().includes(UPGRADE)) return csp;
  const policies = parse(csp).policies.map(({ directives }) => ({
    directives: directives.filter(({ name }) => name !== UPGRADE),
  }));
  return render({ policies } satisfies Csp);
}
