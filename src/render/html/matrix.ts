import { FAILED } from "../failures.js";
import { count } from "../plain.js";
import { byEffect, effectCount } from "./effects.js";
import { html, joined, type Markup } from "./markup.js";
import type { NumberedChange, Report, ZoneReport } from "./report.js";

interface Column {
  readonly name: string;
  readonly heading: string;
}

/** Zones by kinds: what changes, and which way. Of many zones only those where something is to be seen are rows. */
export function matrixSection(report: Report): Markup {
  const { zones, view } = report;
  const telling = zones.filter(({ zone, changes }) => changes.length > 0 || zone.status === "failed");
  const rows = zones.length <= MAX_QUIET ? zones : telling;
  const others = zones.length - rows.length;
  const columns = columnsOf(report);
  const rest =
    others === 0 ? html`` : html`<p class="faint">${count(others, "more zone")}: ${QUIET[view.about]}.</p>\n`;
  const table = html`<div class="box tall"><table class="matrix"><caption>${CAPTIONS[view.about]}</caption>
<thead><tr><th scope="col">Zone</th>${columns.map(({ heading }) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map((zone) => row(zone, columns, report))}</tbody></table></div>
`;
  return html`<section id="zones"><h2>Zones</h2>
${rows.length === 0 ? html`` : table}${rest}</section>
`;
}

/** As many zones are shown even where nothing changes in them. */
const MAX_QUIET = 20;

const QUIET = { plan: "unchanged", drift: "nothing moved" } as const;

const CAPTIONS = {
  plan: "What changes in each zone, by kind, and what that does to protection",
  drift: "What was changed outside the files in each zone, by kind, and what that did to protection",
} as const;

/** In the registry's order, and what it does not know behind. */
function columnsOf({ plan, view }: Report): readonly Column[] {
  const known = view.kinds.map(({ name, section }) => ({ name, heading: section }));
  const names = new Set(known.map(({ name }) => name));
  const others = [...new Set(plan.changes.map(({ kind }) => kind))].filter((kind) => !names.has(kind));
  return [...known, ...others.map((kind) => ({ name: kind, heading: kind }))];
}

function row({ n, zone, changes }: ZoneReport, columns: readonly Column[], { view }: Report): Markup {
  const name = changes.length === 0 ? html`${zone.zone}` : html`<a href="#z${n}">${zone.zone}</a>`;
  if (zone.status === "failed")
    return html`<tr><th scope="row">${name}</th><td colspan="${columns.length}"><strong class="error">${FAILED[view.about]}</strong></td></tr>\n`;
  const cells = columns.map((column) => {
    const own = changes.filter(({ change }) => change.kind === column.name);
    return html`<td>${own.length === 0 ? html`<span class="faint">${QUIET[view.about]}</span>` : links(own, view.about)}</td>`;
  });
  return html`<tr><th scope="row">${name}</th>${cells}</tr>\n`;
}

/** Each count leads to the first of the changes that it counts. */
function links(changes: readonly NumberedChange[], about: Report["view"]["about"]): Markup {
  const counts = byEffect(changes, about).map(
    ([effect, [first, ...others]]) =>
      html`<a href="#c${first.n}">${effectCount(effect, 1 + others.length, about)}</a>`,
  );
  return joined(counts, html` · `);
}
