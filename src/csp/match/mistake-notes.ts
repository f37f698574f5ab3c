import { check } from "../check.js";
import { BROWSER_DIRECTIVES, SERVICE_DIRECTIVES } from "../directives.js";
import { type Directive, parse } from "../parse.js";

/** What makes a value one that cannot be used, and mistakes in the directives that refused a load; a few at most. */
export function mistakeNotes(csp: string, refusing: readonly Directive[]): readonly string[] {
  const isInRefusing = (at: number) => refusing.some(({ start, end }) => start <= at && at < end);
  const told = check(csp, KNOWN).filter(({ severity, code, start }) => {
    if (code === "csp_comma") return !isMeant(csp);
    return severity === "error" || (isInRefusing(start) && code !== "csp_no_sources");
  });
  return [...new Set(told.map(({ message }) => message))].slice(0, MOST);
}

/** Who asks about several policies at once writes each as one. */
function isMeant(csp: string): boolean {
  return parse(csp).policies.every(({ directives: [first] }) => first !== undefined && KNOWN.has(first.name));
}

/** Directives that only the service does not know do not change what a browser loads. */
const KNOWN: ReadonlySet<string> = new Set([...SERVICE_DIRECTIVES, ...BROWSER_DIRECTIVES]);

const MOST = 3;
