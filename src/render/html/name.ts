import type { PlannedChange } from "../../plan/generated/plan-document.js";
import { quoted, quotedBoth } from "../changed.js";
import { plain } from "../plain.js";
import { html, type Markup, shown } from "./markup.js";

/** `policy "Checkout scripts"`; of a kind with one object a zone, the kind says it all. */
export function nameOf({ kind, key, was }: PlannedChange): Markup {
  if (key === kind) return html`${kind}`;
  if (was === undefined) return html`${kind} <strong>${shown(quoted(key))}</strong>`;
  const [now, before] = quotedBoth(key, was);
  return html`${kind} <strong>${shown(now)}</strong> <span class="faint">(was ${shown(before)})</span>`;
}

/** The same in short, for a link. */
export function shortName({ kind, key }: Pick<PlannedChange, "kind" | "key">): string {
  return plain(key === kind ? kind : `${kind} ${key}`, MAX_CHARS);
}

const MAX_CHARS = 60;
