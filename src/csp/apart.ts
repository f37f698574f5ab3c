import { rememberedText } from "../model/remembered.js";
import { FALLBACKS } from "./match/fallback.js";
import { parse } from "./parse.js";

/** Whether two values stop nothing in common, since their directives speak of different things. False: they may. */
export function areApart(a: string, b: string): boolean {
  const [one, other] = [decidedBy(a), decidedBy(b)];
  return one !== null && other !== null && ![...one].some((effective) => other.has(effective));
}

/** The effective directives that a value decides. Null: it may decide more than those. */
const decidedBy = rememberedText((csp: string): ReadonlySet<string> | null => {
  const written = new Set(
    parse(csp).policies.flatMap(({ directives }) => directives.map(({ name }) => name)),
  );
  for (const name of REPORTING) written.delete(name);
  if (![...written].every((name) => KNOWN.has(name))) return null;
  const decided = Object.entries(FALLBACKS).filter(([, chain]) => chain.some((name) => written.has(name)));
  return new Set(decided.map(([effective]) => effective));
});

/** They say where reports go, and stop nothing. */
const REPORTING: readonly string[] = ["report-to", "report-uri"];

const KNOWN: ReadonlySet<string> = new Set(Object.values(FALLBACKS).flat());
