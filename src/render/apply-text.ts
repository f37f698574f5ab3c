import { type Group, groupBy } from "../model/group-by.js";
import { jsonText } from "../model/json-text.js";
import { NOT_ENTITLED } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import type { ApplyReport, CallOutcome } from "../model/report.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./safe-text.js";
import { quoted } from "./values.js";
import { notComparedText } from "./verdict.js";
import type { ChangeView, PlanView } from "./view.js";

/** Words for an apply or a rollback. */
export interface ReportWords {
  readonly heading: string;
  readonly outcome: string;
  /** The result without calls. */
  readonly idle: string;
  /** A lead for the command that undoes the run. */
  readonly undo: string;
}

/** The result of an apply as text: change by change, then the summary. */
export function reportText(
  report: ApplyReport,
  view: PlanView,
  colors: Palette,
  { heading, outcome, idle, undo }: ReportWords,
): string {
  const lead = colors.strong(`${heading}:`);
  const { done, failed, not_started, zones_converged, zones_failed } = report.summary;
  if (report.outcomes.length === 0 && report.converged) {
    return `${lead} ${idle}; ${count(zones_converged, "zone")} ${outcome}${notComparedText(view.document)}.\n`;
  }
  const lines = doneLines(report, view, colors).map((line) => `  ${line}\n`);
  const calls =
    report.outcomes.length === 0
      ? "nothing was written"
      : `${count(done, "call")} done, ${failed} failed, ${not_started} not started`;
  const notes = `${notEntitledText(report)}${notComparedText(view.document)}`;
  const zones =
    zones_failed === 0
      ? `${count(zones_converged, "zone")} ${outcome}${notes}`
      : `${colors.error(`${zones_converged} of ${count(zones_converged + zones_failed, "zone")} ${outcome}`)}${notes}`;
  return `${lines.join("")}${lead} ${calls}; ${zones}.\n${journalText(report, undo)}`;
}

/** Zones without sections that are optional and missing from the zone's Cloudflare plan. */
function notEntitledText({ zones }: ApplyReport): string {
  const converged = zones.filter(({ converged }) => converged);
  const partial = converged.filter(({ problems }) => problems.some(({ code }) => code === NOT_ENTITLED));
  if (partial.length === 0) return "";
  const share = partial.length === converged.length ? "" : `${partial.length} of them `;
  return `, ${share}limited by ${partial.length === 1 ? "its Cloudflare plan" : "their Cloudflare plans"}`;
}

/** The state of a change, from the states of its calls. */
type State = "done" | "failed" | "in part" | "not started";

interface StatusLine {
  /** The last call of the change, for the order of lines. */
  readonly step: number;
  readonly state: State;
  readonly text: string;
}

/** A line for each change in the order of the calls. A call without a change has a line of its own. */
function doneLines({ outcomes }: ApplyReport, { document, groups }: PlanView, colors: Palette): string[] {
  const statusOf = new Map(outcomes.map(({ step, status }) => [step, status]));
  const calls = document.calls.flatMap(({ step, changes }) => changes.map((n) => ({ n, step })));
  const stepsOf = groupBy(calls, ({ n }) => n);
  const changeSteps = ({ n }: ChangeView) => (stepsOf.get(n) ?? []).map(({ step }) => step);
  const stateOf = (change: ChangeView) =>
    stateIn(changeSteps(change).map((step) => statusOf.get(step) ?? "not_started"));
  const changed = groups.flatMap(({ members: group }) =>
    [...groupBy(group, stateOf)].flatMap(([state, members]): readonly StatusLine[] =>
      state === null
        ? []
        : [{ step: Math.max(...changeSteps(members[0])), state, text: changeText(members, state) }],
    ),
  );
  const carrying = new Set(calls.map(({ step }) => step));
  const otherLines = outcomes
    .filter(({ step }) => !carrying.has(step))
    .map(({ step, call, zone, status }): StatusLine => {
      return { step, state: stateIn([status]) ?? "done", text: `${step}. ${plain(call)} (${plain(zone)})` };
    });
  const all = [...changed, ...otherLines].toSorted((a, b) => a.step - b.step);
  const width = all.reduce((most, { state }) => Math.max(most, state.length), 0);
  return all.map(
    ({ state, text }) => `${PAINTS[state](colors)(state)}${" ".repeat(width - state.length)}  ${text}`,
  );
}

/** Null: no calls. */
function stateIn(statuses: readonly CallOutcome["status"][]): State | null {
  if (statuses.length === 0) return null;
  if (statuses.includes("failed")) return "failed";
  if (!statuses.includes("not_started")) return "done";
  return statuses.includes("done") ? "in part" : "not started";
}

/** `updated policy "Checkout scripts" (shop.example.com)`; `update …` where it is not done. */
function changeText([{ change, verb, pastVerb }, ...rest]: Group<ChangeView>, state: State): string {
  const { kind, key, zone } = change;
  const name = key === kind ? plain(kind) : `${plain(kind)} ${quoted(key)}`;
  const where = rest.length === 0 ? plain(zone) : `${plain(zone)} and ${count(rest.length, "other zone")}`;
  return `${state === "done" ? pastVerb : verb} ${name} (${where})`;
}

const PAINTS: { readonly [state in State]: (colors: Palette) => Palette["error"] } = {
  done: ({ stronger }) => stronger,
  failed: ({ error }) => error,
  "in part": ({ warning }) => warning,
  "not started": ({ warning }) => warning,
};

function journalText({ journal, undoable }: ApplyReport, undo: string): string {
  return journal !== null && undoable ? `${undo}: zoneward rollback ${plain(journal)}\n` : "";
}

/** The result of an apply as JSON. */
export function reportJson({ summary, outcomes, zones, journal, converged }: ApplyReport): string {
  const report = {
    summary,
    outcomes: outcomes.map(({ step, zone, status, problem }) => ({
      step,
      zone,
      status,
      ...(problem === null ? {} : { problem: brief(problem) }),
    })),
    zones: zones.map(({ zone, converged: done, problems }) => ({
      zone,
      converged: done,
      problems: problems.map(brief),
    })),
    journal,
    converged,
  };
  return jsonText(report);
}

function brief({ code, summary, detail }: Problem) {
  return { code, summary, detail };
}
