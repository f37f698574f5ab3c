import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

/**
 * The exports of an entry, followed to their declarations: the name (`csp.equal` in a namespace), the sort (`function`, `const`,
 * `type`), the file, the comment, and the declaration without a function's body.
 */
export function exportsOf(entry, prefix = "") {
  const { program } = parsed(entry);
  return program.body.flatMap((statement) => {
    const from = statement.source ? beside(entry, statement.source.value) : null;
    if (statement.type === "ExportAllDeclaration") return exportsOf(from, `${statement.exported.name}.`);
    if (statement.type !== "ExportNamedDeclaration") return [];
    return namesOf(statement).map(({ local, exported }) => ({
      name: `${prefix}${exported}`,
      ...declared(from ?? entry, local),
    }));
  });
}

function namesOf({ declaration, specifiers }) {
  if (declaration !== null)
    return declaredNames(declaration).map((name) => ({ local: name, exported: name }));
  return specifiers.map(({ local, exported }) => ({ local: local.name, exported: exported.name }));
}

function declaredNames(declaration) {
  if (declaration.type === "VariableDeclaration") return declaration.declarations.map(({ id }) => id.name);
  return [declaration.id.name];
}

/** Follows re-exports. */
function declared(file, name) {
  const { program, comments, text } = parsed(file);
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration") continue;
    const found = namesOf(statement).find(({ exported }) => exported === name);
    if (found === undefined) continue;
    if (statement.source) return declared(beside(file, statement.source.value), found.local);
    if (statement.declaration === null) break;
    return {
      file,
      comment: commentBefore(statement, comments, text),
      ...shownOf(statement.declaration, text),
    };
  }
  throw new Error(`${file} does not declare ${name} where it exports it.`);
}

function shownOf(declaration, text) {
  const { type, start, end } = declaration;
  if (type === "FunctionDeclaration")
    return { as: "function", code: text.slice(start, declaration.body.start).trim() };
  if (type === "VariableDeclaration") return { as: "const", code: constant(declaration, text) };
  return { as: "type", code: text.slice(start, end) };
}

function constant({ declarations: [first] }, text) {
  const { id, init } = first;
  return `const ${text.slice(id.start, id.typeAnnotation ? id.end : init.end)}`;
}

function commentBefore({ start }, comments, text) {
  const found = comments.find(
    ({ end, value }) => value.startsWith("*") && end <= start && text.slice(end, start).trim() === "",
  );
  return found === undefined ? null : plainText(found.value);
}

/** Removes the stars of a comment. */
function plainText(comment) {
  return comment
    .replace(/^\*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

const files = new Map();

function parsed(file) {
  const known = files.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  files.set(file, { program, comments, text });
  return files.get(file);
}

function beside(file, specifier) {
  return path.join(path.dirname(file), specifier.replace(/\.js$/, ".ts"));
}
