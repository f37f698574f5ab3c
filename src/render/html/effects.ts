import type { Effect, PlannedChange } from "../../plan/generated/plan-document.js";
import { PLANNED } from "../effect.js";
import { OUTSIDE_WORDS, outsideEffect, WORST_FIRST } from "../outside.js";
import { SIGNS } from "../reasons.js";
import { OUTSIDE } from "../verdict.js";
import type { PlanView } from "../view.js";
import { html, joined, type Markup } from "./markup.js";

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
