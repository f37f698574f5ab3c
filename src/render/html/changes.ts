import type { PlannedChange, PlannedDimension, PlannedImpact } from "../../plan/generated/plan-document.js";
import { impactMoves, type Move, type ShownDetection, unseenText, untriedText } from "../impact-moves.js";
import { capital, count, plain } from "../plain.js";
import { witnessText } from "../values.js";
import type { ChangeView, PlanView, ZoneView } from "../view.js";
import { effectBadge, effectCounts, nameOf, sign } from "./effects.js";
import { fieldsTable } from "./fields.js";
import { html, joined, type Markup, shown } from "./markup.js";

/** What changes, zone by zone. */
export function changesSection(view: PlanView): Markup {
  const { zones, words, changes: all, groups } = view;
  const changed = zones.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) return html``;
  const isFolded = all.length > MAX_OPEN;
  const firsts = new Map(groups.flatMap(({ members }) => members.map((each) => [each, members[0]])));
  const body = ({ changes }: ZoneView) =>
    html`${changes.map((each) => changeArticle(each, firsts.get(each) ?? each, view))}`;
  const sections = changed.map((zone) => {
    const sums = effectCounts(zone.changes, words);
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
  return html`<section id="changes"><h2>${words.page.changes}</h2>
${sections}</section>
`;
}

/** With more changes the zones are folded. */
const MAX_OPEN = 200;

/**
 * A change: what it does to protection and why, what is different, and what that does to what pages load.
 *
 * @param first of the changes that are the same: there it is told
 */
function changeArticle(shown: ChangeView, first: ChangeView, view: PlanView): Markup {
  const { n, change, effect, verb } = shown;
  return html`<article class="change ${effect}-edge" id="c${n}">
<h4>${effectBadge(effect, view.words)} <span class="do">${verb}</span> ${nameOf(change)}</h4>
${placesLine(shown)}${first === shown ? wholeChange(shown, view) : sameAs(first, change)}${change.impact === undefined ? html`` : impactTable(change.impact)}</article>
`;
}

/** Where it stands in the files or stood in the base, and what was done outside. */
function placesLine({ change, place, id, origin }: ChangeView): Markup {
  const parts = [
    ...(place === null ? [] : [html`<code>${place}</code>`]),
    ...(id === null ? [] : [html`<code>${id}</code>`]),
    ...(change.origin === "declared" ? [html`declared`] : []),
    ...(origin === null ? [] : [html`<strong class="warning">${origin}</strong>`]),
  ];
  return parts.length === 0 ? html`` : html`<p class="places">${joined(parts, html` · `)}</p>\n`;
}

function wholeChange(shown: ChangeView, view: PlanView): Markup {
  return html`${reasons(shown.change, view)}${fieldsTable(shown, view)}`;
}

/** What many zones have in common is told once; what shows it can be another request in each. */
function sameAs({ n, change }: ChangeView, { dimensions }: PlannedChange): Markup {
  return html`<p class="same">The same as in <a href="#c${n}">${change.zone}</a>.${dimensions.map(example)}</p>\n`;
}

function reasons({ dimensions }: PlannedChange, { words: { going } }: PlanView): Markup {
  if (dimensions.length === 0) return html``;
  const head = going === "" ? html`` : html`<p class="lead">${capital(going.trim())}</p>`;
  return html`${head}<ul class="reasons">${dimensions.map(reasonItem)}</ul>
`;
}

function reasonItem(dimension: PlannedDimension): Markup {
  const { effect, why } = dimension;
  return html`<li><span class="${effect}">${sign(effect)}</span> <span class="vh">${effect}: </span>${shown(plain(why, MAX_REASON_CHARS))}${example(dimension)}</li>`;
}

function example({ witness }: PlannedDimension): Markup {
  const text = witnessText(witness);
  return text === null ? html`` : html`<span class="witness">e.g. ${shown(text)}</span>`;
}

/** Reasons quote values and expressions; these stand below, whole. */
const MAX_REASON_CHARS = 600;

/** What a change does to what pages load today, each script and connection that it touches. */
function impactTable(impact: PlannedImpact): Markup {
  const unknown = unseenText(impact) ?? untriedText(impact);
  const note =
    unknown === null ? html`` : html`<p class="places"><strong class="warning">${unknown}</strong></p>\n`;
  return html`${note}${movesTable(impact)}`;
}

function movesTable(impact: PlannedImpact): Markup {
  const moves = impactMoves(impact, Number.POSITIVE_INFINITY);
  if (moves.length === 0) return html``;
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
