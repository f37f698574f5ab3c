import { cutBoth } from "../model/cut.js";
import { equal, type Json } from "../model/json.js";
import type { PartChange } from "../model/plan.js";
import { SENSITIVE } from "../model/reference.js";
import { isNotCompared, isSecret, isSensitive } from "../model/sealed.js";
import type { PlannedChange, PlannedField, PlannedPart } from "../plan/generated/plan-document.js";
import { looks, MAX_CHARS, plain, spelledOut, visible } from "./safe-text.js";
import { changedTexts, spelledValue, valueText, wholeText } from "./values.js";

/** A field from before to after. */
export interface FieldView extends PlannedField {
  /** Of a change with mixed origins: whether the field drifted or is in conflict. Null: neither. */
  readonly originNote: "drift" | "conflict" | null;
  readonly shown: ShownField;
}

/** What a format shows of a field. Values are in the words of their kind, where it has some. */
export type ShownField =
  | { readonly as: "columns"; readonly columns: readonly Columns[] }
  | { readonly as: "parts"; readonly parts: readonly [PlannedPart, ...PlannedPart[]] }
  /** The field of a new or deleted object. */
  | { readonly as: "added" | "removed"; readonly value: unknown }
  | {
      readonly as: "changed";
      readonly sides: readonly [before: string, after: string];
      /** For a closer comparison. Null: sensitive. */
      readonly values: readonly [before: unknown, after: unknown] | null;
    };

/** What kinds tell of their fields. */
export interface FieldTerms {
  /** Explains the value of a field. Null: the kind has no words for it. */
  readonly explain: (kind: string, field: string, value: Json) => string | null;
  /** The added and removed members of a set, or of each part of a set of sets. Null: the field is no set. */
  readonly partsOf: (kind: string, field: string, before: Json, after: Json) => readonly PartChange[] | null;
}

/**
 * @param change as it is shown
 * @param planned the field from the live state to the files; null: three states are not shown
 */
export function fieldView(
  change: PlannedChange,
  field: PlannedField,
  planned: PlannedField | null,
  terms: FieldTerms,
): FieldView {
  const { origin } = field;
  const isNoted = change.origin === "mixed" && (origin === "drift" || origin === "conflict");
  const shown = shownField(change, field, planned, terms);
  return { ...field, originNote: isNoted ? origin : null, shown };
}

function shownField(
  { kind, action }: PlannedChange,
  field: PlannedField,
  planned: PlannedField | null,
  terms: FieldTerms,
): ShownField {
  const { path, before, after, parts: [first, ...rest] = [] } = field;
  const columns = action === "update" && planned !== null ? columnsOf(kind, planned, terms) : null;
  if (columns !== null) return { as: "columns", columns };
  if (first !== undefined) return { as: "parts", parts: [first, ...rest] };
  const inWords = (value: unknown) => terms.explain(kind, path, value as Json) ?? value; // documents are JSON
  if (action === "create") return { as: "added", value: inWords(after) };
  if (action === "delete") return { as: "removed", value: inWords(before) };
  const sides = sensitiveSides(field);
  if (sides !== null) return { as: "changed", sides, values: null };
  const values = [inWords(before), inWords(after)] as const;
  return { as: "changed", sides: changedTexts(...values), values };
}

/**
 * The values in the base, in the live state and in the files, as visible texts. For a set: the members that not all three
 * have.
 */
export interface Columns {
  /** A directive. Empty: the whole field. */
  readonly part: string;
  readonly states: readonly (readonly [name: string, text: string])[];
}

/** The three states of a field that was changed in the files and outside. Null: its base is unknown. */
function columnsOf(kind: string, field: PlannedField, terms: FieldTerms): readonly Columns[] | null {
  const { path, base, before, after } = field;
  if (base === undefined) return null;
  const values = [base, before, after] as [Json, Json, Json]; // documents are JSON
  const [, live, file] = values;
  const liveParts = terms.partsOf(kind, path, values[0], live);
  const fileParts = terms.partsOf(kind, path, values[0], file);
  if (liveParts !== null && fileParts !== null) return partColumns(liveParts, fileParts);
  const words = values.map((value) => terms.explain(kind, path, value) ?? value);
  const texts = words.map((value) => visible(wholeText(value)));
  return [columnsNamed("", isAlike(texts, values.length) ? words.map(spelledValue) : texts)];
}

