import { quoted } from "../model/cut.js";
import { pointerOf } from "../model/item.js";
import { isObject } from "../model/json.js";
import { type Problem, warning } from "../model/problem.js";
import type { Layer } from "./layers.js";
import type { OpenZone } from "./zone.js";
import { UNKNOWN_VAR } from "./zone-vars.js";

/** Finds `vars` that no zone refers to. */
export class UnusedVars {
  readonly #unused = new Map<string, () => Problem>();
  readonly #used = new Set<string>();

  see(zone: OpenZone): void {
    // A misspelt reference may mean any of the vars.
    const isMisspelt = zone.problems.some(({ code }) => code === UNKNOWN_VAR);
    for (const layer of zone.layers) {
      const { vars } = layer.body;
      for (const name of isObject(vars) ? Object.keys(vars) : []) {
        const path = [...layer.base, "vars", name];
        const spot = `${layer.source.file} ${pointerOf(path)}`;
        if (isMisspelt || zone.usedVars.has(name)) this.#used.add(spot);
        else this.#unused.set(spot, () => unusedVar(name, layer));
      }
    }
  }

  problems(): readonly Problem[] {
    return [...this.#unused].flatMap(([spot, problem]) => (this.#used.has(spot) ? [] : [problem()]));
  }
}

function unusedVar(name: string, { source, base }: Layer): Problem {
  const detail = `No zone that has this var uses \${vars.${name}}. Use it, or remove it.`;
  const at = source.span([...base, "vars", name], "key");
  return warning("unused_var", `Unused var ${quoted(name)}`, detail, at);
}
