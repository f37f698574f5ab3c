import { expect, test } from "vitest";
import { kinds } from "../src/kinds/index.js";
import { readSources, type SourceFile } from "./support/source-file.js";

/**
 * What may import what, inside src: each folder or file, and the folders or files that it may use besides its own.
 * Everything uses only what stands above it.
 */
const layers: { readonly [place: string]: readonly string[] } = {
  model: [],
  csp: ["model"],
  expression: ["model"],
  strength: ["model", "csp", "expression"],
  impact: ["model", "csp", "expression"],
  kinds: ["model", "csp", "expression", "strength"],
  "zone-tests": ["model", "csp", "expression", "kinds"],
  match: ["model", "csp", "expression", "strength", "kinds"],
  calls: ["model", "expression", "kinds"],
  plan: ["model", "csp", "expression", "strength", "kinds", "match", "calls"],
  disk: ["model"],
  // Whoever starts it starts what a repository can have configured.
  git: ["model", "disk"],
  config: ["model", "kinds", "disk", "git"],
  evidence: ["model", "expression", "kinds/logged-fields"],
  render: ["model", "plan/generated"],
  export: ["model", "kinds", "match", "config", "render"],
  adopt: ["model", "kinds", "match", "config", "export"],
  api: ["model"],
  audit: ["model"],
  // It decides nothing: of planning it only sees whether two plans say the same.
  apply: ["model", "disk", "git", "api", "plan/wording", "plan/compare", "plan/digest"],
  emulator: ["model", "disk"],
  // The program: what a run is, from files and options to plans, reports and files.
  run: [
    "disk",
    "git",
    "model",
    "csp",
    "expression",
    "impact",
    "evidence",
    "kinds",
    "zone-tests",
    "match",
    "plan",
    "config",
    "render",
    "export",
    "adopt",
    "api",
    "audit",
    "apply",
    "../package.json",
  ],
  // Two shells around it, of which neither knows the other.
  cli: [
    "model",
    "disk",
    "csp",
    "expression",
    "kinds",
    "plan",
    "config",
    "export",
    "render",
    "api",
    "emulator",
    "run",
    "evidence",
    "../examples",
  ],
  action: ["model", "plan/generated", "config/files", "render", "disk", "git", "api", "run"],
  index: ["model", "csp", "expression", "config/generated", "plan/generated", "emulator", "run"],
};

/** The shell: where the program touches the world outside. Everything else is values and functions of them. */
const shell = [
  "cli",
  "action",
  "run",
  "disk",
  "git",
  "config/files",
  "config/glob",
  "config/base-files",
  "api",
  "apply/journal",
  "apply/lock",
  "emulator",
];

/** Modules of other packages and of Node that any file may use: they only compute. */
const pureModules: { readonly [module: string]: readonly string[] } = {
  ajv: ["ErrorObject", "ValidateFunction"],
  "csp_evaluator/dist/allowlist_bypasses/angular.js": ["*"],
  "csp_evaluator/dist/allowlist_bypasses/jsonp.js": ["*"],
  "csp_evaluator/dist/checks/parser_checks.js": ["*"],
  "csp_evaluator/dist/checks/security_checks.js": ["*"],
  "csp_evaluator/dist/checks/strictcsp_checks.js": ["*"],
  "csp_evaluator/dist/csp.js": ["*"],
  "csp_evaluator/dist/finding.js": ["*"],
  diff: ["diffArrays"],
  "fast-deep-equal": ["*"],
  "fastest-levenshtein": ["distance"],
  picocolors: ["*"],
  picomatch: ["*"],
  yaml: ["*"],
  "node:crypto": ["hash", "scryptSync"],
  "node:path": ["*"],
  "node:url": ["domainToASCII"],
};

/** Names that give a program something besides its arguments. */
const impureNames = [
  ...["process", "console", "globalThis", "fetch", "crypto", "performance"],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask"],
  ...["Date.now", "new Date()", "Math.random"],
];

/** The only files that may know a kind by its name. */
const knowKinds = ["kinds", "emulator"];

const files = readSources("src");
const core = files.filter(({ file }) => !isIn(file, shell));

test("each folder and file of the source has its place among the layers", () => {
  const places = new Set(files.map(({ file }) => file.split("/")[0]));
  expect([...places].sort()).toEqual(Object.keys(layers).sort());
});

