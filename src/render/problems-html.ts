import type { Problem } from "../model/problem.js";
import { html, type Markup } from "./html/markup.js";
import { page } from "./html/page.js";
import { count } from "./plain.js";

/** What stands where a plan's page would: why there is none. */
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
