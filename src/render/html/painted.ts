import type { Palette } from "../palette.js";
import { html, type Markup, shown } from "./markup.js";

/**
 * A palette for words that other formats have too: it marks what is painted with control characters, of which a visible
 * text has none.
 */
export const MARKING: Palette = {
  add: marking("add"),
  change: marking("change"),
  remove: marking("remove"),
  strong: marking("strong"),
  faint: marking("faint"),
  error: marking("error"),
  warning: marking("warning"),
};

const OPEN = "\u0001";
const CLOSE = "\u0002";

function marking(paint: keyof Palette): (text: string) => string {
  return (text) => `${OPEN}${paint}${OPEN}${text}${CLOSE}`;
}

/** A visible text with marks as markup. */
export function painted(text: string): Markup {
  const pieces = text.split(PAINTED).map((piece, index, all) => {
    if (index % 3 === 1) return null;
    if (index % 3 === 0) return shown(piece);
    return html`<span class="${all[index - 1] ?? ""}">${shown(piece)}</span>`;
  });
  return html`${pieces.filter((each) => each !== null)}`;
}

/** Of a text that is split by it, every third piece is painted, and the one before says how. */
const PAINTED = new RegExp(`${OPEN}(\\w+)${OPEN}([^${CLOSE}]*)${CLOSE}`);
