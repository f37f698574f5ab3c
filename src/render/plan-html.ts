import type { Problem } from "../model/problem.js";
import { changesSection } from "./html/changes.js";
import { html, type Markup, shown } from "./html/markup.js";
import { messagesSection, noticesSection } from "./html/messages.js";
import { headline, opening } from "./html/opening.js";
import { page } from "./html/page.js";
import { callsSection, matrixSection, unmanagedSection } from "./html/tables.js";
import { count } from "./safe-text.js";
import { isAlarming, notListed } from "./undeclared.js";
import type { PlanView } from "./view.js";

/** The whole plan as one HTML file without scripts. Undeclared objects come first where one may weaken protection. */
export function planHtml(view: PlanView): string {
  const sections = [changesSection(view), unmanagedSection(view)];
  const inOrder = notListed(view.document.unmanaged).some(isAlarming) ? sections.toReversed() : sections;
  return page(
    html`zoneward ${view.about}: ${shown(headline(view))}`,
    html`${opening(view)}${contents(view)}<main>
${noticesSection(view)}${matrixSection(view)}${inOrder}${messagesSection(view)}${callsSection(view)}</main>
<footer><p>Made by zoneward. Digest <code>${view.document.digest}</code></p></footer>
`,
  );
}

/** Links to the parts of the page. */
function contents({ document: { changes, calls, unmanaged }, messages }: PlanView): Markup {
  const parts = [
    html`<li><a href="#zones">Zones</a></li>`,
    ...(changes.length > 0 ? [html`<li><a href="#changes">Changes</a></li>`] : []),
    ...(messages.warnings.length + messages.accepted.length > 0
      ? [html`<li><a href="#messages">Messages</a></li>`]
      : []),
    ...(unmanaged.length > 0 ? [html`<li><a href="#unmanaged">Undeclared</a></li>`] : []),
    ...(calls.length > 0 ? [html`<li><a href="#calls">Calls in order</a></li>`] : []),
  ];
  return html`<nav aria-label="Contents"><ul>${parts}</ul></nav>
`;
}

/** The page when planning failed: the reasons. */
export function problemsHtml(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const title = errors === 0 ? html`No plan` : html`No plan: ${count(errors, "error")}`;
  return page(
    html`zoneward: ${title}`,
    html`<header><h1>${title}</h1></header>
<main><section id="messages">
<ul class="messages">
${problems.map(problemItem)}</ul></section>
</main>
`,
  );
}

function problemItem({ severity, summary, detail, at }: Problem): Markup {
  const place = at === null ? html`` : html`<code>${at.file}:${at.line}:${at.column}</code> `;
  const label =
    severity === "error"
      ? html`<strong class="error">error</strong>`
      : html`<strong class="warning">warning</strong>`;
  return html`<li class="${severity}-edge">${label} ${place}<strong>${summary}</strong>: ${detail}</li>\n`;
}
