import type { TextRun } from "../model/changed-parts.js";
import { cut } from "../model/cut.js";
import type { PlannedPart } from "../plan/generated/plan-document.js";
import { changedSides } from "./changed-text.js";
import type { Columns, FieldView, ShownField } from "./field-view.js";
import { lineChars, type Palette, type TextStyle } from "./palette.js";
import { atLineStart, MAX_CHARS, plain } from "./safe-text.js";
import { type Sides, shownSides, valueText } from "./values.js";

/** The indent of lines about a change. */
export const INDENT = "      ";

/** A field before and after. For a new object, its value. */
export function fieldLines(field: FieldView, style: TextStyle): readonly string[] {
  const { colors } = style;
  const { shown, originNote } = field;
  const head = `${INDENT}${plain(field.path)}${originNote === null ? "" : colors.warning(` (${originNote})`)}:`;
  switch (shown.as) {
    case "columns":
      return [head, ...shown.columns.flatMap((each) => columnLines(each, colors))];
    case "parts": {
      const [first] = shown.parts;
      return first.part === ""
        ? membersLines(head, first, style)
        : [head, ...shown.parts.flatMap((part) => partLines(part, style))];
    }
    case "added":
    case "removed":
      return valueLines(head, valueText(shown.value), style);
    case "changed":
      return changedLines(head, shown, style);
  }
}

/** On one line, or else on a line a side, with differing parts in the colour of their side. */
function changedLines(
  head: string,
  { sides, values }: Extract<ShownField, { readonly as: "changed" }>,
  style: TextStyle,
): readonly string[] {
  const { colors } = style;
  const line = `${head} ${sides.join(" → ")}`;
  if (line.length <= lineChars(style)) return [line];
  const differing = values === null ? null : changedSides(...values);
  const [removed, added] = differing?.map((runs) => runsText(runs, colors)) ?? sides;
  return [head, `${INDENT}  ${colors.remove("-")} ${removed}`, `${INDENT}  ${colors.add("+")} ${added}`];
}

/** The values in the base, in the live state, and in the files. */
function columnLines({ part, states }: Columns, colors: Palette): readonly string[] {
  const inner = part === "" ? `${INDENT}  ` : `${INDENT}    `;
  return [
    ...(part === "" ? [] : [`${INDENT}  ${plain(part)}:`]),
    ...states.map(([name, text]) => `${inner}${colors.strong(name)}  ${text}`),
  ];
}

function runsText(runs: readonly TextRun[], colors: Palette): string {
  const paints = { same: (text: string) => text, removed: colors.remove, added: colors.add };
  return runs.map(({ change, text }) => paints[change](text)).join("");
}

/** A long CSP value takes a line per directive. */
function valueLines(head: string, shown: string, style: TextStyle): readonly string[] {
  const line = `${head} ${shown}`;
  const parts = shown.split("; ");
  if (line.length <= lineChars(style) || parts.length === 1) return [line];
  return [head, ...parts.map((part) => `${INDENT}  ${atLineStart(part)}`)];
}

function partLines(changed: PlannedPart, style: TextStyle): readonly string[] {
  const note = changed.change === "changed" ? "" : ` (${changed.change})`;
  return membersLines(`${INDENT}  ${plain(changed.part)}${note}:`, changed, style);
}

/**
 * The fields of a deleted object: those of one word on one line, and a line for each of the others, which can have any
 * text in them. Empty fields and options of a field are left out.
 */
export function lostLines(fields: readonly FieldView[], { colors }: TextStyle): readonly string[] {
  const lost = fields.flatMap(({ path, before, shown }) => {
    if (path.includes(".") || isEmpty(before)) return [];
    const value = valueText(shown.as === "removed" ? shown.value : before);
    const text = `${plain(path)}: ${cut(value, LOST_CHARS)}`;
    return [{ text, isShort: isWord(before) }];
  });
  const short = lost.filter(({ isShort }) => isShort).map(({ text }) => text);
  const long = lost.filter(({ isShort }) => !isShort).map(({ text }) => text);
  const lines = short.length === 0 ? long : [short.join(", "), ...long];
  return lines.map((line) => `${INDENT}${colors.remove("-")} ${line}`);
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
