import { code, table } from "./markdown.mjs";
import { rowsOf } from "./schema-rows.mjs";

/** The parts of docs/plan-document.md that the document's schema says: a table for each key at its top. */
export function planDocumentParts(schema) {
  const defs = schema.$defs;
  const rows = rowsOf(schema, defs);
  const tops = rows.filter(({ path }) => !/[.[]/.test(path));
  const below = (top) => rows.filter(({ path }) => path.startsWith(`${top}.`) || path.startsWith(`${top}[`));
  const withKeys = tops.filter(({ path }) => below(path).length > 0);
  const shared = Object.entries(defs).filter(([, { properties }]) => properties !== undefined);
  return {
    top: fieldTable(tops),
    fields: withKeys.map(({ path }) => `### ${path}\n\n${fieldTable(below(path))}`).join("\n\n"),
    shared: shared.map(([name, each]) => sharedSection(name, each, defs)).join("\n\n"),
  };
}

function sharedSection(name, schema, defs) {
  const said = schema.description === undefined ? [] : [schema.description];
  return [`### ${name}`, ...said, fieldTable(rowsOf(schema, defs))].join("\n\n");
}

function fieldTable(rows) {
  return table(
    ["field", "value", "meaning"],
    rows.map(({ path, type, required, description }) => [
      code(path),
      `${type}${required ? "" : "; may be absent"}`,
      description,
    ]),
  );
}
