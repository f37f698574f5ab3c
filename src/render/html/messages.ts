import { equal } from "../../model/json.js";
import type { Diagnostic, PlanDocument, PlannedZone } from "../../plan/generated/plan-document.js";
import { reviewFirst } from "../review-first.js";
import type { PlanView } from "../view.js";
import { html, joined, type Markup } from "./markup.js";

/** What a reviewer must have seen before all else: the rules themselves change, or what nobody may apply. */
export function noticesSection({ document: plan, words }: PlanView): Markup {
  const notices = [
    ...reviewFirst(plan.diagnostics).first.map(messageItem),
    ...refusals(plan.guardrails),
    ...failedZones(plan).map((zone) => failure(zone, words.failed)),
  ];
  if (notices.length === 0) return html``;
  return html`<section id="notices"><h2>Look at this first</h2>
<ul class="messages">
${notices}</ul></section>
`;
}

/** Errors and warnings, without those that stood above. */
export function messagesSection({ document: plan }: PlanView): Markup {
  const reasons = new Map(failedZones(plan).map(({ zone, problem }) => [zone, problem]));
  const isAbove = (each: Diagnostic) => each.zone !== undefined && equal(each, reasons.get(each.zone));
  const others = reviewFirst(plan.diagnostics).others.filter((each) => !isAbove(each));
  if (others.length === 0) return html``;
  return html`<section id="messages"><h2>Messages</h2>
<ul class="messages">
${others.map(messageItem)}</ul></section>
`;
}

function failedZones({ zones }: PlanDocument): readonly PlannedZone[] {
  return zones.filter(({ status }) => status === "failed");
}

function refusals(guardrails: PlanDocument["guardrails"]): readonly Markup[] {
  return guardrails
    .toSorted((a, b) => Number(a.allowed) - Number(b.allowed))
    .map(({ name, zone, message, allowed }) => {
      const where = zone === undefined ? html`` : html` <span class="faint">${zone}</span>`;
      return allowed
        ? html`<li class="warning-edge"><strong class="warning">lifted by --allow</strong> guardrail <code>${name}</code>${where}: ${message}</li>\n`
        : html`<li class="error-edge"><strong class="error">says no</strong> guardrail <code>${name}</code>${where}: ${message}</li>\n`;
    });
}

function failure({ zone, problem }: PlannedZone, what: string): Markup {
  const why = problem === undefined ? html`` : html`: ${problem.message}${about(problem)}`;
  return html`<li class="error-edge"><strong class="error">failed</strong> <strong>${zone}</strong> ${what}${why}</li>\n`;
}

function messageItem(diagnostic: Diagnostic): Markup {
  const { severity, message, zone } = diagnostic;
  const zones = zone === undefined ? [] : [html`${zone}`];
  return html`<li class="${severity}-edge"><strong class="${severity}">${severity}</strong> ${message}${about(diagnostic, zones)}</li>\n`;
}

function about({ code, source }: Diagnostic, zones: readonly Markup[] = []): Markup {
  const places = source === undefined ? [] : [html`<code>${source.file}:${source.line}</code>`];
  return html`<span class="about">${joined([...zones, ...places, html`<code>${code}</code>`], html` · `)}</span>`;
}
