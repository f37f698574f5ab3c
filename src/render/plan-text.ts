import { isObject, type Json } from "../model/json.js";
import type {
  PlanDocument,
  PlannedCall,
  PlannedChange,
  PlannedField,
  PlannedPart,
  PlannedZone,
} from "../plan/generated/plan-document.js";
import { changedTexts, quoted, quotedBoth, valueText } from "./changed.js";
import { membersLines } from "./members.js";
import type { Palette } from "./palette.js";
import { atLineStart, count, plain } from "./plain.js";

export interface PlanTextOptions {
  readonly colors: Palette;
  /** With the calls. */
  readonly verbose: boolean;
  /** A field's value for people, where its kind has words for it. */
  readonly explain: (kind: string, field: string, value: Json) => string | null;
}

/** A plan for people: zone by zone what changes, then what stands against it, then the sum in one line. */
export function planText(plan: PlanDocument, options: PlanTextOptions): string {
  const blocks = [
    ...plan.zones.map((zone) => zoneText(plan, zone, options)),
    guardrailsText(plan, options.colors),
    `${summaryText(plan, options.colors)}\n`,
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

/** The plan in one line. */
function summaryText({ summary, zones }: PlanDocument, colors: Palette): string {
  const { create, update, delete: deletes, unchanged, calls, requests } = summary;
  const failed = zones.filter((zone) => zone.status === "failed").length;
  const counts =
    create + update + deletes === 0
      ? `no changes, ${unchanged} unchanged`
      : `${create} to create, ${update} to update, ${deletes} to delete, ${unchanged} unchanged`;
  const failures = failed === 0 ? "" : `${colors.error(`${count(failed, "zone")} could not be planned`)}; `;
  const cost = `${count(calls, "call")} to make; ${count(requests, "request")} made to plan`;
  if (failed === summary.zones && failed > 0)
    return `${colors.strong("Plan:")} ${failures.replace(/; $/, ".")}`;
  return `${colors.strong("Plan:")} ${failures}${counts} in ${count(summary.zones - failed, "zone")}; ${cost}.`;
}

function zoneText(plan: PlanDocument, zone: PlannedZone, options: PlanTextOptions): string {
  const { colors } = options;
  const changes = plan.changes.filter((change) => change.zone === zone.zone);
  const body = [
    ...(zone.status === "failed"
      ? [colors.error("  could not be planned; the reason is in the messages")]
      : []),
    ...changes.flatMap((change) => changeLines(change, options)),
    ...unmanagedLines(plan, zone.zone, colors),
    ...(options.verbose
      ? callLines(
          plan.calls.filter((call) => call.zone === zone.zone),
          colors,
        )
      : []),
  ];
  if (body.length === 0) return "";
  const id = zone.zone_id === null ? "" : ` ${colors.faint(plain(zone.zone_id))}`;
  return `${colors.strong(plain(zone.zone))}${id}\n${body.join("\n")}\n`;
}

function changeLines(change: PlannedChange, options: PlanTextOptions): readonly string[] {
  const { colors } = options;
  const { symbol, paint } = markOf(change.action, colors);
  const source =
    change.source === null ? "" : colors.faint(`  ${plain(change.source.file)}:${change.source.line}`);
  const head = `  ${paint(symbol)} ${titleOf(change, colors)}${source}`;
  if (change.action === "delete") return [head];
  return [
    head,
    ...change.fields
      .filter((field) => !isSaid(change, field))
      .flatMap((field) => fieldLines(change, field, options)),
  ];
}

/** `policy "Checkout scripts"`; of a kind with one object a zone, the kind says it all. */
function titleOf({ kind, key, was, id, action }: PlannedChange, colors: Palette): string {
  if (key === kind) return plain(kind);
  if (was !== undefined) {
    const [now, before] = quotedBoth(key, was);
    return `${plain(kind)} ${now}${colors.faint(` (was ${before})`)}`;
  }
  // Names need not be unique in the live state, so what is deleted also shows its id.
  const precise = action === "delete" && id !== null ? ` ${plain(id)}` : "";
  return `${plain(kind)} ${quoted(key)}${precise}`;
}

/** The name of a new or renamed object already stands in its title. */
function isSaid({ key, was, action, fields }: PlannedChange, field: PlannedField): boolean {
  if (fields.find(({ after }) => after === key) !== field) return false;
  return action === "create" || (was !== undefined && field.before === was);
}

function markOf(action: PlannedChange["action"], colors: Palette) {
  switch (action) {
    case "create":
      return { symbol: "+", paint: colors.add };
    case "update":
      return { symbol: "~", paint: colors.change };
    case "delete":
      return { symbol: "-", paint: colors.remove };
  }
}

const INDENT = "      ";

function fieldLines(change: PlannedChange, field: PlannedField, options: PlanTextOptions): readonly string[] {
  const { before, after, parts } = field;
  const { colors } = options;
  const path = plain(field.path);
  const [only] = parts ?? [];
  // A field that is one set, not a set per part.
  if (only !== undefined && only.part === "") return membersLines(`${INDENT}${path}:`, only, colors);
  if (parts !== undefined && parts.length > 0)
    return [`${INDENT}${path}:`, ...parts.flatMap((part) => partLines(part, colors))];
  const worded = (value: unknown) => options.explain(change.kind, field.path, value as Json) ?? value; // documents are JSON
  if (change.action === "create") return newField(path, valueText(worded(after)));
  if (isObject(after) && "$secret" in after) return [`${INDENT}${path}: (sensitive) → (sensitive, changed)`];
  const [old, now] = changedTexts(worded(before), worded(after));
  const line = `${INDENT}${path}: ${old} → ${now}`;
  if (line.length <= 110) return [line];
  return [
    `${INDENT}${path}:`,
    `${INDENT}  ${colors.remove("-")} ${old}`,
    `${INDENT}  ${colors.add("+")} ${now}`,
  ];
}

/** A long CSP value takes a line per directive. */
function newField(path: string, shown: string): readonly string[] {
  const line = `${INDENT}${path}: ${shown}`;
  const parts = shown.split("; ");
  if (line.length <= 110 || parts.length === 1) return [line];
  return [`${INDENT}${path}:`, ...parts.map((part) => `${INDENT}  ${atLineStart(part)}`)];
}

function partLines(changed: PlannedPart, colors: Palette): readonly string[] {
  const note = changed.change === "changed" ? "" : ` (${changed.change})`;
  return membersLines(`${INDENT}  ${plain(changed.part)}${note}:`, changed, colors);
}

/** Undeclared live objects are named, so that leaving them alone is a choice that somebody sees. */
const MAX_NAMED = 5;
const MAX_NAME_CHARS = 200;

function unmanagedLines(plan: PlanDocument, zone: string, colors: Palette): readonly string[] {
  const all = plan.unmanaged.filter((each) => each.zone === zone);
  const kinds = [...new Set(all.map((each) => each.kind))];
  return kinds.map((kind) => {
    const objects = all.filter((each) => each.kind === kind);
    const names = objects
      .slice(0, MAX_NAMED)
      .map(({ key, id }) => (key === "" ? plain(id ?? "?") : quoted(key, MAX_NAME_CHARS)));
    const more = objects.length > MAX_NAMED ? ` and ${objects.length - MAX_NAMED} more` : "";
    return colors.faint(`  not managed, left as it is: ${plain(kind)} ${names.join(", ")}${more}`);
  });
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
