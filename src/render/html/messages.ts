import type { Group } from "../../model/group-by.js";
import { says } from "../../model/sentence.js";
import type { Diagnostic } from "../../plan/generated/plan-document.js";
import { breachText, type FoldedBreach, type FoldedGuardrail, type FoldedMessage, zonesOf } from "../fold.js";
import { acceptedText } from "../problems.js";
import { count } from "../safe-text.js";
import { type PlanView, spell } from "../view.js";
import { linksOf } from "./changes.js";
import { MAX_NAMED, shortName, zoneNames } from "./effects.js";
import { html, joined, type Markup, shown } from "./markup.js";

/** Messages to read first: changes to the review itself, guardrails, and errors. */
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

/** Warnings, without those among the notices. */
export function messagesSection({ messages }: PlanView): Markup {
  if (messages.warnings.length + messages.accepted.length === 0) return html``;
  const items = messages.warnings.map(messageItem);
  const list = items.length === 0 ? html`` : html`<ul class="messages">\n${items}</ul>`;
  return html`<section id="messages"><h2>Messages</h2>
${list}${acceptedDetails(messages.accepted)}</section>
`;
}

/** Accepted warnings, folded. */
function acceptedDetails(accepted: readonly FoldedMessage[]): Markup {
  if (accepted.length === 0) return html``;
  const items = accepted.map(({ code, members }) => {
    const why = members[0].accepted === undefined ? "" : acceptedText(members[0].accepted);
    return html`<li>${why}${about(code, members)}${allZones(zonesOf(members))}</li>\n`;
  });
  return html`<details><summary>${count(accepted.length, "warning")} accepted in the files</summary>
<ul class="messages">
${items}</ul></details>`;
}

/** One guardrail for all its zones, with shared advice once. */
function guardrailItems({ name, allowed, parts, wayOn }: FoldedGuardrail, view: PlanView): readonly Markup[] {
  const end = wayOn === "" ? [] : [html`<li class="error-edge"><code>${name}</code>: ${wayOn}</li>\n`];
  return [...parts.map((part) => guardrailItem(name, allowed, part, view)), ...end];
}

function guardrailItem(name: string, allowed: boolean, part: FoldedBreach, view: PlanView): Markup {
  const message = breachText(part);
  const zones = zonesOf(part.members);
  const isNamed = zones.length === 0 || (zones.length === 1 && part.sentence.length > 1);
  const where = isNamed ? html`` : html` <span class="faint">(${zoneNames(zones).few})</span>`;
  const behind = html`${changeLinks(part, view)}${allZones(zones)}`;
  return allowed
    ? html`<li class="warning-edge"><strong class="warning">${spell(view, says`lifted by ${{ flag: "allow" }}`)}</strong> guardrail <code>${name}</code>${where}: ${message}${behind}</li>\n`
    : html`<li class="error-edge"><strong class="error">${view.words.refusal(name)}</strong> guardrail <code>${name}</code>${where}: ${message}${behind}</li>\n`;
}

/** Links to the changes that a guardrail refuses, the worst first, or else to the zones. */
function changeLinks({ members }: FoldedBreach, view: PlanView): Markup {
  const changeNumbers = new Set(members.flatMap(({ changes = [] }) => changes));
  const groups = view.groups.filter(({ members: same }) => same.some(({ n }) => changeNumbers.has(n)));
  const blocks = linksOf(view);
  const zones = zonesOf(members.filter(({ changes = [] }) => changes.length === 0));
  const links = [
    ...groups.map(({ members: [{ n, change }] }) => html`<a href="#c${n}">${shown(shortName(change))}</a>`),
    ...zones.flatMap((zone) => {
      const block = blocks.get(zone);
      return block === undefined ? [] : [html`<a href="#${block}">${zone}</a>`];
    }),
  ];
  if (links.length === 0) return html``;
  const more = links.length > MAX_NAMED ? html` and ${links.length - MAX_NAMED} more` : html``;
  return html`<span class="about">${joined(links.slice(0, MAX_NAMED), html` · `)}${more}</span>`;
}

/** The name of one zone, or the number of zones and the first few names. */
function zonesNamed(zones: readonly string[]): Markup {
  const { few } = zoneNames(zones);
  return zones.length === 1 ? few : html`${count(zones.length, "zone")}: ${few}`;
}

/** All names, where zonesNamed() only has the first few. */
function allZones(zones: readonly string[]): Markup {
  const { all } = zoneNames(zones);
  if (all === null) return html``;
  return html`<details class="places"><summary>All ${zones.length} zones</summary><p>${all}</p></details>`;
}

function messageItem({ severity, code, message, members }: FoldedMessage): Markup {
  const zones = zonesOf(members);
  const where = zones.length === 0 ? html`` : html` <strong>${zonesNamed(zones)}</strong>`;
  return html`<li class="${severity}-edge"><strong class="${severity}">${severity}</strong>${where} ${message}${about(code, members)}${allZones(zones)}</li>\n`;
}

function about(code: string, members: Group<Diagnostic>): Markup {
  const places = [
    ...new Set(
      members.flatMap(({ source }) => (source === undefined ? [] : `${source.file}:${source.line}`)),
    ),
  ];
  const parts = [
    ...places.slice(0, MAX_NAMED).map((place) => html`<code>${place}</code>`),
    html`<code>${code}</code>`,
  ];
  return html`<span class="about">${joined(parts, html` · `)}</span>`;
}
