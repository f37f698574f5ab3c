import { expect, test } from "vitest";
import { readSources, type SourceFile } from "./support/source-file.js";

const files = readSources("test");
const tests = files.filter(({ file }) => file.endsWith(".test"));

function named(among: readonly SourceFile[], ...endings: readonly string[]): readonly SourceFile[] {
  return among.filter(({ file }) => endings.some((each) => file.endsWith(`.${each}.test`)));
}

/** The files that import one of the names from the module. */
function importing(module: RegExp, names: readonly string[] = ["*"]): readonly SourceFile[] {
  return files.filter(({ imports }) =>
    imports.some(
      (each) =>
        module.test(each.of) && (names.includes("*") || each.names.some((name) => names.includes(name))),
    ),
  );
}

test("a test file that starts processes is named .process or .deep", () => {
  const starting = [
    ...importing(/^node:child_process$/),
    ...importing(/support\/cli$/, ["zonewardProcess", "CLI"]),
  ];
  const others = starting.filter(
    (each) => tests.includes(each) && !named(tests, "process", "deep").includes(each),
  );
  expect(others.map(({ file }) => file)).toEqual([]);
});

test("a test file that scales its cases is named .random or .deep", () => {
  const scaled = importing(/support\/random$/, ["runs", "some", "isDeep", "fixedSample"]);
  const others = scaled.filter(
    (each) => tests.includes(each) && !named(tests, "random", "deep").includes(each),
  );
  expect(others.map(({ file }) => file)).toEqual([]);
});

test("all random cases come from test/support/random.ts, which sets the seed", () => {
  expect(importing(/^fast-check$/).map(({ file }) => file)).toEqual(["support/random"]);
});
