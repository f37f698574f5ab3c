import type { DetectionReport, JudgedDetection, ZoneDetections } from "../../model/detection.js";
import { isList, type Json } from "../../model/json.js";
import { visible } from "../plain.js";
import { fieldsOf } from "./fields.js";

/** Detections as a table for other programs; the columns are the same whatever the service says. */
export function detectionsCsv({ kind, zones }: DetectionReport, which: "brief" | "whole"): string {
  const fields = fieldsOf(kind, which);
  const judged = kind === "cookies" ? [] : ["malicious", "reasons", "categories"];
  const header = ["zone", "zone_id", ...judged, ...fields];
  const rows = zones.flatMap((zone) =>
    zone.found.ok ? zone.found.value.map((each) => row(zone, each, fields)) : [],
  );
  return csvText([header, ...rows]);
}

function row(
  { zone, zoneId }: ZoneDetections,
  { raw, verdict }: JudgedDetection,
  fields: readonly string[],
): readonly string[] {
  const judged =
    verdict === null ? [] : [verdict.malicious ?? "unknown", verdict.reasons, verdict.categories].map(cell);
  return [zone, zoneId ?? "", ...judged, ...fields.map((field) => cell(raw[field]))];
}

/** Lists of texts are joined; what is deeper stands as JSON. */
function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (isList(value) && value.every((each) => typeof each === "string")) return value.join("; ");
  return JSON.stringify(value);
}

/**
 * Rows as RFC 4180 has them. Nothing in a cell can be a formula, a line of its own or an escape of a terminal, and
 * nothing is lost: what is written as `\u{…}` can be read back, and of the `'` before what would be a formula (with others
 * of them, if it had any) one is ours.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(inertCell).join(",")}\r\n`).join("");
}

function inertCell(text: string): string {
  const inert = visible(text.replace(FORMULA, "$1'"));
  return /[",]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/**
 * What spreadsheets take for the start of a formula, the wide forms of it too; also behind a semicolon, at which they
 * part cells in many countries.
 */
const FORMULA = /(^|;)(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
