import type { Effect, PlannedChange } from "../../plan/generated/plan-document.js";
import { plain } from "../plain.js";
import { quoted, quotedBoth } from "../values.js";
import type { ChangeView } from "../view.js";
import { SIGNS, WORST_FIRST, type Words } from "../words.js";
import { html, joined, type Markup, shown } from "./markup.js";

/** With a sign and a word, so that colour is never the only mark. */
export function effectBadge(effect: Effect, words: Words): Markup {
  return html`<span class="badge ${effect}">${sign(effect)} ${words.leads[effect]}</span>`;
}

export function sign(effect: Effect): Markup {
  return html`<b>${SIGNS[effect]}</b>`;
}

/** `2 weaken`, behind its sign. */
export function effectCount(effect: Effect, n: number, { countWords }: Words): Markup {
  const { singular, plural } = countWords[effect];
  return html`<span class="${effect}">${sign(effect)} ${n} ${n === 1 ? singular : plural}</span>`;
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

export function effectCounts(changes: readonly ChangeView[], words: Words): Markup {
  const counts = byEffect(changes).map(([effect, { length }]) => effectCount(effect, length, words));
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
