import type { Json } from "../model/json.js";
import type { PartChange } from "../model/plan.js";
import type { PlannedChange, PlannedField } from "../plan/generated/plan-document.js";
import { visible } from "./plain.js";
import { type Three, threeTexts, threeValues } from "./values.js";

/** Explains the value of a field. Null: the kind has no words for it. */
export type FieldWords = (kind: string, field: string, value: Json) => string | null;

/** The added and removed members of a set, or of each part of a set of sets. Null: the field is no set. */
export type PartsOf = (
  kind: string,
  field: string,
  before: Json,
  after: Json,
) => readonly PartChange[] | null;

export interface FieldTerms {
  readonly explain: FieldWords;
  readonly partsOf: PartsOf;
}

/**
 * The values in the base, in the live state and in the files, as visible texts. For a set: the members that not all three
 * have.
 */
export interface Columns {
  /** A directive. Empty: the whole field. */
  readonly part: string;
  readonly base: string;
  readonly live: string;
  readonly file: string;
}

export const COLUMNS = ["base", "live", "file"] as const;

/** The three states of a field that was changed in the files and outside. Null: no such field, or its base is unknown. */
export function columnsOf(
  { kind, action }: PlannedChange,
  field: PlannedField,
  { explain, partsOf }: FieldTerms,
): readonly Columns[] | null {
  const { path } = field;
  if (action !== "update" || field.base === undefined) return null;
  const [base, live, file] = [field.base, field.before, field.after] as [Json, Json, Json]; // documents are JSON
  const liveParts = partsOf(kind, path, base, live);
  const fileParts = partsOf(kind, path, base, file);
  if (liveParts !== null && fileParts !== null) return partColumns(liveParts, fileParts);
  const inWords = (value: Json) => explain(kind, path, value) ?? value;
  return [columnsNamed("", threeValues([inWords(base), inWords(live), inWords(file)]))];
}

function columnsNamed(part: string, [base, live, file]: Three<string>): Columns {
  return { part, base, live, file };
}

/**
 * @param liveParts from the base to the live state
 * @param fileParts from the base to the files
 */
function partColumns(liveParts: readonly PartChange[], fileParts: readonly PartChange[]): readonly Columns[] {
  const names = new Set([...fileParts, ...liveParts].map(({ part }) => part));
  return [...names].map((part) => {
    const ofPart = (all: readonly PartChange[]) => all.find((each) => each.part === part) ?? SAME;
    return columnsNamed(part, membersOf(ofPart(liveParts), ofPart(fileParts)));
  });
}

type Moved = Omit<PartChange, "part">;

const SAME: Moved = { change: "changed", added: [], removed: [] };

function membersOf(live: Moved, file: Moved): Three<string> {
  const sides = [live, file];
  const before = new Set(sides.flatMap(({ removed }) => removed));
  const all = [...new Set([...before, ...sides.flatMap(({ added }) => added)])];
  const after = ({ added, removed }: Moved) =>
    all.filter((each) => added.includes(each) || (before.has(each) && !removed.includes(each)));
  const isInBase = sides.every(({ change }) => change !== "added");
  const isIn = ({ change }: Moved) => change === "added" || (isInBase && change !== "removed");
  return threeTexts([
    setText([...before], isInBase),
    setText(after(live), isIn(live)),
    setText(after(file), isIn(file)),
  ]);
}

function setText(members: readonly string[], isThere: boolean): string {
  if (members.length > 0) return visible(members.join(" "));
  return isThere ? "(none of these)" : "(not there)";
}
