import { type Group, groupBy } from "../../model/group-by.js";
import type { PlannedDimension } from "../../plan/generated/plan-document.js";
import { type ImpactView, impactView, type Move, reportsText, type ShownDetection } from "../impact-moves.js";
import { capital, count, plain } from "../safe-text.js";
import { type ChangeGroup, exampleText, type PlanView, type ZoneView } from "../view.js";
import { effectBadge, effectCounts, MAX_NAMED, nameOf, sign, zoneNames } from "./effects.js";
import { fieldsTable } from "./fields.js";
import { html, joined, linkTo, type Markup, shown } from "./markup.js";

/** The changes, zone by zone. Zones with the same changes are one block. */
export function changesSection(view: PlanView): Markup {
  const blocks = blocksOf(view);
  if (blocks.length === 0) return html``;
  const isFolded = view.groups.length > MAX_OPEN;
  const sections = blocks.map(({ id, zones, groups }) => {
    const sums = effectCounts(groups.map(({ members }) => members[0]));
    const body = html`${groups.map((group) => changeArticle(group, view))}`;
    const articles = isFolded
      ? html`${lossesLines(groups)}<details><summary>${count(groups.length, "change")}: ${sums}</summary>
${body}</details>`
      : html`<p class="sums">${sums}</p>
${body}`;
    return html`<section class="zone" id="${id}"><h3>${zonesTitle(zones)}</h3>
${zonesList(zones)}${articles}</section>
`;
  });
  return html`<section id="changes"><h2>${view.words.page.changes}</h2>
${sections}</section>
`;
}

/** Zones, and the changes that exactly these zones share. */
interface ZonesBlock {
  readonly id: string;
  readonly zones: Group<ZoneView>;
  readonly groups: readonly ChangeGroup[];
}

/** In the order of the zones. Changes of one zone come before those that it shares. */
function blocksOf({ zones, groups }: PlanView): readonly ZonesBlock[] {
  const placeOf = new Map(zones.map(({ zone }, place) => [zone.zone, place]));
  const placed = groups.map((group) => ({
    group,
    places: group.members.flatMap(({ change }) => placeOf.get(change.zone) ?? []).toSorted((a, b) => a - b),
  }));
  const blocks = [...groupBy(placed, ({ places }) => places.join(" ")).values()];
  return blocks
    .toSorted(([a], [b]) => (a.places[0] ?? 0) - (b.places[0] ?? 0))
    .flatMap((block, n) => {
      const [first, ...otherZones] = block[0].places.flatMap((place) => zones[place] ?? []);
      if (first === undefined) return [];
      const id = otherZones.length === 0 ? `z${first.n}` : `g${n}`;
      return [{ id, zones: [first, ...otherZones] as const, groups: block.map(({ group }) => group) }];
    });
}

/** The name of each zone → the id of its block. */
export function linksOf(view: PlanView): ReadonlyMap<string, string> {
  return new Map(
    blocksOf(view)
      .toReversed()
      .flatMap(({ id, zones }) => zones.map(({ zone }) => [zone.zone, id] as const)),
  );
}

function zonesTitle(zones: Group<ZoneView>): Markup {
  const [{ zone }] = zones;
  if (zones.length > 1) return html`${count(zones.length, "zone")}`;
  return html`${zone.zone}${zone.zone_id === null ? html`` : html` <code>${zone.zone_id}</code>`}`;
}

function zonesList(zones: Group<ZoneView>): Markup {
  if (zones.length === 1) return html``;
  const { few, all } = zoneNames(zones.map(({ zone }) => zone.zone));
  if (all === null) return html`<p class="places">${few}</p>\n`;
  return html`<details class="places"><summary>${few}</summary><p>${all}</p></details>\n`;
}

/** Longer pages fold the changes of each zone. */
const MAX_OPEN = 200;

/** A change: effect and reasons, fields, and impact on what pages load. */
function changeArticle(group: ChangeGroup, view: PlanView): Markup {
  const [first] = group.members;
  const { n, change, effect, verb } = first;
  const impact = group.impact === null ? html`` : impactTable(group.impact);
  return html`<article class="change ${effect}-edge" id="c${n}">
<h4>${effectBadge(effect)} <span class="do">${verb}</span> ${nameOf(change)}</h4>
${placesLine(group)}${reasons(group)}${fieldsTable(first, view)}${impact}${requestLines(group, view)}</article>
`;
}

function requestLines({ requests }: ChangeGroup, { words: { backLead } }: PlanView): readonly Markup[] {
  return requests.map((each) => html`<p class="places">${backLead}${shown(plain(each))}</p>\n`);
}

/** The place in the files or the base, the origin, and links to the dashboard. */
function placesLine({ members }: ChangeGroup): Markup {
  const [{ change, id, origin }] = members;
  const [place, ...otherPlaces] = [...new Set(members.flatMap((each) => each.place ?? []))];
  const more = otherPlaces.length === 0 ? html`` : html` and ${count(otherPlaces.length, "more place")}`;
  const parts = [
    ...(place === undefined ? [] : [html`<code>${place}</code>${more}`]),
    ...(id === null || members.length > 1 ? [] : [html`<code>${id}</code>`]),
    ...(change.origin === "declared" ? [html`declared`] : []),
    ...(origin === null ? [] : [html`<strong class="warning">${origin}</strong>`]),
    ...lookParts(members),
  ];
  return parts.length === 0 ? html`` : html`<p class="places">${joined(parts, html` · `)}</p>\n`;
}

