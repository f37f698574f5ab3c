import { groupBy } from "../model/group-by.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";

/** A run, for monitoring. */
export interface WatchedRun {
  readonly about: "plan" | "drift";
  /** Null: no plan. */
  readonly document: PlanDocument | null;
  readonly isGood: boolean;
  readonly durationMs: number;
  readonly endedMs: number;
  /** The time of the last good run before this one, in seconds since 1970. Null: unknown. */
  readonly goodBefore: number | null;
}

const GOOD = "zoneward_last_good_run_timestamp_seconds";

/** Reads the time of the last good run from the metrics of an earlier run. */
export function goodRunIn(text: string): number | null {
  const [, seconds] = new RegExp(`^${GOOD} (\\d{1,12}(?:\\.\\d+)?)$`, "m").exec(text) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

/**
 * A run in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/. Metrics with
 * labels only have samples for labels that occur.
 */
export function metricsText(run: WatchedRun): string {
  const { document, isGood, durationMs, endedMs, goodBefore } = run;
  const good = isGood ? endedMs / SECOND_MS : goodBefore;
  return [
    metric("zoneward_run_good", "1 if nothing failed in the last run.", [[{}, isGood ? 1 : 0]]),
    metric("zoneward_run_duration_seconds", "How long the last run took.", [[{}, durationMs / SECOND_MS]]),
    metric("zoneward_run_timestamp_seconds", "When the last run ended.", [[{}, endedMs / SECOND_MS]]),
    metric(GOOD, "End of the last run without a failure.", good === null ? [] : [[{}, good]]),
    ...(document === null ? [] : documentMetrics(run.about, document)),
  ].join("");
}

const SECOND_MS = 1_000;

function documentMetrics(about: WatchedRun["about"], document: PlanDocument): readonly string[] {
  const { zones, changes, unmanaged, diagnostics, summary } = document;
  const drifted =
    about === "drift"
      ? changes
      : changes.filter(({ origin }) => origin !== "declared" && origin !== "unknown");
  const failing = diagnostics.filter(({ code }) => code === "job_failing").length;
  return [
    metric(
      "zoneward_zones",
      "Zones, by whether they could be planned.",
      countedSamples(zones, ({ status }) => ({ status })),
    ),
    metric(
      "zoneward_drifted_objects",
      "Objects that were changed outside the files.",
      // The effect of the change outside, and not that of going back.
      countedSamples(drifted, ({ kind, drift_effect: effect = "unknown" }) => ({ kind, effect })),
    ),
    ...(about === "drift"
      ? []
      : [
          metric(
            "zoneward_changes",
            "Objects that an apply would change.",
            countedSamples(changes, ({ kind, effect }) => ({ kind, effect })),
          ),
        ]),
    metric(
      "zoneward_unmanaged_objects",
      "Undeclared live objects.",
      countedSamples(unmanaged, ({ kind, known }) => ({ kind, known })),
    ),
    metric("zoneward_failed_jobs", "Log-push jobs that fail.", [[{}, failing]]),
    metric("zoneward_requests", "Requests that the last run made.", [[{}, summary.requests]]),
  ];
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

function countedSamples<T>(all: readonly T[], labelsOf: (item: T) => Labels): readonly Sample[] {
  const groups = groupBy(all, (each) => JSON.stringify(labelsOf(each)));
  return [...groups.values()].map((group) => [labelsOf(group[0]), group.length]);
}

function metric(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelsText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}

function labelsText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
