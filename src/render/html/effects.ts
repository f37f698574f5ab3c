import type { Effect, PlannedChange } from "../../plan/generated/plan-document.js";
import { plain } from "../safe-text.js";
import { quoted, quotedBoth } from "../values.js";
import type { ChangeView } from "../view.js";
import { EFFECTS, WORST_FIRST } from "../words.js";
import { html, joined, type Markup, shown } from "./markup.js";

/** With a sign and a word, so that colour is never the only mark. */
export function effectBadge(effect: Effect): Markup {
  return html`<span class="badge ${effect}">${sign(effect)} ${effect}</span>`;
}

export function sign(effect: Effect): Markup {
  return html`<b>${EFFECTS[effect].sign}</b>`;
}

/** `2 weaken`, behind its sign. */
export function effectCount(effect: Effect, n: number): Markup {
  return html`<span class="${effect}">${sign(effect)} ${n} ${n === 1 ? effect : EFFECTS[effect].plural}</span>`;
}

/** The changes by effect, the worst first. */
export function byEffect(
  changes: readonly ChangeView[],
): readonly (readonly [Effect, readonly [ChangeView, ...ChangeView[]]])[] {
  return WORST_FIRST.flatMap((effect) => {
    const [first, ...otherChanges] = changes.filter((each) => each.effect === effect);
    return first === undefined ? [] : [[effect, [first, ...otherChanges]] as const];
  });
}

export function effectCounts(changes: readonly ChangeView[]): Markup {
  const counts = byEffect(changes).map(([effect, { length }]) => effectCount(effect, length));
  return joined(counts, html`, `);
}

/** `policy "Checkout scripts"`; for a kind with one object a zone, just the kind. */
export function nameOf({ kind, key, was }: PlannedChange): Markup {
  if (key === kind) return html`${kind}`;
  if (was === undefined) return html`${kind} <strong>${shown(quoted(key))}</strong>`;
  const [now, before] = quotedBoth(key, was);
  return html`${kind} <strong>${shown(now)}</strong> <span class="faint">(was ${shown(before)})</span>`;
}

/** The first few names and the number of others, and all names where there are more. */
export function zoneNames(zones: readonly string[]): { readonly few: Markup; readonly all: Markup | null } {
  const names = zones.map((zone) => html`${zone}`);
  const few = joined(names.slice(0, MAX_NAMED), html`, `);
  if (names.length <= MAX_NAMED) return { few, all: null };
  return { few: html`${few} and ${names.length - MAX_NAMED} more`, all: joined(names, html`, `) };
}

export const MAX_NAMED = 5;

/** The object of a change, for a link. */
export function shortName({ kind, key }: Pick<PlannedChange, "kind" | "key">): string {
  return plain(key === kind ? kind : `${kind} ${key}`, MAX_CHARS);
}

const MAX_CHARS = 60;
