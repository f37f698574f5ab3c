import { cut } from "../model/cut.js";
import {
  type DetectedKind,
  type DetectionReport,
  type JudgedDetection,
  type Reason,
  scoreOf,
  type Verdict,
  type ZoneDetections,
} from "../model/detection.js";
import { isList, isObject, type Json } from "../model/json.js";
import { countsOf, inFieldOrder } from "./detections-json.js";
import type { Palette } from "./palette.js";
import { count, MAX_CHARS, plain } from "./safe-text.js";

/** Longer cells are cut. The URL is last, and may be long. */
const MAX_CELL_CHARS = 60;

/** Detections as a table, with a summary. With one zone, there is no column for zones. */
export function detectionTable(report: DetectionReport, colors: Palette): string {
  const columns = [...(report.zones.length > 1 ? [ZONE] : []), ...COLUMNS[report.kind]];
  const rows = report.zones.flatMap(({ zone, detections }): readonly Row[] =>
    detections.ok
      ? detections.value.map((detection) => ({
          cells: columns.map(([, cellOf]) => cellOf({ zone, detection, scoreBelow: report.scoreBelow })),
          paint: detection.verdict.malicious === true ? "malicious" : "none",
        }))
      : [],
  );
  const header: Row = { cells: columns.map(([title]) => title), paint: "header" };
  const table = rows.length === 0 ? "" : tableText([header, ...rows], colors);
  return `${table}${sumText(report)}\n`;
}

interface Row {
  readonly cells: readonly string[];
  readonly paint: "header" | "malicious" | "none";
}

interface Cell {
  readonly zone: string;
  readonly detection: JudgedDetection;
  readonly scoreBelow: number;
}

type CellOf = (cell: Cell) => string;
type Column = readonly [title: string, cellOf: CellOf];

/** A field that is a text. */
function field(name: string): CellOf {
  return ({ detection }) => {
    const value = detection.raw[name];
    return typeof value === "string" ? value : "";
  };
}

const ZONE: Column = ["ZONE", ({ zone }) => zone];
const FIRST: readonly Column[] = [
  ["ID", ({ detection }) => detection.id],
  ["STATUS", field("status")],
  ["MALICIOUS", ({ detection, scoreBelow }) => verdictText(detection.verdict, scoreBelow)],
];
const SCORE: Column = ["SCORE", ({ detection }) => String(scoreOf(detection.raw) ?? "")];
/** The longest column is last. */
const LAST: readonly Column[] = [
  ["LAST SEEN", field("last_seen_at")],
  ["HOST", field("host")],
  ["URL", ({ detection }) => detection.url],
];

const COLUMNS: Readonly<Record<DetectedKind, readonly Column[]>> = {
  scripts: [...FIRST, SCORE, ...LAST],
  connections: [...FIRST, ...LAST],
};

function tableText(rows: readonly Row[], colors: Palette): string {
  const shown = rows.map(({ cells, paint }) => ({ cells: cells.map(cellText), paint }));
  const widths = (shown[0]?.cells ?? []).map((_, column) =>
    shown.reduce((widest, { cells }) => Math.max(widest, cells[column]?.length ?? 0), 0),
  );
  const paints = { header: colors.strong, malicious: colors.error, none: (text: string) => text };
  return shown.map(({ cells, paint }) => `${paints[paint](lineOf(cells, widths))}\n`).join("");
}

function cellText(text: string, column: number, all: readonly string[]): string {
  const shown = plain(text);
  const isLast = column === all.length - 1;
  return isLast || shown.length <= MAX_CELL_CHARS ? shown : `${shown.slice(0, MAX_CELL_CHARS - 1)}…`;
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const last = cells.length - 1;
  return cells.map((cell, column) => (column === last ? cell : cell.padEnd(widths[column] ?? 0))).join("  ");
}

function sumText(report: DetectionReport): string {
  const { zones, zones_failed, count: total, malicious, unknown } = countsOf(report);
  const readZones = zones - zones_failed;
  const noun = report.kind.slice(0, -1);
  const parts = [
    `${count(total, noun)} in ${count(readZones, "zone")}`,
    ...(malicious === 0 ? [] : [`${malicious} malicious`]),
    ...(unknown === 0 ? [] : [`${unknown} unjudged`]),
    ...(zones_failed === 0 ? [] : [`${count(zones_failed, "zone")} could not be read`]),
  ];
  return `${parts.join(", ")}.`;
}

/** `yes: score below 50, domain reported (Malware)`; not yet escaped. */
function verdictText({ malicious, reasons, categories }: Verdict, scoreBelow: number): string {
  if (malicious === null) return "unknown";
  if (!malicious) return "no";
  const named = categories.length === 0 ? "" : ` (${categories.join(", ")})`;
  return `yes: ${reasons.map((each) => reasonText(each, scoreBelow)).join(", ")}${named}`;
}

function reasonText(reason: Reason, scoreBelow: number): string {
  switch (reason) {
    case "score_below_threshold":
      return `score below ${scoreBelow}`;
    case "domain_reported":
      return "domain reported";
    case "url_reported":
      return "URL reported";
  }
}

/** Detections with all their fields. */
export function detectionRecords({ zones, scoreBelow }: DetectionReport, colors: Palette): string {
  const records = zones.flatMap((zone) =>
    zone.detections.ok ? zone.detections.value.map((each) => recordText(zone, each, scoreBelow, colors)) : [],
  );
  return records.join("\n");
}

function recordText(
  { zone, zoneId }: ZoneDetections,
  { url, raw, verdict }: JudgedDetection,
  scoreBelow: number,
  colors: Palette,
): string {
  const { url: _, ...otherFields } = raw;
  const paint = verdict.malicious === true ? colors.error : (text: string) => text;
  const lines = [
    colors.strong(plain(url)),
    `  zone: ${plain(zone)} ${plain(zoneId ?? "")}`,
    `  malicious: ${paint(plain(verdictText(verdict, scoreBelow)))}`,
    ...inFieldOrder(otherFields).flatMap(([field, value]) => fieldLines(plain(field), value)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** A list takes a line an item. */
function fieldLines(field: string, value: Json): readonly string[] {
  if (!isList(value)) return [`  ${field}: ${valueText(value)}`];
  if (value.length === 0) return [`  ${field}: none`];
  return [`  ${field}:`, ...value.map((each) => `    ${valueText(each)}`)];
}

function valueText(value: Json): string {
  if (value === null) return "(unknown)";
  if (typeof value === "string") return plain(value);
  if (!isObject(value)) return plain(JSON.stringify(value));
  const parts = inFieldOrder(value).map(([field, each]) => `${plain(field)} ${valueText(each)}`);
  return cut(parts.join(", "), MAX_CHARS);
}
