import type {
  Diagnostic,
  PlanDocument,
  PlannedCall,
  UnmanagedObject,
} from "../plan/generated/plan-document.js";
import { changeLines } from "./change-lines.js";
import { type Palette, painted } from "./palette.js";
import { plain } from "./plain.js";
import { ownMessage, RELEASED, REVIEW_CHANGES, reviewFirst } from "./review-first.js";
import { doesText, listingLine, PRESENCE, undeclaredName } from "./undeclared.js";
import { nothingText, summaryPhrase, verdictOf, withoutBaseText } from "./verdict.js";
import type { PlanView, ZoneView } from "./view.js";
import { TONES } from "./words.js";

export interface PlanTextOptions {
  readonly colors: Palette;
  /** With the calls. */
  readonly verbose: boolean;
}

/**
 * A plan for people: what changes the review itself, what it comes to in one line, zone by zone what changes and what is
 * left alone, what stands against it, and what it takes to carry it out.
 */
export function planText(view: PlanView, options: PlanTextOptions): string {
  const { colors } = options;
  const { document, words, changes, zones } = view;
  const leadChars = changes.reduce((most, { lead }) => Math.max(most, lead.length), 0);
  const blocks = [
    linesText(reviewLines(document.diagnostics, colors)),
    linesText(openingLines(view, colors)),
    ...zones.map((zone) => zoneText(zone, leadChars, view, options)),
    linesText(goneZones(document).map((each) => releasedLine(each, colors))),
    guardrailsText(document, colors),
    `${colors.strong(`${words.title}:`)} ${painted(summaryPhrase(view), colors)}\n`,
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** What changes the review itself, a line each. */
function reviewLines(diagnostics: readonly Diagnostic[], colors: Palette): readonly string[] {
  return reviewFirst(diagnostics).first.map((each) => {
    const { code, source } = each;
    const place = source === undefined ? "" : colors.faint(`  ${plain(source.file)}:${source.line}`);
    return `${titledText(each, REVIEW_CHANGES.get(code) ?? code, colors)}${place}`;
  });
}

/** Where no zone could be planned, each says so. */
function openingLines(view: PlanView, colors: Palette): readonly string[] {
  const verdict = verdictOf(view).map((each) => painted(each, colors));
  const isPartial = new Set(view.zones.map(({ zone }) => zone.status)).size > 1;
  const nothing = isPartial ? [colors.error(nothingText(view))] : [];
  const remark = withoutBaseText(view);
  return [
    ...(verdict.length === 0 ? nothing : [verdict.join("; ")]),
    ...(remark === null ? [] : [colors.faint(remark)]),
  ];
}

function zoneText(
  { zone, changes, calls, unmanaged, released }: ZoneView,
  leadChars: number,
  view: PlanView,
  { colors, verbose }: PlanTextOptions,
): string {
  const body = [
    ...(zone.status === "failed"
      ? [colors.error(`  ${view.words.failed}; the reason is in the messages`)]
      : []),
    ...changes.flatMap((change) => changeLines(change, leadChars, colors, view)),
    ...released.map((each) => `  ${releasedLine(each, colors)}`),
    ...unmanagedLines(unmanaged, colors),
    ...(verbose ? callLines(calls, colors) : []),
  ];
  if (body.length === 0) return "";
  const id = zone.zone_id === null ? "" : ` ${colors.faint(plain(zone.zone_id))}`;
  return `${colors.strong(plain(zone.zone))}${id}\n${body.join("\n")}\n`;
}

/** Undeclared live objects are named, so that leaving them alone is a choice that somebody sees. */
const MAX_NAMED = 5;
const MAX_NAME_CHARS = 200;

/** One line each for what nobody knows of, what weakens first, and one for what is known. */
function unmanagedLines(unmanaged: readonly UnmanagedObject[], colors: Palette): readonly string[] {
  const news = unmanaged.filter(({ known }) => known !== "listed");
  const shown = news.slice(0, MAX_TOLD).map((each) => undeclaredLine(each, colors));
  const more = news.length > MAX_TOLD ? [colors.faint(`  and ${news.length - MAX_TOLD} more`)] : [];
  const line = listingLine(news.filter(({ known }) => known === "not_listed"));
  const listing = line === null ? [] : [colors.faint(`  to list as known, in the zone: ${plain(line)}`)];
  return [...shown, ...more, ...listing, ...knownLine(unmanaged, colors)];
}

const MAX_TOLD = 10;

function undeclaredLine(each: UnmanagedObject, colors: Palette): string {
  const { effect, known } = each;
  const what = known === "newly_listed" ? "now listed as known" : "not declared, left as it is";
  const name = undeclaredName(each, MAX_NAME_CHARS);
  return `  ${colors[TONES[effect]](`${what}, ${PRESENCE[effect]}:`)} ${name} ${doesText(each)}`;
}

function knownLine(unmanaged: readonly UnmanagedObject[], colors: Palette): readonly string[] {
  const names = unmanaged
    .filter(({ known }) => known === "listed")
    .map((each) => undeclaredName(each, MAX_NAME_CHARS));
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return [colors.faint(`  listed as known, left as it is: ${names.slice(0, MAX_NAMED).join(", ")}${more}`)];
}

function callLines(calls: readonly PlannedCall[], colors: Palette): readonly string[] {
  if (calls.length === 0) return [];
  const lines = calls.flatMap(({ step, method, path, body }) => [
    `    ${step}. ${method} ${plain(path)}`,
    ...(body === null ? [] : [colors.faint(`       ${plain(JSON.stringify(body))}`)]),
  ]);
  return [`  ${colors.strong("calls")}`, ...lines];
}

function guardrailsText({ guardrails }: PlanDocument, colors: Palette): string {
  return guardrails
    .map(({ name, message, allowed }) =>
      allowed
        ? `${colors.warning(`guardrail ${plain(name)}, lifted by --allow:`)} ${plain(message)}\n`
        : `${colors.error(`guardrail ${plain(name)}:`)} ${plain(message)}\n`,
    )
    .join("");
}

/** What is no longer managed with all of its zone. */
function goneZones({ diagnostics, zones }: PlanDocument): readonly Diagnostic[] {
  const here = new Set(zones.map(({ zone }) => zone));
  return diagnostics.filter(
    ({ code, zone }) => RELEASED.has(code) && (zone === undefined || !here.has(zone)),
  );
}

/** What was taken out of the files and stays live. */
function releasedLine(diagnostic: Diagnostic, colors: Palette): string {
  return titledText(diagnostic, RELEASED.get(diagnostic.code) ?? diagnostic.code, colors);
}

function titledText(diagnostic: Diagnostic, title: string, colors: Palette): string {
  return `${colors.warning(`! ${plain(title)}:`)} ${plain(ownMessage(diagnostic, title))}`;
}
