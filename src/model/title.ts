import { cutEnd } from "./cut.js";

/** Summaries by code. A … stands for the text that the problem is about. */
export type Titles = { readonly [code: string]: string };

/** The summary of a problem about a text, on one line. */
export function titleOf(titles: Titles, code: string, other: string, text: string): string {
  const shown = cutEnd(text.replace(/\s+/g, " ").trim(), MAX_CHARS);
  const title = titles[code] ?? other;
  return shown === "" ? title.replace(/:? ?…$/, "") : title.replace("…", () => shown);
}

const MAX_CHARS = 40;
