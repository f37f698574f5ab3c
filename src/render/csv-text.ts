import { visible } from "./plain.js";

/** Rows as RFC 4180 has them. Nothing in a cell can be a formula, a line of its own or an escape of a terminal. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const inert = FORMULA.test(text) ? `'${visible(text)}` : visible(text);
  return /[",]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** What spreadsheets take for the start of a formula, the wide forms of it too. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