test("a layer may import only what stands above it in the table", () => {
  const places = Object.keys(layers);
  for (const [index, place] of places.entries()) {
    const used = (layers[place] ?? []).filter((each) => isIn(each, places));
    expect(used.filter((each) => !isIn(each, places.slice(0, index)))).toEqual([]);
  }
});

test("a file imports only what its layer may", () => {
  const forbidden = ({ file, imports }: SourceFile) => {
    const own = file.split("/", 1);
    const allowed = [...own, ...own.flatMap((place) => layers[place] ?? [])];
    return imports.filter((each) => each.as === "file" && !isIn(each.of, allowed)).map(({ of }) => of);
  };
  expect(found(files, forbidden)).toEqual([]);
});

test("no kind knows another", () => {
  const folderOf = (path: string) => /^kinds\/[^/]+(?=\/)/.exec(path)?.[0];
  const otherKinds = ({ file, imports }: SourceFile) => {
    const own = folderOf(file);
    return imports.map(({ of }) => of).filter((of) => own !== undefined && (folderOf(of) ?? own) !== own);
  };
  expect(found(files, otherKinds)).toEqual([]);
});

test("only the shell touches files, the network, the process, the clock or chance", () => {
  const impureImports = ({ imports }: SourceFile) =>
    imports
      .filter(({ as, of, names }) => as === "module" && !isPure(of, names))
      .map(({ of, names }) => `${names.join(", ")} of ${of}`);
  const impureUses = ({ uses }: SourceFile) => uses.filter((name) => impureNames.includes(name));
  expect([...found(core, impureImports), ...found(core, impureUses)]).toEqual([]);
});

test("the core sorts and spells in the same way whatever the locale", () => {
  const locale = /^\.(localeCompare|toLocale\w+)$|^Intl$/;
  expect(found(core, ({ uses }) => uses.filter((name) => locale.test(name)))).toEqual([]);
});

test("one file loads undici, which makes a start slow", () => {
  const loading = files.filter(({ imports }) => imports.some(({ of }) => of === "undici"));
  expect(loading.map(({ file }) => file)).toEqual(["api/wire"]);
});

test("one file starts another program, and that is git; one more tells Node where to keep what is compiled", () => {
  const starting = files.filter(({ imports }) =>
    imports.some(({ of }) =>
      /^(node:)?(child_process|cluster|worker_threads|module|vm)$|^a computed name$/.test(of),
    ),
  );
  expect(starting.map(({ file }) => file)).toEqual(["cli", "git/run"]);
});

test("no file but the kinds' own and the emulator's has the name of a kind in it", () => {
  const names = kinds.flatMap(({ name, section }) => [name, section]);
  const others = files.filter(({ file }) => !isIn(file, knowKinds) && !file.includes("/generated/"));
  // A flag that people know it by.
  expect(found(others, ({ texts }) => texts.filter((text) => names.includes(text)))).toEqual([
    "cli/flags: policy",
  ]);
});

test("only the library imports what it shows of the engines whole: a command loads what it uses", () => {
  const whole = ({ imports }: SourceFile) =>
    imports.map(({ of }) => of).filter((of) => /^(csp|expression)\/index$/.test(of));
  const others = files.filter(({ file }) => file !== "index");
  expect(found(others, whole)).toEqual([]);
});

test("the library's entry is re-exports only", () => {
  expect(files.find(({ file }) => file === "index")?.onlyReexports).toBe(true);
});

test("no files lead to each other in a circle, not even by types", () => {
  let left = files;
  let before: number;
  do {
    before = left.length;
    const needed = new Set(left.flatMap(({ imports }) => imports.map(({ of }) => of)));
    const there = new Set(left.map(({ file }) => file));
    left = left.filter(({ file, imports }) => needed.has(file) && imports.some(({ of }) => there.has(of)));
  } while (left.length < before);
  expect(left.map(({ file }) => file)).toEqual([]);
});

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

function isPure(module: string, names: readonly string[]): boolean {
  const pure = pureModules[module] ?? [];
  return pure.includes("*") || names.every((name) => pure.includes(name));
}

function found(
  among: readonly SourceFile[],
  what: (file: SourceFile) => readonly string[],
): readonly string[] {
  return among.flatMap((each) => what(each).map((one) => `${each.file}: ${one}`));
}
