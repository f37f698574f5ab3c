import { diffArrays } from "diff";

/** A stretch of a text that changed: what both have, what only the text before has, or what only the one after has. */
export interface TextRun {
  readonly change: "same" | "removed" | "added";
  readonly text: string;
}

/**
 * What differs between two texts, word by word, for people: an expression, a destination, a description. Runs that are
 * the same or removed are together the text before, runs that are the same or added the text after; what is removed
 * comes before what is added in its place. Where hardly anything stays the same, or comparing would take too long, all
 * of one text is removed and all of the other one added.
 */
export function changedParts(before: string, after: string): readonly TextRun[] {
  const whole = runsOf(before, after);
  if (before === after || before === "" || after === "") return whole;
  const changes = diffArrays(tokensOf(before), tokensOf(after), { maxEditLength: MOST_EDITS });
  if (changes === undefined) return whole;
  const runs = joined(
    changes.map(({ added, removed, value }) => ({
      change: added ? "added" : removed ? "removed" : "same",
      text: value.join(""),
    })),
  );
  return isAlike(runs, before, after) ? runs : whole;
}

/** Beyond, the texts have little in common; to find how little takes the square of it. */
const MOST_EDITS = 500;

function runsOf(before: string, after: string): readonly TextRun[] {
  if (before === after) return before === "" ? [] : [{ change: "same", text: before }];
  const runs: readonly TextRun[] = [
    { change: "removed", text: before },
    { change: "added", text: after },
  ];
  return runs.filter(({ text }) => text !== "");
}

/** Those of filter expressions, which are words elsewhere: strings, names, numbers, addresses, operators, spaces. */
function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

const TOKEN = /"(?:\\.|[^"\\\s]){0,200}"|\s+|[\p{L}\p{N}\p{M}_./:*%$-]+|[=!<>&|^~]+|[\s\S]/gu;

/** One run for each stretch: blanks between two changes belong to these. */
function joined(changes: readonly TextRun[]): readonly TextRun[] {
  const runs: TextRun[] = [];
  let removed = "";
  let added = "";
  const close = () => {
    runs.push(...runsOf(removed, added).filter(({ change }) => change !== "same"));
    removed = "";
    added = "";
  };
  for (const [index, { change, text }] of changes.entries()) {
    if (change === "removed") removed += text;
    else if (change === "added") added += text;
    else if (removed + added !== "" && index < changes.length - 1 && text.trim() === "") {
      removed += text;
      added += text;
    } else {
      close();
      runs.push({ change, text });
    }
  }
  close();
  return runs;
}

/** Whether at least a third of the longer text stays: else one word in common would tear both texts apart. */
function isAlike(runs: readonly TextRun[], before: string, after: string): boolean {
  const same = runs.reduce((sum, { change, text }) => sum + (change === "same" ? text.trim().length : 0), 0);
  return same * 3 >= Math.max(before.length, after.length);
}
