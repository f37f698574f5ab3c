/** What a document says in one breath: a row of a table, or a sentence. */
export interface Unit {
  /** The number of the section that it stands in: `2.1`. */
  readonly section: string;
  readonly text: string;
}

/** All that the numbered sections of a Markdown document say, in order; headings and the heads of tables left out. */
export function unitsOf(markdown: string): readonly Unit[] {
  const [, ...parts] = markdown.split(/^##+ (?=\d)/m);
  return parts.flatMap((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const section = heading.split(" ")[0]?.replace(/\.$/, "") ?? "";
    return lines
      .filter((_, index) => !isTableHead(lines, index))
      .flatMap(textsOf)
      .map((text) => ({ section, text }));
  });
}

/** The text without what only shapes it: table borders, list markers, backticks, asterisks and doubled blanks. */
export function plain(text: string): string {
  return text
    .replace(/^(- |\d+\. )/, "")
    .replace(/`|\*\*/g, "")
    .replace(/(\s*\|\s*)+/g, " | ")
    .replace(/^[\s|]+|[\s|]+$/g, "")
    .replace(/\s+/g, " ");
}

function isTableHead(lines: readonly string[], index: number): boolean {
  return isRuler(lines[index]) || isRuler(lines[index + 1]);
}

function isRuler(line = ""): boolean {
  return /^[|\-\s]*-{3}[|\-\s]*$/.test(line);
}

function textsOf(line: string): readonly string[] {
  if (line.startsWith("|")) return [plain(line)];
  return plain(line)
    .split(/(?<=[.!?]) (?=[A-Z'{])/)
    .filter((text) => text !== "");
}
