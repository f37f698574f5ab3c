import type { TextRun } from "../model/changed-parts.js";
import { cut } from "../model/cut.js";
import type { PlannedChange, PlannedField, PlannedPart } from "../plan/generated/plan-document.js";
import { changedSides } from "./changed-text.js";
import { COLUMNS, type Columns } from "./columns.js";
import { lineChars, type Palette, type TextStyle } from "./palette.js";
import { atLineStart, MAX_CHARS, plain } from "./plain.js";
import { changedTexts, type Sides, sensitiveSides, shownSides, valueText } from "./values.js";
import { type FieldView, fieldOriginText, type PlanView, wording } from "./view.js";

/** A field before and after. For a new object, its value. */
export function fieldLines(
  change: PlannedChange,
  field: FieldView,
  indent: string,
  style: TextStyle,
  view: PlanView,
): readonly string[] {
  const { colors } = style;
  const { before, after, parts, columns } = field;
  const origin = fieldOriginText(change, field);
  const path = `${plain(field.path)}${origin === null ? "" : colors.warning(` (${origin})`)}`;
  if (columns !== null)
    return [`${indent}${path}:`, ...columns.flatMap((each) => columnLines(each, indent, colors))];
  const [only] = parts ?? [];
  // The field is a single set.
  if (only !== undefined && only.part === "") return membersLines(`${indent}${path}:`, only, style);
  if (parts !== undefined && parts.length > 0)
    return [`${indent}${path}:`, ...parts.flatMap((part) => partLines(part, indent, style))];
  const inWords = (value: unknown) => wording(view, change, field, value);
  if (change.action === "create") return newField(path, valueText(inWords(after)), indent, style);
  const sensitive = sensitiveSides(field);
  const [old, now] = sensitive ?? changedTexts(inWords(before), inWords(after));
  const line = `${indent}${path}: ${old} → ${now}`;
  if (line.length <= lineChars(style)) return [line];
  const sides = sensitive !== null ? null : changedSides(inWords(before), inWords(after));
  const [removed, added] = sides === null ? [old, now] : sides.map((runs) => runsText(runs, colors));
  return [
    `${indent}${path}:`,
    `${indent}  ${colors.remove("-")} ${removed}`,
    `${indent}  ${colors.add("+")} ${added}`,
  ];
}

/** The values in the base, in the live state, and in the files. */
function columnLines(columns: Columns, indent: string, colors: Palette): readonly string[] {
  const { part } = columns;
  const inner = part === "" ? `${indent}  ` : `${indent}    `;
  return [
    ...(part === "" ? [] : [`${indent}  ${plain(part)}:`]),
    ...COLUMNS.map((name) => `${inner}${colors.strong(name)}  ${columns[name]}`),
  ];
}

/** A line with differing parts in the colour of its side. */
function runsText(runs: readonly TextRun[], colors: Palette): string {
  const paints = { same: (text: string) => text, removed: colors.remove, added: colors.add };
  return runs.map(({ change, text }) => paints[change](text)).join("");
}

/** A long CSP value takes a line per directive. */
function newField(path: string, shown: string, indent: string, style: TextStyle): readonly string[] {
  const line = `${indent}${path}: ${shown}`;
  const parts = shown.split("; ");
  if (line.length <= lineChars(style) || parts.length === 1) return [line];
  return [`${indent}${path}:`, ...parts.map((part) => `${indent}  ${atLineStart(part)}`)];
}

function partLines(changed: PlannedPart, indent: string, style: TextStyle): readonly string[] {
  const note = changed.change === "changed" ? "" : ` (${changed.change})`;
  return membersLines(`${indent}  ${plain(changed.part)}${note}:`, changed, style);
}

/**
 * The fields of a deleted object: those of one word on one line, and a line for each of the others, which can have any
 * text in them. Empty fields and options of a field are left out.
 */
export function lostLines(
  change: PlannedChange,
  fields: readonly PlannedField[],
  indent: string,
  style: TextStyle,
  view: PlanView,
): readonly string[] {
  const lostFields = fields.filter(({ path, before }) => !path.includes(".") && !isEmpty(before));
  const texts = (shownFields: readonly PlannedField[]) =>
    shownFields.map((field) => {
      const shown = valueText(wording(view, change, field, field.before));
      return `${plain(field.path)}: ${cut(shown, LOST_CHARS)}`;
    });
  const single = texts(lostFields.filter(({ before }) => isWord(before)));
  const multiWord = texts(lostFields.filter(({ before }) => !isWord(before)));
  const lines = single.length === 0 ? multiWord : [single.join(", "), ...multiWord];
  return lines.map((line) => `${indent}${style.colors.remove("-")} ${line}`);
}

/** The JSON plan has the whole value. */
const LOST_CHARS = 300;

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function isWord(value: unknown): boolean {
  return typeof value === "string"
    ? /^[\w-]{1,40}$/.test(value)
    : ["boolean", "number"].includes(typeof value);
}

/** Added and removed members of a set, on one line or several. */
function membersLines(head: string, changed: Sides, style: TextStyle): readonly string[] {
  const { added, removed } = shownSides(changed);
  const members: readonly Member[] = [
    ...added.map((text) => ({ text: `+ ${text}`, paint: style.colors.add })),
    ...removed.map((text) => ({ text: `- ${text}`, paint: style.colors.remove })),
  ];
  const most = style.width === null ? MAX_CHARS : lineChars(style);
  const lines = membersInLines(head.length, members, most).map((line) =>
    line.map(({ text, paint }) => ` ${paint(text)}`).join(""),
  );
  const indent = " ".repeat(head.length - head.trimStart().length + 1);
  return lines.length === 0 ? [head] : lines.map((line, index) => `${index === 0 ? head : indent}${line}`);
}

interface Member {
  readonly text: string;
  readonly paint: (text: string) => string;
}

function membersInLines(
  headChars: number,
  members: readonly Member[],
  most: number,
): readonly (readonly Member[])[] {
  const lines: Member[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const member of members) {
    const isFull = chars + 1 + member.text.length > most;
    if (isFull) lines.push([]);
    chars = (isFull ? headChars : chars) + 1 + member.text.length;
    lines.at(-1)?.push(member);
  }
  return lines;
}
