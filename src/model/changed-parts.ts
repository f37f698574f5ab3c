import { diffArrays } from "diff";

/** A part of two compared texts: in both, only in the text before, or only in the text after. */
export interface TextRun {
  readonly change: "same" | "removed" | "added";
  readonly text: string;
}

/**
 * Compares two texts word by word, for people: an expression, a destination, a description. Same and removed runs
 * together are the text before; same and added runs are the text after. If the texts have little in common, or
 * comparing would take too long, one text is removed and the other added as a whole.
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

/** Above that, the texts have little in common, and the time grows with the square of the number. */
const MOST_EDITS = 500;

function runsOf(before: string, after: string): readonly TextRun[] {
  if (before === after) return before === "" ? [] : [{ change: "same", text: before }];
  const runs: readonly TextRun[] = [
    { change: "removed", text: before },
    { change: "added", text: after },
  ];
  return runs.filter(({ text }) => text !== "");
}

/** Tokens of filter expressions, which are words elsewhere: strings, names, numbers, addresses, operators, spaces. */
function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

const TOKEN = /"(?:\\.|[^"\\\s]){0,200}"|\s+|[\p{L}\p{N}\p{M}_./:*%$-]+|[=!<>&|^~]+|[\s\S]/gu;

/** Merges neighbouring runs. Blanks between two changes join the changes. */
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

/** Whether at least a third of the longer text stays: otherwise, a single common word would split both texts. */
function isAlike(runs: readonly TextRun[], before: string, after: string): boolean {
  const chars = runs.reduce((sum, { change, text }) => sum + (change === "same" ? text.trim().length : 0), 0);
  return chars * 3 >= Math.max(before.length, after.length);
}
