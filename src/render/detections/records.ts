import { cut } from "../../model/cut.js";
import type { DetectionReport, JudgedDetection, ZoneDetections } from "../../model/detection.js";
import { isList, isObject, type Json } from "../../model/json.js";
import type { Palette } from "../palette.js";
import { MAX_CHARS, plain } from "../plain.js";
import { inFieldOrder } from "./fields.js";
import { verdictText } from "./verdict.js";

/** Detections for people, with all that is known of each. */
export function detectionRecords({ zones, scoreBelow }: DetectionReport, colors: Palette): string {
  const records = zones.flatMap((zone) =>
    zone.found.ok ? zone.found.value.map((each) => recordText(zone, each, scoreBelow, colors)) : [],
  );
  return records.join("\n");
}

function recordText(
  { zone, zoneId }: ZoneDetections,
  { url, raw, verdict }: JudgedDetection,
  scoreBelow: number,
  colors: Palette,
): string {
  const { url: _, ...others } = raw;
  const paint = verdict.malicious === true ? colors.error : (text: string) => text;
  const lines = [
    colors.strong(plain(url)),
    `  zone: ${plain(zone)} ${plain(zoneId ?? "")}`,
    `  malicious: ${paint(plain(verdictText(verdict, scoreBelow)))}`,
    ...inFieldOrder(others).flatMap(([field, value]) => fieldLines(plain(field), value)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Lists, as of pages and versions, take a line an item. */
function fieldLines(field: string, value: Json): readonly string[] {
  if (!isList(value)) return [`  ${field}: ${valueText(value)}`];
  if (value.length === 0) return [`  ${field}: none`];
  return [`  ${field}:`, ...value.map((each) => `    ${valueText(each)}`)];
}

function valueText(value: Json): string {
  if (value === null) return "(not known)";
  if (typeof value === "string") return plain(value);
  if (!isObject(value)) return plain(JSON.stringify(value));
  const parts = inFieldOrder(value).map(([field, each]) => `${plain(field)} ${valueText(each)}`);
  return cut(parts.join(", "), MAX_CHARS);
}
