import { exportsOf } from "./exports.mjs";
import { code, listed } from "./markdown.mjs";

/** Types that are described by a schema, not by a comment. */
const BY_SCHEMA = ["src/plan/generated/plan-document.ts", "src/config/generated/desired-state.ts"];

/** The parts of docs/library.md: the exported functions, with the first sentences of their comments. */
export function libraryParts(commands) {
  const exported = exportsOf("src/index.ts");
  const all = exported.filter(({ file }) => !BY_SCHEMA.includes(file));
  const known = new Set([...exported.map(({ name }) => name.split(".").at(-1)), ...INTERNAL, ...UTILITY]);
  refuse(
    "The library exports names without a comment",
    all.filter(({ comment }) => comment === null).map(nameOf),
  );
  refuse("Options of the library have no comment", all.flatMap(silentOptions));
  refuse(
    "The library's declarations name types that it does not export",
    all.flatMap((each) => unexported(each, known)),
  );
  const values = all.filter(({ as }) => as !== "type");
  const within = (namespace) => values.filter(({ name }) => name.startsWith(`${namespace}.`));
  return {
    functions: functionList(
      values.filter(({ name }) => !name.includes(".")),
      commands.map(({ name }) => name),
    ),
    render: described(within("render")).join("\n"),
    engines: ["csp", "expression"]
      .map((engine) => `- ${listed(within(engine).map(({ name }) => name))}`)
      .join("\n"),
  };
}

function refuse(what, names) {
  if (names.length > 0) throw new Error(`${what}: ${names.join(", ")}.`);
}

const nameOf = ({ name, file }) => `${name} (${file})`;

function silentOptions({ name, code: declaration }) {
  if (!/^interface \w+Options\b/.test(declaration)) return [];
  const lines = declaration.split("\n");
  return lines
    .filter((line, at) => line.startsWith("  readonly ") && !lines[at - 1]?.endsWith("*/"))
    .map((line) => `${name}: ${line.trim()}`);
}

/** Types of optional parameters that only the engines pass. */
const INTERNAL = ["Effort", "Pages", "SERVICE_DIRECTIVES", "ANY_PAGES"];

/** Built-in types of TypeScript. */
const UTILITY = [
  "Exclude",
  "Extract",
  "Iterable",
  "Omit",
  "Partial",
  "Pick",
  "Readonly",
  "ReadonlyMap",
  "ReadonlySet",
  "Record",
];

function unexported({ name, code: declaration }, known) {
  const own = /^\w+ \w+<(\w+)>/.exec(declaration)?.[1];
  const bare = declaration.replace(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"]*"/g, "");
  const used = [...bare.matchAll(/\b[A-Z][A-Za-z0-9]*\b/g)].map(([word]) => word);
  return used
    .filter((word) => word !== own && !known.has(word) && !(word in globalThis))
    .map((word) => `${word} (${name})`);
}

/** Functions named after commands need no description of their own: docs/commands.md has it. */
function functionList(functions, commands) {
  const [named, others] = [true, false].map((wanted) =>
    functions.filter(({ name }) => commands.includes(name) === wanted),
  );
  return [
    `- ${listed(named.map(({ name }) => name))} do what the [commands](commands.md) of these names do.`,
    ...described(others),
  ].join("\n");
}

function described(functions) {
  return functions.map(({ name, comment }) => `- ${code(name)}: ${firstSentence(comment)}`);
}

function firstSentence(comment) {
  return comment.split(/\n\n|(?<=\.)\s/)[0].replace(/\s*\n\s*/g, " ");
}
