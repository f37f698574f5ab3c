import { type Group, groupBy } from "../../model/group-by.js";
import { jsonText } from "../../model/json-text.js";
import { notPlannedName } from "../../model/plan.js";
import type { PlannedCall, UnmanagedObject } from "../../plan/generated/plan-document.js";
import { foldCalls, secretsOfEach } from "../fold.js";
import { count, plain } from "../safe-text.js";
import { doesText, listingLine, undeclaredName } from "../undeclared.js";
import { type ChangeView, linkIn, type PlanView, type ZoneView } from "../view.js";
import { whoText } from "../who-text.js";
import { linksOf } from "./changes.js";
import { byEffect, effectCount, shortName } from "./effects.js";
import { html, joined, linkTo, type Markup, shown } from "./markup.js";

interface Column {
  readonly name: string;
  readonly heading: string;
}

/** A matrix of zones and kinds with the effects of their changes. With many zones, unchanged ones are left out. */
export function matrixSection(view: PlanView): Markup {
  const { zones, words } = view;
  const busyZones = zones.filter(
    ({ zone, changes }) => changes.length > 0 || zone.status === "failed" || zone.not_planned !== undefined,
  );
  const shownZones = zones.length <= MAX_QUIET ? zones : busyZones;
  const hidden = zones.length - shownZones.length;
  const columns = columnsOf(view);
  const rest =
    hidden === 0 ? html`` : html`<p class="faint">${count(hidden, "more zone")}: ${words.unchanged}.</p>\n`;
  const links = linksOf(view);
  // With many zones, equal ones share a row.
  const rows =
    shownZones.length <= MAX_QUIET
      ? shownZones.map((zone) => [zone] as const)
      : [
          ...groupBy(
            shownZones,
            ({ zone, changes }) =>
              `${zone.status} ${zone.not_planned?.map(notPlannedName)} ${changes.map((each) => view.firstOf.get(each.n))}`,
          ).values(),
        ];
  const table = html`<div class="box tall"><table class="matrix"><caption>${words.page.changes} in each zone, by kind, with their effect on protection</caption>
<thead><tr><th scope="col">Zone</th>${columns.map(({ heading }) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map((alike) => zoneRow(alike, columns, view, links))}</tbody></table></div>
`;
  return html`<section id="zones"><h2>Zones</h2>
${rows.length === 0 ? html`` : table}${rest}</section>
`;
}

/** Up to this number, unchanged zones are shown too. */
const MAX_QUIET = 20;

/** The kinds with something to show, in the registry's order, with unknown kinds last. */
function columnsOf({ changes, kinds, zones, words }: PlanView): readonly Column[] {
  const changed = new Set(changes.map(({ change }) => change.kind));
  const notPlanned = new Set(
    zones.flatMap(({ zone }) => (zone.not_planned ?? []).map(({ section }) => section)),
  );
  const knownKinds = kinds.filter(({ name, section }) => changed.has(name) || notPlanned.has(section));
  const names = new Set(kinds.map(({ name }) => name));
  const columns = [
    ...knownKinds.map(({ name, section }) => ({ name, heading: section })),
    ...[...changed].filter((kind) => !names.has(kind)).map((kind) => ({ name: kind, heading: kind })),
  ];
  return columns.length > 0 ? columns : [{ name: "", heading: words.page.changes }];
}

function zoneRow(
  alike: Group<ZoneView>,
  columns: readonly Column[],
  view: PlanView,
  links: ReadonlyMap<string, string>,
): Markup {
  const { words } = view;
  const [first, ...otherZones] = alike;
  const { zone, changes } = first;
  const link = links.get(zone.zone);
  const linked = link === undefined ? html`${zone.zone}` : html`<a href="#${link}">${zone.zone}</a>`;
  const name = otherZones.length === 0 ? linked : html`${linked}${moreZones(otherZones)}`;
  if (zone.status === "failed")
    return html`<tr><th scope="row">${name}</th><td colspan="${columns.length}"><strong class="error">${words.failed}</strong></td></tr>\n`;
  const cells = columns.map(({ name: kind, heading }) => {
    const kindChanges = changes.filter(({ change }) => change.kind === kind);
    const missing = zone.not_planned?.find(({ section }) => section === heading);
    if (missing?.object !== undefined)
      return html`<td><span class="of">${heading}</span>${counts(kindChanges, view)} <strong class="error">${words.partly}</strong></td>`;
    if (missing !== undefined)
      return missing.problem.severity === "note"
        ? html`<td class="quiet"><span class="faint">not included</span></td>`
        : html`<td><span class="of">${heading}</span><strong class="error">${words.failed}</strong></td>`;
    return kindChanges.length === 0
      ? html`<td class="quiet"><span class="faint">${words.nothing}</span></td>`
      : html`<td><span class="of">${heading}</span>${counts(kindChanges, view)}</td>`;
  });
  return html`<tr><th scope="row">${name}</th>${cells}</tr>\n`;
}

