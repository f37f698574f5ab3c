import {
  type DetectionReport,
  type JudgedDetection,
  scoreOf,
  type ZoneDetections,
} from "../../model/detection.js";
import type { Palette } from "../palette.js";
import { count, plain } from "../plain.js";
import { countsOf } from "./counts.js";
import { verdictText } from "./verdict.js";

/** Longer cells would push the others off the screen; the URL stands last and may be long. */
const MAX_CELL_CHARS = 60;

/** Detections for people: a line each, then how many there are. */
export function detectionTable(report: DetectionReport, colors: Palette): string {
  const rows = report.zones.flatMap((zone) =>
    zone.found.ok ? zone.found.value.map((each) => row(zone, each, report)) : [],
  );
  const table = rows.length === 0 ? "" : tableText([header(report), ...rows], colors);
  return `${table}${sumText(report)}\n`;
}

interface Row {
  readonly cells: readonly string[];
  readonly paint: "header" | "malicious" | "none";
}

/** The zone is a column only where there are several. */
function header({ kind, zones }: DetectionReport): Row {
  const ofScripts = kind === "scripts" ? ["SCORE"] : [];
  const ofZones = zones.length > 1 ? ["ZONE"] : [];
  const cells = [...ofZones, "ID", "STATUS", "MALICIOUS", ...ofScripts, "LAST SEEN", "HOST", "URL"];
  return { cells, paint: "header" };
}

function row(
  { zone }: ZoneDetections,
  { id, url, raw, verdict }: JudgedDetection,
  report: DetectionReport,
): Row {
  const ofScripts = report.kind === "scripts" ? [String(scoreOf(raw) ?? "")] : [];
  const ofZones = report.zones.length > 1 ? [zone] : [];
  const said = [raw.last_seen_at, raw.host].map((value) => (typeof value === "string" ? value : ""));
  const status = typeof raw.status === "string" ? raw.status : "";
  const cells = [...ofZones, id, status, verdictText(verdict, report.scoreBelow), ...ofScripts, ...said, url];
  return { cells, paint: verdict.malicious === true ? "malicious" : "none" };
}

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
  const { zones, zones_failed, count: found, malicious, unknown } = countsOf(report);
  const read = zones - zones_failed;
  const noun = report.kind === "scripts" ? "script" : "connection";
  const parts = [
    `${count(found, noun)} in ${count(read, "zone")}`,
    ...(malicious === 0 ? [] : [`${malicious} malicious`]),
    ...(unknown === 0 ? [] : [`${unknown} not known to be malicious or not`]),
    ...(zones_failed === 0 ? [] : [`${count(zones_failed, "zone")} could not be read`]),
  ];
  return `${parts.join(", ")}.`;
}
