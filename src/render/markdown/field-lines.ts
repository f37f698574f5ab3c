import type { PlannedChange, PlannedField, PlannedPart } from "../../plan/generated/plan-document.js";
import { changedTexts, sensitiveSides, valueText } from "../changed.js";
import { type FieldWords, wordedBy } from "../field-lines.js";
import { shownSides } from "../members.js";
import { fieldOriginText } from "../origin-text.js";
import { plain } from "../plain.js";

/** A field before and after, as lines of a difference: what comes begins with `+`, what goes with `-`. */
export function fieldLines(change: PlannedChange, field: PlannedField, words: FieldWords): readonly string[] {
  const origin = fieldOriginText(change, field);
  return [
    `  ${plain(field.path)}${origin === null ? "" : ` (${origin})`}`,
    ...valueLines(change, field, words),
  ];
}

function valueLines(change: PlannedChange, field: PlannedField, words: FieldWords): readonly string[] {
  const { before, after, parts = [] } = field;
  if (parts.length > 0) return parts.flatMap(partLines);
  const worded = (value: unknown) => wordedBy(words, change, field, value);
  if (change.action === "create") return sided("+", valueText(worded(after)));
  if (change.action === "delete") return sided("-", valueText(worded(before)));
  const [old, now] = sensitiveSides(field) ?? changedTexts(worded(before), worded(after));
  return [...sided("-", old), ...sided("+", now)];
}

/** A long CSP value takes a line per directive. */
function sided(sign: "+" | "-", shown: string): readonly string[] {
  const lines = shown.length > LINE_CHARS ? shown.split(/(?<=;) /) : [shown];
  return lines.map((line) => `${sign}   ${line}`);
}

const LINE_CHARS = 110;

function partLines(changed: PlannedPart): readonly string[] {
  const note = changed.change === "changed" ? "" : ` (${changed.change})`;
  const { added, removed } = shownSides(changed);
  return [
    ...(changed.part === "" ? [] : [`    ${plain(changed.part)}${note}`]),
    ...removed.map((each) => `-     ${each}`),
    ...added.map((each) => `+     ${each}`),
  ];
}
