/** One unit of a document: a row of a table, or a sentence. */
export interface Unit {
  /** The number of its section: `2.1`. */
  readonly section: string;
  readonly text: string;
}

/** All units in the numbered sections of a Markdown document, in order, without headings and table heads. */
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

/** The text without markup: table borders, list markers, backticks, asterisks and doubled spaces. */
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
