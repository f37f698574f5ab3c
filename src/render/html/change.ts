import type { PlannedChange, PlannedDimension } from "../../plan/generated/plan-document.js";
import { originText, placeText } from "../origin-text.js";
import { OUTSIDE_ACTIONS } from "../outside.js";
import { plain } from "../plain.js";
import { isAny, witnessText } from "../reasons.js";
import type { PlanView } from "../view.js";
import { effectBadge, effectOf, sign } from "./effects.js";
import { fieldsTable } from "./fields.js";
import { impactTable } from "./impact.js";
import { html, joined, type Markup, shown } from "./markup.js";
import { nameOf } from "./name.js";
import type { NumberedChange } from "./report.js";

/** A change: what it does to protection and why, what is different, and what that does to what pages load. */
export function changeArticle({ n, change, first }: NumberedChange, view: PlanView): Markup {
  const effect = effectOf(change, view.about);
  return html`<article class="change ${effect}-edge" id="c${n}">
<h4>${effectBadge(effect, view.about)} <span class="do">${doingText(change, view.about)}</span> ${nameOf(change)}</h4>
${placesLine(change, view)}${first === null ? whole(change, view) : sameAs(first, change)}${change.impact === undefined ? html`` : impactTable(change.impact)}</article>
`;
}

function doingText({ action, replaces }: PlannedChange, about: PlanView["about"]): string {
  if (about === "drift") return OUTSIDE_ACTIONS[action];
  return replaces === true ? "replace" : action;
}

/** Where it stands in the files or stood in the base, and what was done outside. */
function placesLine(change: PlannedChange, { about }: PlanView): Markup {
  const { action, id, origin, replaces } = change;
  const place = placeText(change);
  // Of drift it is already said that something happened outside.
  const outside = about === "drift" && origin === "drift" ? null : originText(change);
  const parts = [
    ...(place === null ? [] : [html`<code>${place}</code>`]),
    // Names need not be unique in the live state, so what is deleted also shows its id.
    ...((action === "delete" || replaces === true) && id !== null ? [html`<code>${id}</code>`] : []),
    ...(origin === "declared" ? [html`declared`] : []),
    ...(outside === null ? [] : [html`<strong class="warning">${outside}</strong>`]),
  ];
  return parts.length === 0 ? html`` : html`<p class="places">${joined(parts, html` · `)}</p>\n`;
}

function whole(change: PlannedChange, view: PlanView): Markup {
  return html`${reasons(change, view)}${fieldsTable(change, view)}`;
}

/** What many zones have in common is told once; what shows it can be another request in each. */
function sameAs({ n, change }: Pick<NumberedChange, "n" | "change">, { dimensions }: PlannedChange): Markup {
  return html`<p class="same">The same as in <a href="#c${n}">${change.zone}</a>.${dimensions.map(example)}</p>\n`;
}

function reasons({ dimensions }: PlannedChange, { about }: PlanView): Markup {
  if (dimensions.length === 0) return html``;
  const head = about === "drift" ? html`<p class="lead">Going back:</p>` : html``;
  return html`${head}<ul class="reasons">${dimensions.map(reason)}</ul>
`;
}

function reason(dimension: PlannedDimension): Markup {
  const { effect, why } = dimension;
  return html`<li><span class="${effect}">${sign(effect)}</span> <span class="vh">${effect}: </span>${shown(plain(why, MAX_CHARS))}${example(dimension)}</li>`;
}

function example({ witness }: PlannedDimension): Markup {
  if (witness === null || isAny(witness)) return html``;
  return html`<span class="witness">e.g. ${shown(witnessText(witness))}</span>`;
}

/** Reasons quote values and expressions; these stand below, whole. */
const MAX_CHARS = 600;
