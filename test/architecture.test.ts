import { expect, test } from "vitest";
import { kinds } from "../src/kinds/index.js";
import { readSources, type SourceFile } from "./support/source-file.js";

/**
 * The layers of src, lowest first. Each folder or file lists the lower ones that it may import, besides itself.
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
  // Running git can execute what a repository configures, so only some layers may start it.
  git: ["model", "disk"],
  config: ["model", "kinds", "disk", "git"],
  evidence: ["model", "expression", "kinds/logged-fields"],
  render: ["model", "plan/generated"],
  export: ["model", "kinds", "match", "config", "render"],
  adopt: ["model", "kinds", "match", "config", "export"],
  api: ["model"],
  audit: ["model"],
  // Applying decides nothing. It uses planning only to check that two plans say the same.
  apply: ["model", "disk", "git", "api", "plan/value-words", "plan/compare-plans", "plan/digest"],
  emulator: ["model", "disk"],
  // The program: from files and options to plans, reports and written files.
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
  // Two front ends, which do not import each other.
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

/** Places that touch the outside world. All other code is values and pure functions. */
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

/** Modules that any file may import, because they only compute. */
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
  "node:buffer": ["isUtf8"],
  "node:crypto": ["hash", "scryptSync"],
  "node:net": ["isIPv4", "isIPv6"],
  "node:path": ["*"],
  "node:url": ["domainToASCII"],
};

/** Globals through which code reads or changes the outside world. */
const impureNames = [
  ...["process", "console", "globalThis", "fetch", "crypto", "performance"],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask"],
  ...["Date.now", "new Date()", "Math.random"],
];

/** Only these places may contain the name of a kind. */
const knowKinds = ["kinds", "emulator"];

const files = readSources("src");
const core = files.filter(({ file }) => !isIn(file, shell));

test("every folder and file of src belongs to a layer", () => {
  const places = new Set(files.map(({ file }) => file.split("/")[0]));
  expect([...places].sort()).toEqual(Object.keys(layers).sort());
});

test("a layer imports only lower layers", () => {
  const places = Object.keys(layers);
  for (const [index, place] of places.entries()) {
    const used = (layers[place] ?? []).filter((each) => isIn(each, places));
    expect(used.filter((each) => !isIn(each, places.slice(0, index)))).toEqual([]);
  }
});

test("a file imports only the layers listed for its own", () => {
  const forbidden = ({ file, imports }: SourceFile) => {
    const own = file.split("/", 1);
    const allowed = [...own, ...own.flatMap((place) => layers[place] ?? [])];
    return imports.filter((each) => each.as === "file" && !isIn(each.of, allowed)).map(({ of }) => of);
  };
  expect(found(files, forbidden)).toEqual([]);
});

test("no kind imports another kind", () => {
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

test("the core never depends on the locale", () => {
  const locale = /^\.(localeCompare|toLocale\w+)$|^Intl$/;
  expect(found(core, ({ uses }) => uses.filter((name) => locale.test(name)))).toEqual([]);
});

test("only one file loads undici, which is slow to load", () => {
  const loading = files.filter(({ imports }) => imports.some(({ of }) => of === "undici"));
  expect(loading.map(({ file }) => file)).toEqual(["api/transport"]);
});

test("only git/run starts a program, and only cli sets Node's compile cache", () => {
  const starting = files.filter(({ imports }) =>
    imports.some(({ of }) =>
      /^(node:)?(child_process|cluster|worker_threads|module|vm)$|^a computed name$/.test(of),
    ),
  );
  expect(starting.map(({ file }) => file)).toEqual(["cli", "git/run"]);
});

test("only the kinds and the emulator contain the name of a kind", () => {
  const names = kinds.flatMap(({ name, section }) => [name, section]);
  const others = files.filter(({ file }) => !isIn(file, knowKinds) && !file.includes("/generated/"));
  // The name of a flag that users know.
  expect(found(others, ({ texts }) => texts.filter((text) => names.includes(text)))).toEqual([
    "cli/shared-flags: policy",
  ]);
});

test("only the library imports a whole engine; commands import the parts they use", () => {
  const whole = ({ imports }: SourceFile) =>
    imports.map(({ of }) => of).filter((of) => /^(csp|expression)\/index$/.test(of));
  const others = files.filter(({ file }) => file !== "index");
  expect(found(others, whole)).toEqual([]);
});

test("the library's entry contains only re-exports", () => {
  expect(files.find(({ file }) => file === "index")?.onlyReexports).toBe(true);
});

test("no imports form a cycle, type imports included", () => {
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
