import { visible } from "./plain.js";

/**
 * Rows as RFC 4180 has them. Nothing in a cell can be a formula, a line of its own or an escape of a terminal, and
 * nothing is lost: what is written as `\u{…}` can be read back, and of the `'` before what would be a formula (with others
 * of them, if it had any) one is ours.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const inert = visible(text.replace(FORMULA, "$1'"));
  return /[",]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/**
 * What spreadsheets take for the start of a formula, the wide forms of it too; also behind a semicolon, at which they
 * part cells in many countries.
 */
const FORMULA = /(^|;)(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
