import { parse } from "../parse/parse.js";
import { normalise } from "./normalise.js";
import { render } from "./render.js";

/** An expression in one spelling of all that mean the same tree; a text that is none, without needless whitespace. */
export function uniform(text: string): string {
  const parsed = parse(text);
  return parsed.ok ? render(parsed.tree) : normalise(text);
}