/** @param texts of the base, the live state and the files */
function columnsNamed(part: string, texts: readonly string[]): Columns {
  const [base = "", live = "", file = ""] = texts;
  const cut = [...cutBoth(base, live, MAX_CHARS), cutBoth(base, file, MAX_CHARS)[1]];
  // The cut may have removed the difference between the live state and the files.
  const shown = new Set(cut).size < new Set(texts).size ? texts : cut;
  return { part, states: ["base", "live", "file"].map((name, index) => [name, shown[index] ?? ""]) };
}

/** Whether some of the different texts look alike. */
function isAlike(texts: readonly string[], different: number): boolean {
  return new Set(texts.map(looks)).size < different;
}

/**
 * @param liveParts from the base to the live state
 * @param fileParts from the base to the files
 */
function partColumns(liveParts: readonly PartChange[], fileParts: readonly PartChange[]): readonly Columns[] {
  const names = new Set([...fileParts, ...liveParts].map(({ part }) => part));
  return [...names].map((part) => {
    const ofPart = (all: readonly PartChange[]) => all.find((each) => each.part === part) ?? SAME;
    const texts = memberTexts(ofPart(liveParts), ofPart(fileParts));
    return columnsNamed(part, isAlike(texts, new Set(texts).size) ? texts.map(spelledOut) : texts);
  });
}

type Moved = Omit<PartChange, "part">;

const SAME: Moved = { change: "changed", added: [], removed: [] };

function memberTexts(live: Moved, file: Moved): readonly string[] {
  const sides = [live, file];
  const before = new Set(sides.flatMap(({ removed }) => removed));
  const all = [...new Set([...before, ...sides.flatMap(({ added }) => added)])];
  const after = ({ added, removed }: Moved) =>
    all.filter((each) => added.includes(each) || (before.has(each) && !removed.includes(each)));
  const isInBase = sides.every(({ change }) => change !== "added");
  const isIn = ({ change }: Moved) => change === "added" || (isInBase && change !== "removed");
  return [setText([...before], isInBase), ...sides.map((side) => setText(after(side), isIn(side)))];
}

function setText(members: readonly string[], isThere: boolean): string {
  if (members.length > 0) return visible(members.join(" "));
  return isThere ? "(none of these)" : "(not there)";
}

/** A sensitive value before and after, shown by its source where that is known and differs. Null: not sensitive. */
function sensitiveSides(field: PlannedField): readonly [string, string] | null {
  const { before: live, after: value, written } = field;
  // Drift: the declared value is on the left.
  const [before, after] = [sourceText(written?.before), sourceText(written?.after)];
  if (isSecret(live as Json)) return [after, afterText(value)]; // documents are JSON
  if (isSensitive(live as Json) && isSensitive(value as Json))
    return [equal(live as Json, ABSENT) ? valueText(null) : SENSITIVE, afterText(value)];
  if (!isSecret(value as Json)) return null;
  if (isNotCompared(live)) return [NOT_COMPARED, after];
  if (after === SENSITIVE) return [before, CHANGED];
  // A name that both sides have says nothing about the change.
  return [before === after ? SENSITIVE : before, after];
}

/** The text of a file, with "…" for what is masked beside the name of a secret. */
function sourceText(source: string | null | undefined): string {
  const text = plain(source ?? SENSITIVE);
  return text.includes("${") ? text.replaceAll(SENSITIVE, "…") : text;
}

const ABSENT = { $sensitive: "absent" };

function afterText(value: unknown): string {
  if (value === null) return valueText(value);
  return isNotCompared(value) ? NOT_COMPARED : CHANGED;
}

const CHANGED = "(sensitive, changed)";
const NOT_COMPARED = "(sensitive, not compared)";
