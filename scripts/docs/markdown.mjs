/** A Markdown table. Characters in cells that would break the table are escaped. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function cell(text) {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/** Escapes plain text, such as a description in a schema. */
export function escaped(text) {
  return text.replace(/[*`]/g, "\\$&");
}

/** Text as code, with any backticks in it. */
export function code(text) {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function fenced(language, text) {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

export function listed(names) {
  return names.map(code).join(", ");
}
