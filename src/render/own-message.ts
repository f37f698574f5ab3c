import type { Diagnostic } from "../plan/generated/plan-document.js";

/** What is said where its title stands already, and the name of its zone where it has one. */
export function ownMessage({ zone, message }: Diagnostic, title: string): string {
  const said = without(`${title}. `, message);
  return zone === undefined ? said : without(`${zone}: `, said);
}

/** A title is a title, whether it begins a sentence or not. */
function without(start: string, text: string): string {
  const isThere = text.slice(0, start.length).toLowerCase() === start.toLowerCase();
  return isThere ? text.slice(start.length) : text;
}
