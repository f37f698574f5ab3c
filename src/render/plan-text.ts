import { groupBy } from "../model/group-by.js";
import type {
  Diagnostic,
  PlanDocument,
  PlannedCall,
  PlannedChange,
  PlannedZone,
  UnmanagedObject,
} from "../plan/generated/plan-document.js";
import { changeLines, leadText } from "./change-lines.js";
import { effectPaint } from "./effect.js";
import { FAILED, failedText, NOTHING_DECLARED, nothingText } from "./failures.js";
import { worstOutsideFirst } from "./outside.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./plain.js";
import { ownMessage, RELEASED, REVIEW_CHANGES, reviewFirst } from "./review-first.js";
import { doesText, listingLine, PRESENCE, undeclaredName } from "./undeclared.js";
import { verdictText } from "./verdict.js";
import type { PlanView } from "./view.js";
import { withoutBaseText } from "./without-base.js";

interface PlanTextOptions extends Pick<PlanView, "about" | "explain"> {
  readonly colors: Palette;
  /** With the calls. */
  readonly verbose: boolean;
}

/**
 * A plan for people: what changes the review itself, what it comes to in one line, zone by zone what changes and what is
 * left alone, what stands against it, and what it takes to carry it out.
 */
export function planText(document: PlanDocument, options: PlanTextOptions): string {
  const { about, colors } = options;
  const plan = about === "drift" ? worstOutsideFirst(document) : document;
  const leads = plan.changes.map((change) => leadText(change, about).length);
  const leadChars = leads.reduce((most, chars) => Math.max(most, chars), 0);
  const blocks = [
    linesText(reviewLines(plan.diagnostics, colors)),
    linesText(openingLines(plan, about, colors)),
    ...zoneReports(plan).map((zone) => zoneText(zone, leadChars, options)),
    linesText(goneZones(plan).map((each) => releasedLine(each, colors))),
    guardrailsText(plan, colors),
    `${colors.strong(about === "plan" ? "Plan:" : "Drift:")} ${summaryText(plan, about, colors)}\n`,
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Where no zone could be planned, each says so. */
function openingLines(plan: PlanDocument, about: PlanView["about"], colors: Palette): readonly string[] {
  const isPartial = new Set(plan.zones.map(({ status }) => status)).size > 1;
  const nothing = isPartial ? colors.error(nothingText(plan, about)) : null;
  const verdict = verdictText(plan, colors, about) ?? nothing;
  const remark = withoutBaseText(plan, about);
  return [...(verdict === null ? [] : [verdict]), ...(remark === null ? [] : [colors.faint(remark)])];
}

/** What is no longer managed with all of its zone. */
function goneZones({ diagnostics, zones }: PlanDocument): readonly Diagnostic[] {
  const here = new Set(zones.map(({ zone }) => zone));
  return diagnostics.filter(
    ({ code, zone }) => RELEASED.has(code) && (zone === undefined || !here.has(zone)),
  );
}

/** The changes, the calls and what they are for, in one line. */
export function summaryText(plan: PlanDocument, about: PlanView["about"], colors: Palette): string {
  const { summary, zones } = plan;
  const { unchanged, calls, requests } = summary;
  const failed = zones.filter((zone) => zone.status === "failed").length;
  const failures = colors.error(failedText(plan, about) ?? "");
  if (failed === summary.zones && failed > 0) return `${failures}.`;
  const counts = `${countsText(plan, about)}, ${unchanged} unchanged in ${count(summary.zones - failed, "zone")}`;
  const made = `${count(requests, "request")} made to ${about === "plan" ? "plan" : "look"}`;
  const make = `${count(calls, "call")} ${about === "plan" ? "to make" : "to go back"}`;
  return `${failed === 0 ? "" : `${failures}; `}${counts}; ${make}; ${made}.`;
}

function countsText({ summary, changes }: PlanDocument, about: PlanView["about"]): string {
  const { create, update, delete: deletes } = summary;
  const some = create + update + deletes > 0;
  const replaced = changes.filter(({ replaces }) => replaces === true).length;
  const replacing = replaced === 0 ? "" : ` (${replaced} by a new one in its place)`;
  const undeclared = summary.not_listed === 0 ? "" : `, ${summary.not_listed} neither declared nor listed`;
  if (about === "plan")
    return some ? `${create} to create, ${update} to update${replacing}, ${deletes} to delete` : "no changes";
  return some
    ? `outside the files ${update} changed, ${create} deleted, ${deletes} added${undeclared}`
    : summary.not_listed > 0
      ? NOTHING_DECLARED.drift
      : "nothing changed outside the files";
}

/** A zone with everything that is its own. */
interface ZoneReport {
  readonly zone: PlannedZone;
  readonly changes: readonly PlannedChange[];
  readonly calls: readonly PlannedCall[];
  readonly unmanaged: readonly UnmanagedObject[];
  readonly released: readonly Diagnostic[];
}

function zoneReports(plan: PlanDocument): readonly ZoneReport[] {
  const changes = groupBy(plan.changes, ({ zone }) => zone);
  const calls = groupBy(plan.calls, ({ zone }) => zone);
  const unmanaged = groupBy(plan.unmanaged, ({ zone }) => zone);
  const released = groupBy(
    plan.diagnostics.filter(({ code }) => RELEASED.has(code)),
    ({ zone }) => zone,
  );
  return plan.zones.map((zone) => ({
    zone,
    changes: changes.get(zone.zone) ?? [],
    calls: calls.get(zone.zone) ?? [],
    unmanaged: unmanaged.get(zone.zone) ?? [],
    released: released.get(zone.zone) ?? [],
  }));
}

function zoneText(
  { zone, changes, calls, unmanaged, released }: ZoneReport,
  leadChars: number,
  options: PlanTextOptions,
): string {
  const { colors } = options;
  const body = [
    ...(zone.status === "failed"
      ? [colors.error(`  ${FAILED[options.about]}; the reason is in the messages`)]
      : []),
    ...changes.flatMap((change) => changeLines(change, leadChars, colors, options)),
    ...released.map((each) => `  ${releasedLine(each, colors)}`),
    ...unmanagedLines(unmanaged, colors),
    ...(options.verbose ? callLines(calls, colors) : []),
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
  return `  ${effectPaint(effect, colors)(`${what}, ${PRESENCE[effect]}:`)} ${name} ${doesText(each)}`;
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

/** What changes the review itself, a line each. */
function reviewLines(diagnostics: readonly Diagnostic[], colors: Palette): readonly string[] {
  return reviewFirst(diagnostics).first.map((each) => {
    const { code, source } = each;
    const place = source === undefined ? "" : colors.faint(`  ${plain(source.file)}:${source.line}`);
    return `${titledText(each, REVIEW_CHANGES.get(code) ?? code, colors)}${place}`;
  });
}

/** What was taken out of the files and stays live. */
function releasedLine(diagnostic: Diagnostic, colors: Palette): string {
  return titledText(diagnostic, RELEASED.get(diagnostic.code) ?? diagnostic.code, colors);
}

function titledText(diagnostic: Diagnostic, title: string, colors: Palette): string {
  return `${colors.warning(`! ${plain(title)}:`)} ${plain(ownMessage(diagnostic, title))}`;
}