function moreZones(zones: readonly ZoneView[]): Markup {
  const names = joined(
    zones.map(({ zone }) => html`${zone.zone}`),
    html`, `,
  );
  return html`<details class="others"><summary>and ${zones.length} more</summary>${names}</details>`;
}

/** Counts of effects, each with a link to the first change that it counts. */
function counts(changes: readonly ChangeView[], { firstOf }: PlanView): Markup {
  const links = byEffect(changes).map(
    ([effect, [first, ...others]]) =>
      html`<a href="#c${firstOf.get(first.n) ?? first.n}">${effectCount(effect, 1 + others.length)}</a>`,
  );
  return joined(links, html` · `);
}

/** The calls in order, once for all zones with the same calls. */
export function callsSection(view: PlanView): Markup {
  const { document, zones } = view;
  if (document.calls.length === 0) return html``;
  return html`<section id="calls"><h2>Calls in order</h2>
${foldCalls(zones).map((group) => zoneCalls(group, view))}</section>
`;
}

function zoneCalls(group: Group<ZoneView>, view: PlanView): Markup {
  const [{ zone, calls }, ...rest] = group;
  const note = rest.length === 0 ? "" : ` in each of ${count(group.length, "zone")}`;
  const secrets = secretsOfEach(group).map(
    ({ zone: sender, secrets }) => html`${sender.zone.zone}: <code>${secrets}</code>`,
  );
  const sending =
    secrets.length === 0
      ? html``
      : html`<details class="others"><summary>Each sends its own secrets</summary>${joined(secrets, html`, `)}</details>`;
  return html`<details class="zone"><summary><h3>${zone.zone}</h3> <span class="faint">${count(calls.length, "call")}${note}</span></summary>
<div class="box"><table class="calls"><caption>Calls for ${zone.zone}, in order</caption>
<thead><tr><th scope="col">Step</th><th scope="col">Call</th><th scope="col">Carries out</th><th scope="col">After</th></tr></thead>
<tbody>${calls.map((call) => callRow(call, view))}</tbody></table></div>${sending}</details>
`;
}

function callRow(
  { step, method, path, body, changes, after }: PlannedCall,
  { document, firstOf }: PlanView,
): Markup {
  const carried = changes.flatMap((n) => {
    const change = document.changes[n];
    return change === undefined
      ? []
      : [html`<a href="#c${firstOf.get(n) ?? n}">${shown(shortName(change))}</a>`];
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

/** Undeclared objects are shown, so that a reviewer notices that they stay. */
export function unmanagedSection({ document, zones }: PlanView): Markup {
  if (document.unmanaged.length === 0) return html``;
  const isFolded = document.unmanaged.length > MAX_OPEN;
  const rows = [...groupBy(zones, undeclaredText).values()].flatMap(rowsOf);
  const table = html`<div class="box"><table class="unmanaged"><caption>Undeclared live objects (left alone)</caption>
<thead><tr><th scope="col">Zone</th><th scope="col">Effect</th><th scope="col">Object</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
  return html`<section id="unmanaged"><h2>Not managed</h2>
${isFolded ? html`<details><summary>${count(document.unmanaged.length, "object")}</summary>${table}</details>` : table}</section>
`;
}

const MAX_OPEN = 50;

/** The undeclared objects of a zone without their place, for comparing zones. */
function undeclaredText({ unmanaged }: ZoneView): string {
  const objects = unmanaged.map(({ zone: _, id: _id, dashboard: _d, ...object }) => object);
  return JSON.stringify([objects, lineOf(unmanaged)]);
}

function lineOf(unmanaged: readonly UnmanagedObject[]): string | null {
  return listingLine(unmanaged.filter(({ known }) => known === "not_listed"));
}

function rowsOf([first, ...otherZones]: Group<ZoneView>): readonly Markup[] {
  const { zone, unmanaged } = first;
  const line = lineOf(unmanaged);
  const name = otherZones.length === 0 ? html`${zone.zone}` : html`${zone.zone}${moreZones(otherZones)}`;
  return [
    ...unmanaged.map((each, index) => objectRow(index === 0 ? name : html`${zone.zone}`, each)),
    ...(line === null
      ? []
      : [
          html`<tr><th scope="row">${zone.zone}</th><td></td><td>To acknowledge, add to the zone: <code>${shown(plain(line))}</code></td></tr>\n`,
        ]),
  ];
}

function objectRow(zone: Markup, object: UnmanagedObject): Markup {
  const { effect, known } = object;
  const name = shown(undeclaredName(object, MAX_NAME_CHARS));
  const dashboard = linkIn(object);
  const link = dashboard === null ? html`` : html` · ${linkTo(dashboard, "open in the dashboard")}`;
  const who = whoText(object.who);
  const by = who === null ? html`` : html` · <strong class="warning">${who}</strong>`;
  const acknowledged = known === "newly_listed" ? `${effect}, newly acknowledged` : "acknowledged";
  return html`<tr><th scope="row">${zone}</th><td>${known === "not_listed" ? effect : acknowledged}</td><td>${name} ${shown(doesText(object))}${link}${by}</td></tr>\n`;
}

const MAX_NAME_CHARS = 200;
