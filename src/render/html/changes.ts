import type { PlannedChange, PlannedDimension, PlannedImpact } from "../../plan/generated/plan-document.js";
import {
  impactMoves,
  type Move,
  nothingMovedText,
  type ShownDetection,
  unseenText,
} from "../impact-moves.js";
import { originText, placeText } from "../origin-text.js";
import { OUTSIDE_ACTIONS } from "../outside.js";
import { count, plain } from "../plain.js";
import { isAny, witnessText } from "../reasons.js";
import type { PlanView } from "../view.js";
import { effectBadge, effectCounts, effectOf, nameOf, sign } from "./effects.js";
import { fieldsTable } from "./fields.js";
import { html, joined, type Markup, shown } from "./markup.js";
import type { NumberedChange, Report, ZoneReport } from "./report.js";

/** What changes, zone by zone. */
export function changesSection({ zones, plan, view }: Report): Markup {
  const changed = zones.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) return html``;
  const isFolded = plan.changes.length > MAX_OPEN;
  const body = ({ changes }: ZoneReport) => html`${changes.map((each) => changeArticle(each, view))}`;
  const sections = changed.map((zone) => {
    const sums = effectCounts(zone.changes, view.about);
    const articles = isFolded
      ? html`<details><summary>${count(zone.changes.length, "change")}: ${sums}</summary>
${body(zone)}</details>`
      : html`<p class="sums">${sums}</p>
${body(zone)}`;
    const id = zone.zone.zone_id === null ? html`` : html` <code>${zone.zone.zone_id}</code>`;
    return html`<section class="zone" id="z${zone.n}"><h3>${zone.zone.zone}${id}</h3>
${articles}</section>
`;
  });
  return html`<section id="changes"><h2>${view.about === "drift" ? "What moved outside the files" : "Changes"}</h2>
${sections}</section>
`;
}

/** With more changes the zones are folded. */
const MAX_OPEN = 200;

/** A change: what it does to protection and why, what is different, and what that does to what pages load. */
function changeArticle({ n, change, first }: NumberedChange, view: PlanView): Markup {
  const effect = effectOf(change, view.about);
  return html`<article class="change ${effect}-edge" id="c${n}">
<h4>${effectBadge(effect, view.about)} <span class="do">${doingText(change, view.about)}</span> ${nameOf(change)}</h4>
${placesLine(change, view)}${first === null ? wholeChange(change, view) : sameAs(first, change)}${change.impact === undefined ? html`` : impactTable(change.impact)}</article>
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

function wholeChange(change: PlannedChange, view: PlanView): Markup {
  return html`${reasons(change, view)}${fieldsTable(change, view)}`;
}

/** What many zones have in common is told once; what shows it can be another request in each. */
function sameAs({ n, change }: Pick<NumberedChange, "n" | "change">, { dimensions }: PlannedChange): Markup {
  return html`<p class="same">The same as in <a href="#c${n}">${change.zone}</a>.${dimensions.map(example)}</p>\n`;
}

function reasons({ dimensions }: PlannedChange, { about }: PlanView): Markup {
  if (dimensions.length === 0) return html``;
  const head = about === "drift" ? html`<p class="lead">Going back:</p>` : html``;
  return html`${head}<ul class="reasons">${dimensions.map(reasonItem)}</ul>
`;
}

function reasonItem(dimension: PlannedDimension): Markup {
  const { effect, why } = dimension;
  return html`<li><span class="${effect}">${sign(effect)}</span> <span class="vh">${effect}: </span>${shown(plain(why, MAX_REASON_CHARS))}${example(dimension)}</li>`;
}

function example({ witness }: PlannedDimension): Markup {
  if (witness === null || isAny(witness)) return html``;
  return html`<span class="witness">e.g. ${shown(witnessText(witness))}</span>`;
}

/** Reasons quote values and expressions; these stand below, whole. */
const MAX_REASON_CHARS = 600;

/** What a change does to what pages load today, each script and connection that it touches. */
function impactTable(impact: PlannedImpact): Markup {
  const unseen = unseenText(impact);
  const note =
    unseen === null ? html`` : html`<p class="places"><strong class="warning">${unseen}</strong></p>\n`;
  return html`${note}${movesTable(impact, unseen !== null)}`;
}

function movesTable(impact: PlannedImpact, isUnseen: boolean): Markup {
  const moves = impactMoves(impact, Number.POSITIVE_INFINITY);
  if (moves.length === 0)
    return isUnseen ? html`` : html`<p class="places">${nothingMovedText(impact)}</p>\n`;
  const all = moves.reduce((sum, { shown }) => sum + shown.length, 0);
  if (all <= MAX_OPEN_ROWS) return impactRows(moves);
  return html`<details class="box"><summary>${joined(moves.map(sumOf), html`; `)}</summary>${impactRows(moves)}</details>\n`;
}

/** With more rows the table is folded. */
const MAX_OPEN_ROWS = 20;

function impactRows(moves: readonly Move[]): Markup {
  return html`<div class="box"><table class="impact"><caption>On what pages load today</caption>
<thead><tr><th scope="col">URL</th><th scope="col">Seen on</th><th scope="col">Known as</th></tr></thead>
${moves.map(moveGroup)}</table></div>
`;
}

function moveGroup(move: Move): Markup {
  return html`<tbody><tr><th scope="rowgroup" colspan="3">${sumOf(move)}</th></tr>
${move.shown.map(detectionRow)}</tbody>
`;
}

function sumOf({ heading, sum, isDanger }: Move): Markup {
  return html`<strong class="${isDanger ? "error" : "ink"}">${heading}:</strong> ${sum}`;
}

function detectionRow({ mark, isMalicious, url, page }: ShownDetection): Markup {
  const seen = page === null ? html`<span class="faint">no known page</span>` : html`${page}`;
  const known = isMalicious ? html`<strong class="error">${mark}</strong>` : html`${mark}`;
  return html`<tr><th scope="row">${url}</th><td>${seen}</td><td>${known}</td></tr>\n`;
}
