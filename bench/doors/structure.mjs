import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** A folder with fewer files counts as small, except for folders of kinds and generated files. */
const LEAST_FILES = 3;

/**
 * The structure of the source: handwritten files, cyclic imports (including types), and small folders. A folder's files are those
 * directly in it. A folder of folders may have any number of files.
 *
 * @param root the root of a checkout
 */
export function structureOf(root) {
  const files = filesIn(path.join(root, "src"));
  const written = files.filter((file) => !file.includes("/generated/"));
  const imports = new Map(files.map((file) => [file, importsOf(path.join(root, "src", file), file, files)]));
  return { files: written, cycles: cyclesIn(imports), smallFolders: smallFolders(files), imports };
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .map((file) => file.replaceAll(path.sep, "/"))
    .sort();
}

function importsOf(place, file, files) {
  const found = new Set();
  const add = (literal) => {
    if (typeof literal?.value !== "string" || !literal.value.startsWith(".")) return;
    const target = path.posix.join(path.posix.dirname(file), literal.value).replace(/\.js$/, ".ts");
    if (files.includes(target)) found.add(target);
  };
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
  }).visit(parseSync(file, readFileSync(place, "utf8")).program);
  return [...found].sort();
}

/** Groups of files that all import each other, largest first: Tarjan's strongly connected components. */
function cyclesIn(imports) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const groups = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const next of imports.get(file)) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file)).sort();
    if (group.length > 1) groups.push(group);
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return groups.sort((one, other) => other.length - one.length || (one[0] < other[0] ? -1 : 1));
}

function smallFolders(files) {
  const counts = new Map();
  for (const file of files) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count < LEAST_FILES && !/^kinds\/[^/]+$|(^|\/)generated$/.test(folder))
    .map(([folder]) => folder)
    .sort();
}
