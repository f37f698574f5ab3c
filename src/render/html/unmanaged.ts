import type { UnmanagedObject } from "../../plan/generated/plan-document.js";
import { count, plain } from "../plain.js";
import { doesText, listingLine, PRESENCE, undeclaredName } from "../undeclared.js";
import { html, type Markup, shown } from "./markup.js";
import type { Report, ZoneReport } from "./report.js";

/** What is live and no file declares is told, so that leaving it alone is a choice that somebody sees. */
export function unmanagedSection({ plan, zones }: Report): Markup {
  if (plan.unmanaged.length === 0) return html``;
  const isFolded = plan.unmanaged.length > MAX_OPEN;
  const rows = zones.flatMap(rowsOf);
  const table = html`<div class="box"><table class="unmanaged"><caption>What is live and no file declares: it is left as it is</caption>
<thead><tr><th scope="col">Zone</th><th scope="col">Effect</th><th scope="col">What it is and does</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
  return html`<section id="unmanaged"><h2>Not managed</h2>
${isFolded ? html`<details><summary>${count(plan.unmanaged.length, "object")}</summary>${table}</details>` : table}</section>
`;
}

const MAX_OPEN = 50;

function rowsOf({ zone, unmanaged }: ZoneReport): readonly Markup[] {
  const news = unmanaged.filter(({ known }) => known === "not_listed");
  const line = listingLine(news);
  return [
    ...unmanaged.map((each) => row(zone.zone, each)),
    ...(line === null
      ? []
      : [
          html`<tr><th scope="row">${zone.zone}</th><td></td><td>To list as known, in the zone: <code>${shown(plain(line))}</code></td></tr>\n`,
        ]),
  ];
}

function row(zone: string, each: UnmanagedObject): Markup {
  const { effect, known } = each;
  const name = shown(undeclaredName(each, MAX_CHARS));
  const listed = known === "not_listed" ? "" : known === "listed" ? "listed as known" : "now listed as known";
  return html`<tr><th scope="row">${zone}</th><td>${known === "listed" ? listed : PRESENCE[effect]}${known === "newly_listed" ? `, ${listed}` : ""}</td><td>${name} ${shown(doesText(each))}</td></tr>\n`;
}

const MAX_CHARS = 200;
