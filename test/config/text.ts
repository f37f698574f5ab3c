/** Removes the first line end of a template string, and the indentation of its first line from all lines. */
export function text(strings: TemplateStringsArray, ...values: readonly string[]): string {
  const whole = strings.map((each, index) => each + (values[index] ?? "")).join("");
  const [, indent = ""] = /^\n( *)/.exec(whole) ?? [];
  return whole
    .slice(1)
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()))
    .join("\n");
}
