import { exportsOf } from "./exports.mjs";
import { code, fenced } from "./markdown.mjs";

/** Types that a schema describes better: where they are explained. */
const ELSEWHERE = {
  "src/plan/generated/plan-document.ts": "[The plan document](plan-document.md) explains it field by field.",
  "src/config/generated/desired-state.ts": "[The file format](file-format.md) explains it key by key.",
};

/** The parts of docs/library.md that the library's own declarations and comments say. */
export function libraryParts() {
  const all = exportsOf("src/index.ts");
  const silent = all.filter(({ comment, file }) => comment === null && ELSEWHERE[file] === undefined);
  if (silent.length > 0)
    throw new Error(
      `The library exports what no comment explains: ${silent.map(({ name, file }) => `${name} (${file})`).join(", ")}.`,
    );
  const unnamed = all
    .filter(({ file }) => ELSEWHERE[file] === undefined)
    .flatMap((each) => unexported(each, all));
  if (unnamed.length > 0)
    throw new Error(`The library's declarations name types that it does not export: ${unnamed.join(", ")}.`);
  const functions = all.filter(({ as }) => as !== "type");
  const types = all.filter(({ as }) => as === "type");
  const top = ({ name }) => !name.includes(".");
  const within = (namespace) => (each) => each.name.startsWith(`${namespace}.`);
  const namespaces = [...new Set(all.filter((each) => !top(each)).map(({ name }) => name.split(".")[0]))];
  return {
    functions: functions.filter(top).map(section).join("\n\n"),
    namespaces: namespaces
      .map((name) => [`## ${name}`, ...functions.filter(within(name)).map(section)].join("\n\n"))
      .join("\n\n"),
    types: [
      types.filter(top).map(section).join("\n\n"),
      ...namespaces.map((name) => types.filter(within(name)).map(section).join("\n\n")),
    ].join("\n\n"),
  };
}

/** Types that nobody has to know, who only calls the function: they are of parameters that may be left out. */
const INTERNAL = ["Effort", "Pages"];

function unexported({ name, code: declaration }, all) {
  const own = /^\w+ \w+<(\w+)>/.exec(declaration)?.[1];
  const known = new Set([...all.map((each) => each.name.split(".").at(-1)), ...INTERNAL, own]);
  const bare = declaration.replace(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"]*"/g, "");
  const used = [...bare.matchAll(/\b[A-Z][A-Za-z0-9]*\b/g)].map(([word]) => word);
  return used
    .filter((word) => !known.has(word) && !(word in globalThis) && !UTILITY.has(word))
    .map((word) => `${word} (${name})`);
}

const UTILITY = new Set([
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
  "SERVICE_DIRECTIVES",
  "ANY_PAGES",
]);

function section({ name, file, comment, code: declaration }) {
  const elsewhere = ELSEWHERE[file];
  const said = comment === null ? [] : [proseOf(comment)];
  if (elsewhere !== undefined) return [`### ${name}`, ...said, elsewhere].join("\n\n");
  return [`### ${name}`, ...said, fenced("ts", unindented(declaration))].join("\n\n");
}

/** The text first, then what each parameter is and what is thrown. */
function proseOf(comment) {
  const [text = "", ...tags] = comment.split(/^@/m);
  const prose = text.trim().split(/\n\n+/).map(oneLine).join("\n\n");
  const items = tags.map((tag) => {
    const [, word, rest] = /^(\w+)\s+([\s\S]*)$/.exec(tag.trim()) ?? [];
    if (word === "param" || word === "typeParam") {
      const [, name, meaning] = /^(\S+)\s+([\s\S]*)$/.exec(rest);
      return `- ${code(name)}: ${oneLine(meaning)}`;
    }
    return `- ${word}: ${oneLine(rest)}`;
  });
  return [prose, items.join("\n")].filter((each) => each !== "").join("\n\n");
}

function oneLine(text) {
  return text.replace(/\s*\n\s*/g, " ").trim();
}

function unindented(text) {
  return text.replace(/^export /, "");
}
