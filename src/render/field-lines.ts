import { cut, cutBoth } from "../model/cut.js";
import type { Json } from "../model/json.js";
import type { PlannedChange, PlannedField, PlannedPart } from "../plan/generated/plan-document.js";
import { fieldOriginText } from "./origin-text.js";
import type { Palette } from "./palette.js";
import { atLineStart, MAX_CHARS, plain, visible } from "./plain.js";
import { changedTexts, sensitiveSides, valueText } from "./values.js";

/** A field's value for people, where its kind has words for it. */
export type FieldWords = (kind: string, field: string, value: Json) => string | null;

const LINE_CHARS = 110;

/** A field that is different, before and after; of a new object, what it is. */
export function fieldLines(
  change: PlannedChange,
  field: PlannedField,
  indent: string,
  colors: Palette,
  words: FieldWords,
): readonly string[] {
  const { before, after, parts } = field;
  const origin = fieldOriginText(change, field);
  const path = `${plain(field.path)}${origin === null ? "" : colors.warning(` (${origin})`)}`;
  const [only] = parts ?? [];
  // A field that is one set, not a set per part.
  if (only !== undefined && only.part === "") return membersLines(`${indent}${path}:`, only, colors);
  if (parts !== undefined && parts.length > 0)
    return [`${indent}${path}:`, ...parts.flatMap((part) => partLines(part, indent, colors))];
  const worded = (value: unknown) => wordedBy(words, change, field, value);
  if (change.action === "create") return newField(path, valueText(worded(after)), indent);
  const [old, now] = sensitiveSides(field) ?? changedTexts(worded(before), worded(after));
  const line = `${indent}${path}: ${old} → ${now}`;
  if (line.length <= LINE_CHARS) return [line];
  return [
    `${indent}${path}:`,
    `${indent}  ${colors.remove("-")} ${old}`,
    `${indent}  ${colors.add("+")} ${now}`,
  ];
}

/** The value in the words of its kind, where it has some. */
export function wordedBy(
  words: FieldWords,
  { kind }: PlannedChange,
  { path }: PlannedField,
  value: unknown,
): unknown {
  return words(kind, path, value as Json) ?? value; // documents are JSON
}

/** A long CSP value takes a line per directive. */
function newField(path: string, shown: string, indent: string): readonly string[] {
  const line = `${indent}${path}: ${shown}`;
  const parts = shown.split("; ");
  if (line.length <= LINE_CHARS || parts.length === 1) return [line];
  return [`${indent}${path}:`, ...parts.map((part) => `${indent}  ${atLineStart(part)}`)];
}

function partLines(changed: PlannedPart, indent: string, colors: Palette): readonly string[] {
  const note = changed.change === "changed" ? "" : ` (${changed.change})`;
  return membersLines(`${indent}  ${plain(changed.part)}${note}:`, changed, colors);
}

/**
 * What goes with a deleted object: the fields that are one word on one line, and a line for each of the others, which
 * can have any text in them. Details of how something was done, and what was empty, are left out.
 */
export function lostLines(
  change: PlannedChange,
  fields: readonly PlannedField[],
  indent: string,
  colors: Palette,
  words: FieldWords,
): readonly string[] {
  const telling = fields.filter(({ path, before }) => !path.includes(".") && !isEmpty(before));
  const texts = (some: readonly PlannedField[]) =>
    some.map((field) => {
      const shown = valueText(wordedBy(words, change, field, field.before));
      return `${plain(field.path)}: ${cut(shown, LOST_CHARS)}`;
    });
  const single = texts(telling.filter(({ before }) => isWord(before)));
  const others = texts(telling.filter(({ before }) => !isWord(before)));
  const lines = single.length === 0 ? others : [single.join(", "), ...others];
  return lines.map((line) => `${indent}${colors.remove("-")} ${line}`);
}

/** The plan as JSON has the whole. */
const LOST_CHARS = 300;

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function isWord(value: unknown): boolean {
  return typeof value === "string"
    ? /^[\w-]{1,40}$/.test(value)
    : ["boolean", "number"].includes(typeof value);
}

/** The name of an object that is new, renamed or deleted already stands in its title. */
export function isSaid({ key, was, action, fields }: PlannedChange, field: PlannedField): boolean {
  if (action === "delete") return fields.find(({ before }) => before === key) === field;
  if (fields.find(({ after }) => after === key) !== field) return false;
  return action === "create" || (was !== undefined && field.before === was);
}

/** Members of a set that come and go, as many as there are: on one line, or on several where that would be too long. */
function membersLines(head: string, changed: Sides, colors: Palette): readonly string[] {
  const { added, removed } = shownSides(changed);
  const members: readonly Member[] = [
    ...added.map((text) => ({ text: `+ ${text}`, paint: colors.add })),
    ...removed.map((text) => ({ text: `- ${text}`, paint: colors.remove })),
  ];
  const lines = membersInLines(head.length, members).map((line) =>
    line.map(({ text, paint }) => ` ${paint(text)}`).join(""),
  );
  const indent = " ".repeat(head.length - head.trimStart().length + 1);
  return lines.length === 0 ? [head] : lines.map((line, index) => `${index === 0 ? head : indent}${line}`);
}

type Sides = { readonly [side in "added" | "removed"]: readonly string[] };

interface Member {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** Of long members, what differs from a long one on the other side is shown. */
export function shownSides({ added, removed }: Sides): Sides {
  const sides = [added, removed].map((side) => side.map((member) => visible(member)));
  const [long = [], gone = []] = sides.map((side) => side.filter((member) => member.length > MAX_CHARS));
  const texts = new Map<string, string>();
  for (let index = 0; index < Math.max(long.length, gone.length); index++) {
    const [a, b] = [long[index] ?? "", gone[index] ?? ""];
    const cut = cutBoth(a, b, MAX_CHARS);
    texts.set(a, cut[0]).set(b, cut[1]);
  }
  const [come = [], left = []] = sides.map((side) => side.map((member) => texts.get(member) ?? member));
  return { added: come, removed: left };
}

/** As many on a line as fit. */
function membersInLines(headChars: number, members: readonly Member[]): readonly (readonly Member[])[] {
  const lines: Member[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const member of members) {
    const isFull = chars + 1 + member.text.length > MAX_CHARS;
    if (isFull) lines.push([]);
    chars = (isFull ? headChars : chars) + 1 + member.text.length;
    lines.at(-1)?.push(member);
  }
  return lines;
}
