import { firstFew } from "../model/cut.js";
import { type Group, groupBy } from "../model/group-by.js";
import { notPlannedName } from "../model/plan.js";
import { says } from "../model/sentence.js";
import type { Diagnostic, PlanDocument, UnmanagedObject } from "../plan/generated/plan-document.js";
import { changeLines, lookLines } from "./change-lines.js";
import { breachText, type FoldedGuardrail } from "./fold.js";
import { type Palette, painted, type TextStyle } from "./palette.js";
import { NO_LONGER_MANAGED, titled } from "./review-first.js";
import { atLineStart, count, plain } from "./safe-text.js";
import { doesText, isAlarming, listingLine, undeclaredName } from "./undeclared.js";
import { narrowedText, nothingText, summaryPhrase, undoText, verdictOf, withoutBaseText } from "./verdict.js";
import { type ChangeGroup, linkIn, moreText, type PlanView, spell, type ZoneView } from "./view.js";
import { timeless, whoText } from "./who-text.js";
import { type About, EFFECTS } from "./words.js";

interface PlanTextOptions extends TextStyle {
  /** Whether to list the calls. */
  readonly verbose: boolean;
}

/**
 * A plan as text: changes to the review itself, the verdict, the undeclared objects that may weaken and the changes by zones
 * with the worst first, guardrails, and the verdict again with the numbers.
 */
export function planText(view: PlanView, options: PlanTextOptions): string {
  const { colors } = options;
  const { document, words, changes, messages } = view;
  const undo = undoText(view);
  const leadChars = changes.reduce((most, { lead }) => Math.max(most, lead.length), 0);
  const blocks = [
    linesText(messages.first.map((each) => reviewLine(each, colors))),
    linesText(openingLines(view, colors)),
    ...zoneBlocks(view, (group) => changeLines(group, leadChars, options, view), options),
    linesText(zonesNoLongerManaged(document).map((each) => titledText(each, colors))),
    linesText(messages.guardrails.flatMap((each) => guardrailLines(each, view, colors))),
    linesText([
      ...(undo === "" ? [] : [undo]),
      `${colors.strong(`${words.title}:`)} ${painted(summaryPhrase(view), colors)}${untilText(view)}`,
    ]),
  ];
  return inWidth(blocks.filter((block) => block !== "").join("\n"), options.width);
}

function untilText({ document: { expires_at } }: PlanView): string {
  return expires_at === undefined ? "" : ` It can be applied until ${plain(expires_at)}.`;
}

/** Breaks lines between words, and indents their continuation. */
function inWidth(text: string, width: number | null): string {
  if (width === null) return text;
  return text
    .split("\n")
    .flatMap((line) => broken(line, width))
    .join("\n");
}

function shownChars(text: string): number {
  return text.replace(PAINT, "").length;
}

