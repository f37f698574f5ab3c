import type { Effect, PlannedChange } from "../../plan/generated/plan-document.js";
import { PLANNED } from "../effect.js";
import { OUTSIDE_WORDS, outsideEffect, WORST_FIRST } from "../outside.js";
import { plain } from "../plain.js";
import { SIGNS } from "../reasons.js";
import { quoted, quotedBoth } from "../values.js";
import { OUTSIDE } from "../verdict.js";
import type { PlanView } from "../view.js";
import { html, joined, type Markup, shown } from "./markup.js";

/** What a change does to protection; of drift, what was done outside the files. */
export function effectOf(change: PlannedChange, about: PlanView["about"]): Effect {
  return about === "drift" ? outsideEffect(change) : change.effect;
}

/** Colour is never alone: there are a sign and the word. */
export function effectBadge(effect: Effect, about: PlanView["about"]): Markup {
  const words = about === "drift" ? OUTSIDE_WORDS[effect] : effect;
  return html`<span class="badge ${effect}">${sign(effect)} ${words}</span>`;
}

export function sign(effect: Effect): Markup {
  return html`<b>${SIGNS[effect]}</b>`;
}

/** `2 weaken`, behind its sign. */
export function effectCount(effect: Effect, n: number, about: PlanView["about"]): Markup {
  const words = (about === "drift" ? OUTSIDE : PLANNED).find((each) => each.effect === effect);
  return html`<span class="${effect}">${sign(effect)} ${n} ${(n === 1 ? words?.one : words?.several) ?? effect}</span>`;
}

/** The effects that there are, each with the changes that have it, the worst first. */
export function byEffect<Of extends { readonly change: PlannedChange }>(
  changes: readonly Of[],
  about: PlanView["about"],
): readonly (readonly [Effect, readonly [Of, ...Of[]]])[] {
  return WORST_FIRST.flatMap((effect) => {
    const [first, ...others] = changes.filter(({ change }) => effectOf(change, about) === effect);
    return first === undefined ? [] : [[effect, [first, ...others]] as const];
  });
}

/** As many as there are of each. */
export function effectCounts(
  changes: readonly { readonly change: PlannedChange }[],
  about: PlanView["about"],
): Markup {
  const counts = byEffect(changes, about).map(([effect, some]) => effectCount(effect, some.length, about));
  return joined(counts, html`, `);
}

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
