import { jsonText } from "../../model/json-text.js";
import type { PlannedCall } from "../../plan/generated/plan-document.js";
import { count } from "../plain.js";
import { html, joined, type Markup, shown } from "./markup.js";
import { shortName } from "./name.js";
import type { Report, ZoneReport } from "./report.js";

/** What is sent, in order within each zone. */
export function callsSection(report: Report): Markup {
  const { plan, zones } = report;
  if (plan.calls.length === 0) return html``;
  const called = zones.filter(({ calls }) => calls.length > 0);
  return html`<section id="calls"><h2>Calls in order</h2>
${called.map((zone) => zoneCalls(zone, report))}</section>
`;
}

function zoneCalls({ zone, calls }: ZoneReport, report: Report): Markup {
  return html`<details class="zone"><summary><h3>${zone.zone}</h3> <span class="faint">${count(calls.length, "call")}</span></summary>
<div class="box"><table class="calls"><caption>Calls for ${zone.zone}, in the order in which they are sent</caption>
<thead><tr><th scope="col">Step</th><th scope="col">Call</th><th scope="col">Carries out</th><th scope="col">After</th></tr></thead>
<tbody>${calls.map((call) => row(call, report))}</tbody></table></div></details>
`;
}

function row({ step, method, path, body, changes, after }: PlannedCall, { plan }: Report): Markup {
  const carried = changes.flatMap((n) => {
    const change = plan.changes[n];
    return change === undefined ? [] : [html`<a href="#c${n}">${shown(shortName(change))}</a>`];
  });
  const sent =
    body === null
      ? html``
      : html`<details><summary>body</summary><pre>${shown(jsonText(body).trimEnd())}</pre></details>`;
  const before = joined(
    after.map((each) => html`<a href="#s${each}">${each}</a>`),
    html`, `,
  );
  return html`<tr id="s${step}"><th scope="row">${step}</th><td><code>${method} ${path}</code>${sent}</td><td>${joined(carried, html`, `)}</td><td>${before}</td></tr>
`;
}
