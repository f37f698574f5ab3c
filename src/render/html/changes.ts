import { count } from "../plain.js";
import { changeArticle } from "./change.js";
import { effectCounts } from "./effects.js";
import { html, type Markup } from "./markup.js";
import type { Report, ZoneReport } from "./report.js";

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
