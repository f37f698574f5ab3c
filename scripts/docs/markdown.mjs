/** A table; cells are Markdown, and what would break the table is escaped. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function cell(text) {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/** Plain text, such as a description in a schema. */
export function escaped(text) {
  return text.replace(/[*`]/g, "\\$&");
}

/** A text as code, whatever backticks it has. */
export function code(text) {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function fenced(language, text) {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

export function listed(names) {
  return names.map(code).join(", ");
}
