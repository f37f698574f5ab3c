import { plain } from "../safe-text.js";

/** HTML that is safe in a page. The key is a private symbol, so data from a file or the service cannot pass as markup. */
export interface Markup {
  readonly [MARKUP]: string;
}

const MARKUP = Symbol("markup");

export type Part = string | number | Markup | readonly Markup[];

/**
 * HTML as a template. Parts are made visible, cut and escaped; only markup stays markup. Inside a tag, only numbers and
 * single words of the program are allowed.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = "";
  let isInTag = false;
  for (const [index, literal] of literals.entries()) {
    text += literal;
    isInTag = endsInTag(literal, isInTag);
    const part = parts[index];
    if (part !== undefined) text += isInTag ? inTag(part) : between(part);
  }
  return { [MARKUP]: text };
}

/** Markup of a text that is visible already. */
export function shown(text: string): Markup {
  return { [MARKUP]: escaped(text) };
}

/** A link. The view has checked the address. */
export function linkTo(address: string, text: string): Markup {
  if (!/^https:[\w.:/?=-]+$/.test(address)) throw new Error("an address of the dashboard has no other signs");
  return { [MARKUP]: `<a href="${address}" rel="noreferrer">${escaped(plain(text))}</a>` };
}

export function joined(all: readonly Markup[], separator: Markup): Markup {
  return { [MARKUP]: all.map(markupText).join(separator[MARKUP]) };
}

export function markupText(markup: Markup): string {
  return markup[MARKUP];
}

function endsInTag(literal: string, wasInTag: boolean): boolean {
  const opened = literal.lastIndexOf("<");
  const closed = literal.lastIndexOf(">");
  return opened === closed ? wasInTag : opened > closed;
}

function between(part: Part): string {
  if (typeof part === "string") return escaped(plain(part));
  if (typeof part === "number") return String(part);
  return MARKUP in part ? part[MARKUP] : part.map(markupText).join("");
}

function inTag(part: Part): string {
  if (typeof part === "number" || (typeof part === "string" && /^[\w+/=-]*$/.test(part))) return `${part}`;
  throw new Error("within a tag there are only numbers and words of ours");
}

/** Quotes need no escape, since text only stands between tags. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
