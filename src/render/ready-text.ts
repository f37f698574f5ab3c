import type { ImpactEntry } from "../model/detection.js";
import { besidesText } from "../model/evidence.js";
import type { ReadyObject, ReadyReport } from "../model/readiness.js";
import { loadText } from "./impact-moves.js";
import { code, message } from "./markdown/escape.js";
import type { Palette } from "./palette.js";
import { count, daysText, plain } from "./safe-text.js";
import { quoted } from "./values.js";

/** The reporting objects of each zone: whether they could block, and what they would block. */
export function readyText({ zones, leastDays }: ReadyReport, colors: Palette): string {
  const lines = zones.flatMap(({ zone, found }) => {
    if (!found.ok) return [];
    const none = found.value.length === 0 ? ["  no reporting policies"] : [];
    return [
      colors.strong(plain(zone)),
      ...none,
      ...found.value.flatMap((each) => objectLines(each, leastDays, colors)),
    ];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function objectLines(object: ReadyObject, leastDays: number, colors: Palette): readonly string[] {
  const { name, verdict, would_block, may_block, failing_tests, would_stop } = object;
  const paint = { ready: colors.stronger, not_ready: colors.warning, no_evidence: colors.warning }[verdict];
  return [
    `  ${quoted(name)}: ${paint(verdictText(object, leastDays))}`,
    `    ${evidenceText(object)}`,
    ...entryLines("would block", would_block),
    ...entryLines("may block", may_block),
    ...failing_tests.map((test) => `    test ${quoted(test.name)} would fail: ${plain(test.why)}`),
    ...entryLines("would block (malicious):", would_stop),
  ];
}

/** A line for each reporting object, ready ones first. Empty: none. */
export function readyMarkdown({ zones, leastDays }: ReadyReport): string {
  const all = zones.flatMap(({ zone, found }) =>
    found.ok ? found.value.map((object) => ({ zone, object })) : [],
  );
  if (all.length === 0) return "";
  const ordered = VERDICTS.flatMap((verdict) => all.filter(({ object }) => object.verdict === verdict));
  const lines = ordered
    .slice(0, MOST_LINES)
    .map(
      ({ zone, object }) =>
        `- ${code(object.name, NAME_CHARS)} in ${code(zone, NAME_CHARS)}: ${message(verdictText(object, leastDays))} (${message(evidenceText(object))})`,
    );
  const more = all.length > lines.length ? [`- and ${all.length - lines.length} more`] : [];
  return ["\n#### Ready to block?\n", ...lines, ...more].map((line) => `${line}\n`).join("");
}

const VERDICTS = ["ready", "not_ready", "no_evidence"] as const;
const MOST_LINES = 20;
const NAME_CHARS = 100;

function verdictText(object: ReadyObject, leastDays: number): string {
  if (object.verdict === "ready") return "ready to block";
  if (object.verdict === "no_evidence") return `no evidence: ${nothingSeen(object)}`;
  const { would_block, may_block, would_stop, reported_besides, failing_tests: tests, days } = object;
  const { detecting } = object;
  const malicious = would_stop.length === 0 ? "" : `, and ${would_stop.length} malicious`;
  const reasons = [
    ...(would_block.length === 0 ? [] : [`would block ${count(would_block.length, "load")}${malicious}`]),
    ...(may_block.length === 0 ? [] : [`may block ${count(may_block.length, "load")}`]),
    ...(reported_besides.length === 0 ? [] : [`unexplained reports of ${besidesText(reported_besides)}`]),
    ...(tests.length === 0 ? [] : [`${count(tests.length, "test")} would fail`]),
    ...(days >= leastDays ? [] : [`${count(days, "day")} of evidence, ${leastDays} needed`]),
    ...(detecting ? [] : ["detection is off, so recent loads are unknown"]),
  ];
  return `not ready: ${reasons.join("; ")}`;
}

function nothingSeen({ detecting }: ReadyObject): string {
  return detecting ? "nothing seen on its pages" : "detection is off, and nothing was seen on its pages";
}

function evidenceText({ days, loads, first, last }: ReadyObject): string {
  const span = daysText({ first: dayText(first), last: dayText(last) });
  return `${count(days, "day")} of evidence${span === "" ? "" : `, ${span}`}; ${count(loads, "load")} on its pages`;
}

/** The service's text is not trusted. */
function dayText(time: string | null): string | null {
  return time === null ? null : plain(time);
}

function entryLines(label: string, entries: readonly ImpactEntry[]): readonly string[] {
  const shown = entries.slice(0, MOST_SHOWN).map((entry) => `    ${label} ${loadText(entry)}`);
  const rest = entries.length - shown.length;
  return rest === 0 ? shown : [...shown, `    ${label} ${rest} more`];
}

const MOST_SHOWN = 20;