/** Escape sequences for colours, which have no width. */
const PAINT = /\u001b\[[\d;]*m/g;

function broken(line: string, width: number): readonly string[] {
  if (shownChars(line) <= width) return [line];
  const indent = `${/^ */.exec(line)?.[0] ?? ""}  `;
  const lines: string[] = [];
  let chars = 0;
  for (const [index, word] of line
    .trimStart()
    .split(/(?<=\S) (?=\S)/)
    .entries()) {
    const more = shownChars(word);
    const last = lines.at(-1);
    if (last !== undefined && chars + 1 + more <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
      chars += 1 + more;
    } else {
      const begin = index === 0 ? indent.slice(2) : indent;
      lines.push(`${begin}${index === 0 ? word : atLineStart(word)}`);
      chars = begin.length + more;
    }
  }
  return lines;
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function reviewLine(diagnostic: Diagnostic, colors: Palette): string {
  const { source } = diagnostic;
  const place = source === undefined ? "" : colors.faint(`  ${plain(source.file)}:${source.line}`);
  return `${titledText(diagnostic, colors)}${place}`;
}

/** Without a planned zone, each zone's failure is enough. */
function openingLines(view: PlanView, colors: Palette): readonly string[] {
  const verdict = verdictOf(view).map((each) => painted(each, colors));
  const isPartial = new Set(view.zones.map(({ zone }) => zone.status)).size > 1;
  const nothing = isPartial ? [colors.error(nothingText(view))] : [];
  const narrowed = narrowedText(view);
  const remark = withoutBaseText(view);
  return [
    ...(narrowed === "" ? [] : [colors.strong(narrowed)]),
    ...(verdict.length === 0 ? nothing : [verdict.join("; ")]),
    ...(remark === "" ? [] : [colors.faint(remark)]),
  ];
}

/** Lines about some zones, given by their index. */
interface Entry {
  readonly zones: readonly number[];
  readonly lines: readonly string[];
}

/**
 * Blocks of lines under the names of their zones. Zones with the same lines share a block. Order within a zone is kept,
 * and the zones are sorted already.
 */
function zoneBlocks(
  view: PlanView,
  linesOf: (group: ChangeGroup) => readonly string[],
  { colors, verbose }: PlanTextOptions,
): readonly string[] {
  const { about, zones, groups } = view;
  const placeOf = new Map(zones.map(({ zone }, index) => [zone.zone, index]));
  const ofChanges = groups.map(({ members }) =>
    members.flatMap(({ change }) => placeOf.get(change.zone) ?? []),
  );
  const entries: readonly Entry[] = [
    ...foldedEntries(zones, (zone) => failureLines(zone, view, colors)),
    ...foldedEntries(
      zones,
      (zone) => alarmingLines(withoutTimes(zone), about, colors),
      ([first, ...others]) => lookLines(dashboardsIn(first, about), others.length, "  ", colors),
      (zone) => alarmingLines(zone, about, colors),
    ),
    ...groups.map((group, index) => ({ zones: ofChanges[index] ?? [], lines: linesOf(group) })),
    ...foldedEntries(zones, (zone) => leftAloneLines(zone, about, colors)),
  ];
  const calls = zones.map((zone, index) => ({ zones: [index], lines: callLines(zone, colors) }));
  const filledEntries = [...entries, ...(verbose ? calls : [])].filter(({ lines }) => lines.length > 0);
  const blocks = [...groupBy(filledEntries, (entry) => entry.zones.join(" ")).values()];
  return blocks
    .toSorted(([a], [b]) => (a.zones[0] ?? 0) - (b.zones[0] ?? 0))
    .map((block) => {
      const heading = zonesHeading(
        block[0].zones.flatMap((index) => zones[index] ?? []),
        colors,
      );
      return linesText([heading, ...block.flatMap(({ lines }) => lines)]);
    });
}

function leftAloneLines(
  { noLongerManaged, unmanaged }: ZoneView,
  about: About,
  colors: Palette,
): readonly string[] {
  const acknowledged = unmanaged.filter(({ known }) => known === "listed");
  const quiet = unmanaged.filter((each) => each.known !== "listed" && !needsAttention(each, about));
  return [
    ...noLongerManaged.map((each) => `  ${titledText(each, colors)}`),
    ...namesLine("undeclared (left alone)", quiet, colors),
    ...namesLine("acknowledged (left alone)", acknowledged, colors),
  ];
}

function withoutTimes(zone: ZoneView): ZoneView {
  const unmanaged = zone.unmanaged.map(({ who, ...each }) =>
    who === undefined ? each : { ...each, who: timeless(who) },
  );
  return { ...zone, unmanaged };
}

/** Links to undeclared objects that need attention. */
function dashboardsIn({ unmanaged }: ZoneView, about: About): readonly (string | null)[] {
  return unmanaged.filter((object) => needsAttention(object, about)).map(linkIn);
}

/**
 * Merges zones with equal lines into one entry.
 *
 * @param below lines of the first zone only
 * @param alone the lines of a zone that shares its lines with no other
 */
function foldedEntries(
  zones: readonly ZoneView[],
  linesOf: (zone: ZoneView) => readonly string[],
  below: (group: Group<ZoneView>) => readonly string[] = () => [],
  alone = linesOf,
): readonly Entry[] {
  const entries = zones.map((zone, index) => ({ zone, index, lines: linesOf(zone) }));
  const filled = entries.filter(({ lines }) => lines.length > 0);
  return [...groupBy(filled, ({ lines }) => lines.join("\n")).values()].map(([first, ...rest]) => ({
    zones: [first, ...rest].map(({ index }) => index),
    lines: [
      ...(rest.length === 0 ? alone(first.zone) : first.lines),
      ...below([first.zone, ...rest.map(({ zone }) => zone)]),
    ],
  }));
}

function zonesHeading(zones: readonly ZoneView[], colors: Palette): string {
  const [first, ...otherZones] = zones;
  if (first === undefined) return "";
  if (otherZones.length === 0) {
    const { zone, zone_id } = first.zone;
    return `${colors.strong(plain(zone))}${zone_id === null ? "" : ` ${colors.faint(plain(zone_id))}`}`;
  }
  const names = firstFew(zones, MAX_ZONES, ({ zone }) => plain(zone.zone));
  return `${colors.strong(count(zones.length, "zone"))}: ${names}`;
}

const MAX_ZONES = 3;

function failureLines({ zone }: ZoneView, { words }: PlanView, colors: Palette): readonly string[] {
  if (zone.status === "failed") return [colors.error(`  ${words.failed}: see the errors`)];
  const { not_planned: missing = [] } = zone;
  const named = (isKnown: boolean) =>
    missing
      .filter(({ problem: { severity } }) => (severity === "note") === isKnown)
      .map((each) => plain(notPlannedName(each)));
  const [failed, notIncluded] = [named(false), named(true)];
  return [
    ...(failed.length === 0 ? [] : [colors.error(`  ${failed.join(", ")} ${words.failed}: see the errors`)]),
    ...(notIncluded.length === 0
      ? []
      : [colors.faint(`  skipped ${notIncluded.join(", ")}: not in the zone's Cloudflare plan`)]),
  ];
}

/** Undeclared objects are named, so that a reviewer notices that they stay. */
const MAX_NAMED = 5;
const MAX_NAME_CHARS = 200;

/** A line for each undeclared object that needs attention, with the way to acknowledge them. */
function alarmingLines({ unmanaged }: ZoneView, about: About, colors: Palette): readonly string[] {
  const alarming = unmanaged.filter((object) => needsAttention(object, about));
  const shown = alarming.slice(0, MAX_SHOWN).map((each) => undeclaredLine(each, colors));
  const more = alarming.length > MAX_SHOWN ? [colors.faint(`  and ${alarming.length - MAX_SHOWN} more`)] : [];
  const line = listingLine(alarming.filter(({ known }) => known === "not_listed"));
  const listing = line === null ? [] : [colors.faint(`  to acknowledge, add to the zone: ${plain(line)}`)];
  return [...shown, ...more, ...listing];
}

const MAX_SHOWN = 10;

/** In a plan, undeclared objects that do not weaken protection share one line. In drift, each of them is drift. */
function needsAttention(object: UnmanagedObject, about: About): boolean {
  if (object.known !== "not_listed") return object.known === "newly_listed";
  return about === "drift" || object.who !== undefined || isAlarming(object);
}

function undeclaredLine(object: UnmanagedObject, colors: Palette): string {
  const { effect, known } = object;
  const status = known === "newly_listed" ? "newly acknowledged" : "undeclared (left alone)";
  const name = undeclaredName(object, MAX_NAME_CHARS);
  const who = whoText(object.who);
  const by = who === null ? "" : `; ${colors.warning(plain(who))}`;
  return `  ${colors[EFFECTS[effect].tone](`${status}, ${effect}:`)} ${name} ${doesText(object)}${by}`;
}

/** One line for all these objects. */
function namesLine(status: string, objects: readonly UnmanagedObject[], colors: Palette): readonly string[] {
  if (objects.length === 0) return [];
  const names = firstFew(objects, MAX_NAMED, (each) => undeclaredName(each, MAX_NAME_CHARS));
  return [colors.faint(`  ${objects.length} ${status}: ${names}`)];
}

function callLines({ calls }: ZoneView, colors: Palette): readonly string[] {
  if (calls.length === 0) return [];
  const lines = calls.flatMap(({ step, method, path, body }) => [
    `    ${step}. ${method} ${plain(path)}`,
    ...(body === null ? [] : [colors.faint(`       ${plain(JSON.stringify(body))}`)]),
  ]);
  return [`  ${colors.strong("calls")}`, ...lines];
}

/** One guardrail for all its zones, with shared advice once. */
function guardrailLines(
  { name, allowed, parts, wayOn }: FoldedGuardrail,
  view: PlanView,
  colors: Palette,
): readonly string[] {
  const lead = allowed
    ? colors.warning(`guardrail ${plain(name)} (${spell(view, says`lifted by ${{ flag: "allow" }}`)}):`)
    : colors.error(`${view.words.refusal(name)} guardrail ${plain(name)}:`);
  const texts = parts.map((part) => plain(breachText(part)));
  const [only, ...otherTexts] = texts;
  if (otherTexts.length === 0) return [`${lead} ${only}`];
  const shown = texts.slice(0, MAX_PARTS);
  const more = texts.length - shown.length;
  return [
    lead,
    ...shown.map((text) => `  - ${text}`),
    ...(more > 0 ? [colors.faint(`  ${moreText(more, view)}`)] : []),
    ...(wayOn === "" ? [] : [`  ${plain(wayOn)}`]),
  ];
}

const MAX_PARTS = 10;

/** Notes on sections that are no longer managed, of zones that left the plan. */
function zonesNoLongerManaged({ diagnostics, zones }: PlanDocument): readonly Diagnostic[] {
  const plannedZones = new Set(zones.map(({ zone }) => zone));
  return diagnostics.filter(
    ({ code, zone }) => NO_LONGER_MANAGED.includes(code) && (zone === undefined || !plannedZones.has(zone)),
  );
}

function titledText(diagnostic: Diagnostic, colors: Palette): string {
  const { title, text } = titled(diagnostic);
  return `${colors.warning(`! ${plain(title)}:`)} ${plain(text)}`;
}
