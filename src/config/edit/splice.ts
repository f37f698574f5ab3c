/** A part of a text, and what comes in its place. All else stays byte for byte. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all of them made. Null: two are about the same part. */
export function spliced(text: string, splices: readonly Splice[]): string | null {
  const inOrder = splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, text: instead } of inOrder) {
    if (start < done) return null;
    parts.push(text.slice(done, start), instead);
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}
