import { cut } from "../../model/cut.js";
import { html, joined, type Markup, shown } from "./markup.js";

/** A visible text as a value: a long one is cut, with the whole of it behind. */
export function value(text: string, brief = cut(text, BRIEF_CHARS)): Markup {
  if (text.length <= LONG_CHARS) return inLines(text);
  return html`<details><summary>${shown(brief)}</summary><div class="whole">${shown(text)}</div></details>`;
}

const LONG_CHARS = 600;
const BRIEF_CHARS = 200;
const LINE_CHARS = 90;

/** A long CSP value takes a line per directive. */
function inLines(text: string): Markup {
  if (text.length <= LINE_CHARS) return shown(text);
  return joined(text.split(/(?<=; )/).map(shown), html`<br>`);
}
