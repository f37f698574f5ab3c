import type { Diagnostic } from "../../plan/generated/plan-document.js";
import { html, joined, type Markup } from "./markup.js";
import type { Report } from "./report.js";

/** What a reviewer must have seen before all else: the rules themselves change, or what nobody may apply. */
export function noticesSection({ plan }: Report): Markup {
  const notices = [
    ...firstOf(plan.diagnostics).map(messageItem),
    ...refusals(plan.guardrails),
    ...plan.zones.flatMap(({ zone, status, problem }) =>
      status === "failed"
        ? [
            html`<li class="error-edge"><strong class="error">failed</strong> <strong>${zone}</strong> could not be planned${problem === undefined ? "" : ": "}${problem?.message ?? ""}</li>\n`,
          ]
        : [],
    ),
  ];
  if (notices.length === 0) return html``;
  return html`<section id="notices"><h2>Look at this first</h2>
<ul class="messages">
${notices}</ul></section>
`;
}

/** Errors and warnings, without those that stood above. */
export function messagesSection({ plan }: Report): Markup {
  const above = firstOf(plan.diagnostics);
  const others = plan.diagnostics.filter((each) => !above.includes(each));
  if (others.length === 0) return html``;
  return html`<section id="messages"><h2>Messages</h2>
<ul class="messages">
${others.map(messageItem)}</ul></section>
`;
}

/** The rules that the plan is held against, and what everything relies on. */
const FIRST = ["guardrails_changed", "service_changed", "base_not_read"];

function firstOf(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return FIRST.flatMap((code) => diagnostics.filter((each) => each.code === code));
}

function refusals(guardrails: Report["plan"]["guardrails"]): readonly Markup[] {
  return guardrails
    .toSorted((a, b) => Number(a.allowed) - Number(b.allowed))
    .map(({ name, zone, message, allowed }) => {
      const where = zone === undefined ? html`` : html` <span class="faint">${zone}</span>`;
      return allowed
        ? html`<li class="warning-edge"><strong class="warning">lifted by --allow</strong> guardrail <code>${name}</code>${where}: ${message}</li>\n`
        : html`<li class="error-edge"><strong class="error">says no</strong> guardrail <code>${name}</code>${where}: ${message}</li>\n`;
    });
}

function messageItem({ severity, code, message, zone, source }: Diagnostic): Markup {
  const about = [
    ...(zone === undefined ? [] : [html`${zone}`]),
    ...(source === undefined ? [] : [html`<code>${source.file}:${source.line}</code>`]),
    html`<code>${code}</code>`,
  ];
  return html`<li class="${severity}-edge"><strong class="${severity}">${severity}</strong> ${message}<span class="about">${joined(about, html` · `)}</span></li>\n`;
}
