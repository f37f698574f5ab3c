import { code, table } from "./markdown.mjs";
import { rowsOf } from "./schema-rows.mjs";

/** The keys that policy tools read. Only the schema describes the others. */
const SHOWN = ["changes", "changes[].fields", "zones"];

/** The parts of docs/plan-document.md that come from the document's schema: a table for each shown key. */
export function planDocumentParts(schema) {
  const rows = rowsOf(schema, schema.$defs);
  return {
    top: fieldTable(rows),
    fields: SHOWN.map((path) => `### ${path}\n\n${fieldTable(within(rows, path))}`).join("\n\n"),
  };
}

/** The rows below a key, with relative names. */
function within(rows, top) {
  return [`${top}.`, `${top}[].`].flatMap((start) =>
    rows
      .filter(({ path }) => path.startsWith(start))
      .map((row) => ({ ...row, path: row.path.slice(start.length) })),
  );
}

/** One level deep. A field without a description has a self-explanatory name. */
function fieldTable(rows) {
  const shown = rows.filter(({ path, description }) => description !== "" && !/[.[]/.test(path));
  return table(
    ["field", "value", "meaning"],
    shown.map(({ path, type, required, description }) => [
      `${code(path)}${required ? "" : "?"}`,
      type.replace(/(integers?) from \d/, "$1").replace(/\[(\w+)\]\(#\w+\)/, (_, name) => code(name)),
      description,
    ]),
  );
}
