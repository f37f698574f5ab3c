import type { PlannedImpact } from "../../plan/generated/plan-document.js";
import {
  impactMoves,
  type Move,
  nothingMovedText,
  type ShownDetection,
  unseenText,
} from "../impact-moves.js";
import { html, joined, type Markup } from "./markup.js";

/** What a change does to what pages load today, each script and connection that it touches. */
export function impactTable(impact: PlannedImpact): Markup {
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
  if (all <= MAX_OPEN) return table(moves);
  return html`<details class="box"><summary>${joined(moves.map(sumOf), html`; `)}</summary>${table(moves)}</details>\n`;
}

/** With more rows the table is folded. */
const MAX_OPEN = 20;

function table(moves: readonly Move[]): Markup {
  return html`<div class="box"><table class="impact"><caption>On what pages load today</caption>
<thead><tr><th scope="col">URL</th><th scope="col">Seen on</th><th scope="col">Known as</th></tr></thead>
${moves.map(group)}</table></div>
`;
}

function group(move: Move): Markup {
  return html`<tbody><tr><th scope="rowgroup" colspan="3">${sumOf(move)}</th></tr>
${move.shown.map(row)}</tbody>
`;
}

function sumOf({ heading, sum, isDanger }: Move): Markup {
  return html`<strong class="${isDanger ? "error" : "ink"}">${heading}:</strong> ${sum}`;
}

function row({ mark, isMalicious, url, page }: ShownDetection): Markup {
  const seen = page === null ? html`<span class="faint">no known page</span>` : html`${page}`;
  const known = isMalicious ? html`<strong class="error">${mark}</strong>` : html`${mark}`;
  return html`<tr><th scope="row">${url}</th><td>${seen}</td><td>${known}</td></tr>\n`;
}
