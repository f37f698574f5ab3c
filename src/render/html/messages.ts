import type { Group } from "../../model/group-by.js";
import { says } from "../../model/sentence.js";
import type { Diagnostic, SourcePlace } from "../../plan/generated/plan-document.js";
import type { FoldedBreach, FoldedGuardrail, FoldedMessage } from "../fold.js";
import { count } from "../plain.js";
import { type PlanView, told } from "../view.js";
import { html, joined, type Markup } from "./markup.js";

/** What a reviewer must have seen before all else: the rules themselves change, what nobody may apply, and errors. */
export function noticesSection(view: PlanView): Markup {
  const { messages } = view;
  const notices = [
    ...messages.first.map((each) => messageItem({ ...each, members: [each] })),
    ...messages.guardrails.flatMap((each) => guardrailItems(each, view)),
    ...messages.errors.map(messageItem),
  ];
  if (notices.length === 0) return html``;
  return html`<section id="notices"><h2>Look at this first</h2>
<ul class="messages">
${notices}</ul></section>
`;
}

/** Warnings, without those that stood above. */
export function messagesSection({ messages }: PlanView): Markup {
  if (messages.warnings.length === 0) return html``;
  return html`<section id="messages"><h2>Messages</h2>
<ul class="messages">
${messages.warnings.map(messageItem)}</ul></section>
`;
}

/** What one guardrail says, of however many zones; how to go on is said once. */
function guardrailItems({ name, allowed, parts, wayOn }: FoldedGuardrail, view: PlanView): readonly Markup[] {
  const end = wayOn === "" ? [] : [html`<li class="error-edge"><code>${name}</code>: ${wayOn}</li>\n`];
  return [...parts.map((part) => guardrailItem(name, allowed, part, view)), ...end];
}

function guardrailItem(
  name: string,
  allowed: boolean,
  { message, members }: FoldedBreach,
  view: PlanView,
): Markup {
  const zones = members.flatMap(({ zone }) => zone ?? []);
  const where = zones.length === 0 ? html`` : html` <span class="faint">${zonesNamed(zones)}</span>`;
  return allowed
    ? html`<li class="warning-edge"><strong class="warning">${told(view, says`lifted by ${{ flag: "allow" }}`)}</strong> guardrail <code>${name}</code>${where}: ${message}</li>\n`
    : html`<li class="error-edge"><strong class="error">says no</strong> guardrail <code>${name}</code>${where}: ${message}</li>\n`;
}

/** The name of one; of several how many, and the first few. */
function zonesNamed(zones: readonly string[]): Markup {
  const names = joined(
    zones.slice(0, MAX_NAMED).map((zone) => html`${zone}`),
    html`, `,
  );
  if (zones.length === 1) return names;
  const more = zones.length > MAX_NAMED ? html` and ${zones.length - MAX_NAMED} more` : html``;
  return html`${count(zones.length, "zone")}: ${names}${more}`;
}

const MAX_NAMED = 5;

function messageItem({ severity, code, message, members }: FoldedMessage): Markup {
  const zones = [...new Set(members.flatMap(({ zone }) => zone ?? []))];
  const where = zones.length === 0 ? html`` : html` <strong>${zonesNamed(zones)}</strong>`;
  return html`<li class="${severity}-edge"><strong class="${severity}">${severity}</strong>${where} ${message}${about(code, members)}</li>\n`;
}

function about(code: string, members: Group<Diagnostic>): Markup {
  const places = [
    ...new Set(members.flatMap(({ source }) => (source === undefined ? [] : placeText(source)))),
  ];
  const parts = [
    ...places.slice(0, MAX_NAMED).map((place) => html`<code>${place}</code>`),
    html`<code>${code}</code>`,
  ];
  return html`<span class="about">${joined(parts, html` · `)}</span>`;
}

function placeText({ file, line }: SourcePlace): string {
  return `${file}:${line}`;
}
