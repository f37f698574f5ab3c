import type { PlanDocument, PlannedCall, PlannedZone } from "../plan/generated/plan-document.js";
import { changeLines } from "./change-lines.js";
import { quoted } from "./changed.js";
import type { FieldWords } from "./field-lines.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./plain.js";
import { verdictText } from "./verdict.js";

export interface PlanTextOptions {
  readonly colors: Palette;
  /** With the calls. */
  readonly verbose: boolean;
  readonly explain: FieldWords;
}

/**
 * A plan for people: what it comes to in one line, zone by zone what changes, what stands against it, and what it takes
 * to carry it out.
 */
export function planText(plan: PlanDocument, options: PlanTextOptions): string {
  const verdict = verdictText(plan, options.colors);
  const effectChars = plan.changes.reduce((most, { effect }) => Math.max(most, effect.length), 0);
  const blocks = [
    ...(verdict === null ? [] : [`${verdict}\n`]),
    ...plan.zones.map((zone) => zoneText(plan, zone, effectChars, options)),
    guardrailsText(plan, options.colors),
    `${summaryText(plan, options.colors)}\n`,
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

/** The calls and what they are for, in one line. */
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

function zoneText(
  plan: PlanDocument,
  zone: PlannedZone,
  effectChars: number,
  options: PlanTextOptions,
): string {
  const { colors } = options;
  const changes = plan.changes.filter((change) => change.zone === zone.zone);
  const body = [
    ...(zone.status === "failed"
      ? [colors.error("  could not be planned; the reason is in the messages")]
      : []),
    ...changes.flatMap((change) => changeLines(change, effectChars, colors, options.explain)),
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
