import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ParseResult, parseSync, Visitor } from "oxc-parser";

/** The facts about a source file, without its comments. */
export interface SourceFile {
  /** Relative to the folder, without the extension: `plan/build`. */
  readonly file: string;
  readonly imports: readonly Import[];
  /** Every string, in values and types, and every part of a template. */
  readonly texts: readonly string[];
  /** Used names: `process`, `Date.now`, `.getTime`, `new Date()`. */
  readonly uses: readonly string[];
  readonly onlyReexports: boolean;
}

/** An import or re-export of values or types, static or dynamic. */
export interface Import {
  /** `file`: relative to the folder, without the extension, as `plan/build`. `module`: of Node or a package. */
  readonly as: "file" | "module";
  readonly of: string;
  /** The imported names; `*` is everything. */
  readonly names: readonly string[];
}

/** Parses the TypeScript files below a folder. */
export function readSources(folder: string): readonly SourceFile[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return entries
    .filter((entry) => entry.endsWith(".ts"))
    .map((entry) => entry.replaceAll(path.sep, "/"))
    .sort()
    .map((file) => readSource(file, readFileSync(path.join(folder, file), "utf8")));
}

function readSource(file: string, text: string): SourceFile {
  const parsed = parseSync(file, text);
  const [error] = parsed.errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const imports = importsOf(parsed).map(([specifier, names]) => ({ ...resolved(specifier, file), names }));
  const onlyReexports = parsed.program.body.every(
    (statement) => "source" in statement && statement.source !== null && isExport(statement.type),
  );
  return {
    file: file.replace(/\.ts$/, ""),
    imports,
    texts: textsOf(parsed),
    uses: usesOf(parsed),
    onlyReexports,
  };
}

function resolved(specifier: string, file: string): Pick<Import, "as" | "of"> {
  if (!specifier.startsWith(".")) return { as: "module", of: specifier };
  return { as: "file", of: path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, "") };
}

function isExport(type: string): boolean {
  return type === "ExportNamedDeclaration" || type === "ExportAllDeclaration";
}

function importsOf({
  program,
}: ParseResult): readonly (readonly [specifier: string, names: readonly string[]])[] {
  const imports: [string, readonly string[]][] = [];
  new Visitor({
    ImportDeclaration({ source, specifiers }) {
      const names = specifiers.map((each) =>
        each.type === "ImportSpecifier" && each.imported.type === "Identifier" ? each.imported.name : "*",
      );
      imports.push([source.value, names]);
    },
    ExportNamedDeclaration: ({ source }) => void (source !== null && imports.push([source.value, ["*"]])),
    ExportAllDeclaration: ({ source }) => void imports.push([source.value, ["*"]]),
    ImportExpression: ({ source }) =>
      void imports.push([source.type === "Literal" ? String(source.value) : "a computed name", ["*"]]),
    TSImportType: ({ source }) => void imports.push([source.value, ["*"]]),
  }).visit(program);
  return imports;
}

function textsOf({ program }: ParseResult): readonly string[] {
  const texts: string[] = [];
  new Visitor({
    Literal: ({ value }) => void (typeof value === "string" && texts.push(value)),
    TemplateElement: ({ value }) => void texts.push(value.raw),
  }).visit(program);
  return texts;
}

function usesOf({ program }: ParseResult): readonly string[] {
  const uses: string[] = [];
  const memberNames = new Set<number>();
  new Visitor({
    MemberExpression({ object, property, computed }) {
      if (computed) return;
      memberNames.add(property.start);
      if (property.type === "Identifier") uses.push(`.${property.name}`);
      if (object.type === "Identifier" && property.type === "Identifier")
        uses.push(`${object.name}.${property.name}`);
    },
    Property: ({ key, shorthand, computed }) => void (shorthand || computed || memberNames.add(key.start)),
    TSPropertySignature: ({ key }) => void memberNames.add(key.start),
    NewExpression({ callee, arguments: given }) {
      if (callee.type === "Identifier" && given.length === 0) uses.push(`new ${callee.name}()`);
    },
    Identifier: ({ name, start }) => void (memberNames.has(start) || uses.push(name)),
  }).visit(program);
  return uses;
}
