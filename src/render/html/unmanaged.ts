import { quoted } from "../changed.js";
import { count } from "../plain.js";
import { html, joined, type Markup, shown } from "./markup.js";
import type { Report, ZoneReport } from "./report.js";

/** Undeclared live objects are named, so that leaving them alone is a choice that somebody sees. */
export function unmanagedSection({ plan, zones }: Report): Markup {
  if (plan.unmanaged.length === 0) return html``;
  const isFolded = plan.unmanaged.length > MAX_OPEN;
  const rows = zones.filter(({ unmanaged }) => unmanaged.length > 0).map(row);
  const table = html`<div class="box"><table class="unmanaged"><caption>Live objects that no file declares: they are left as they are</caption>
<thead><tr><th scope="col">Zone</th><th scope="col">Objects</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
  return html`<section id="unmanaged"><h2>Not managed</h2>
${isFolded ? html`<details><summary>${count(plan.unmanaged.length, "object")}</summary>${table}</details>` : table}</section>
`;
}

const MAX_OPEN = 50;

function row({ zone, unmanaged }: ZoneReport): Markup {
  const names = unmanaged.map(({ kind, key, id }) =>
    key === "" ? html`${kind} ${id ?? "?"}` : html`${kind} ${shown(quoted(key, MAX_CHARS))}`,
  );
  return html`<tr><th scope="row">${zone.zone}</th><td>${joined(names, html`, `)}</td></tr>\n`;
}

const MAX_CHARS = 200;
