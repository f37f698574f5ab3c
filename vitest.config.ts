import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** A test file's name says which project it is in: CONTRIBUTING.md tells what each of them is for. */
const NAMED = { process: "test/**/*.process.test.ts", deep: "test/**/*.deep.test.ts" };
const RANDOM = "test/**/*.random.test.ts";
const STORIES = "test/scenarios.test.ts";

function project(
  name: string,
  include: readonly string[],
  options: TestProjectInlineConfiguration["test"] = {},
): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include: [...include], ...options } };
}

/** The bundler of the program knows `with { type: "text" }`; Vite does not. */
const yamlAsText = {
  name: "yaml-as-text",
  transform: (text: string, file: string) =>
    file.endsWith(".yaml") ? `export default ${JSON.stringify(text)}` : null,
};

export default defineConfig({
  plugins: [yamlAsText],
  test: {
    // It guards against what hangs. No test is about how long something takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The runner would leave one idle, which is half of two.
    maxWorkers: availableParallelism(),
    // It imports JSON as only bundlers can.
    server: { deps: { inline: [/@actions\/workflow-parser/] } },
    // Modules are loaded once for all files: no test changes anything in them.
    isolate: false,
    // Each project would transform the whole source again. `npx vitest --clearCache` empties it.
    experimental: { fsModuleCache: true },
    projects: [
      project("unit", ["test/**/*.test.ts"], { exclude: [...Object.values(NAMED), STORIES] }),
      project("stories", [STORIES]),
      project("process", [NAMED.process]),
      // Some of them try so much that a busy machine takes minutes.
      project("deep", [NAMED.deep, RANDOM], {
        env: { DEEP: process.env.DEEP ?? "1" },
        isolate: true,
        testTimeout: 900_000,
      }),
    ],
  },
});