/** Links to the dashboard, for the first few zones. */
function lookParts(members: ChangeGroup["members"]): readonly Markup[] {
  const linked = members.flatMap(({ change, dashboard }) =>
    dashboard === null ? [] : [{ zone: change.zone, dashboard }],
  );
  const [only, ...otherLinks] = linked;
  if (only === undefined) return [];
  if (otherLinks.length === 0) return [linkTo(only.dashboard, "open in the dashboard")];
  const links = linked.slice(0, MAX_NAMED).map(({ zone, dashboard }) => linkTo(dashboard, zone));
  return [html`dashboard: ${joined(links, html`, `)}`];
}

function reasons(group: ChangeGroup): Markup {
  const { lead, dimensions } = group.members[0].reasons;
  if (dimensions.length === 0) return html``;
  const head = lead === "" ? html`` : html`<p class="lead">${capital(lead.trim())}</p>`;
  return html`${head}<ul class="reasons">${dimensions.map((each) => reasonItem(each, group))}</ul>
`;
}

function reasonItem({ effect, why, witness }: PlannedDimension, group: ChangeGroup): Markup {
  const text = exampleText(witness, group);
  const example = text === null ? html`` : html`<span class="witness">e.g. ${shown(text)}</span>`;
  return html`<li><span class="${effect}">${sign(effect)}</span> <span class="vh">${effect}: </span>${shown(plain(why, MAX_REASON_CHARS))}${example}</li>`;
}

/** Reasons quote values, which the fields below show in full. */
const MAX_REASON_CHARS = 600;

/** The impact on what pages load, by script and connection. */
function impactTable({ moves, unseen, untried }: ImpactView): Markup {
  const notes = [...unseen, ...untried].map(
    (each) => html`<p class="places"><strong class="warning">${each}</strong></p>\n`,
  );
  return html`${notes}${moves.length === 0 ? html`` : movesTable(moves)}`;
}

/** The first few rows of each move are open, the most important first. Further rows are folded. */
function movesTable(moves: readonly Move[]): Markup {
  const all = moves.reduce((sum, { detections }) => sum + detections.length, 0);
  if (all <= MAX_OPEN_ROWS) return rowsTable(moves.map((move) => moveRows(sumText(move), move.detections)));
  const first = moves.map((move) => moveRows(sumText(move), move.detections.slice(0, FIRST_ROWS)));
  const more = moves
    .map(({ heading, detections }) => ({ heading, detections: detections.slice(FIRST_ROWS) }))
    .filter(({ detections }) => detections.length > 0);
  const rest = more.map(({ heading, detections }) =>
    moveRows(html`<strong>${heading}:</strong> ${detections.length} more`, detections),
  );
  const folded = more.reduce((sum, { detections }) => sum + detections.length, 0);
  return html`${rowsTable(first)}<details class="more"><summary>${folded} more</summary>${rowsTable(rest)}</details>\n`;
}

/** A script on the pages of many zones takes many rows. */
const MAX_FOLDED_ROWS = 195;

/** Longer tables are folded. */
const MAX_OPEN_ROWS = 20;

/** Open rows of each move in a folded table. */
const FIRST_ROWS = 5;

function rowsTable(groups: readonly Markup[]): Markup {
  return html`<div class="box"><table class="impact"><caption>Impact on loads seen today</caption>
<thead><tr><th scope="col">URL</th><th scope="col">Seen on</th><th scope="col">Known as</th></tr></thead>
${groups}</table></div>
`;
}

function moveRows(heading: Markup, detections: readonly ShownDetection[]): Markup {
  const shown = detections.slice(0, MAX_FOLDED_ROWS);
  const rest = detections.length - shown.length;
  return html`<tbody><tr><th scope="rowgroup" colspan="3">${heading}</th></tr>
${shown.map(detectionRow)}${rest === 0 ? html`` : html`<tr><td colspan="3">and ${rest} more: --format json has all</td></tr>\n`}</tbody>
`;
}

/** Loads that would be blocked, which stay visible when the changes are folded. */
function lossesLines(groups: readonly ChangeGroup[]): readonly Markup[] {
  const impacts = groups.flatMap(({ members }) => members.flatMap(({ change }) => change.impact ?? []));
  const losses = impactView(impacts).moves.filter(({ isLoss }) => isLoss);
  return losses.map((move) => {
    const urls = move.detections.slice(0, FIRST_ROWS).map(({ load }) => html`<code>${load.url}</code>`);
    const rest = move.detections.length - urls.length;
    return html`<p class="places">${sumText(move)}: ${joined(urls, html`, `)}${rest === 0 ? html`` : html` and ${rest} more`}</p>\n`;
  });
}

function sumText({ heading, sum, isDanger }: Move): Markup {
  return html`<strong class="${isDanger ? "error" : "ink"}">${heading}:</strong> ${sum}`;
}

function detectionRow({ load, mark, isMalicious }: ShownDetection): Markup {
  const { url, page } = load;
  const on = page === null ? html`<span class="faint">no known page</span>` : html`${page}`;
  const markText = isMalicious ? html`<strong class="error">${mark}</strong>` : html`${mark}`;
  return html`<tr><th scope="row">${url}</th><td>${on}${reportsText(load)}</td><td>${markText}</td></tr>\n`;
}
