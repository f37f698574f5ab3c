import { describe, expect, test } from "vitest";
import { hasErrors, type Problem } from "../../src/model/problem.js";
import { readDesired } from "../../src/run/files.js";
import { type BadInput, linesOf } from "./bad-input/bad-input.js";
import { csp } from "./bad-input/csp.js";
import { doubtful } from "./bad-input/doubtful.js";
import { expression } from "./bad-input/expression.js";
import { files } from "./bad-input/files.js";
import { guardrails } from "./bad-input/guardrails.js";
import { logFields } from "./bad-input/log-fields.js";
import { logpush } from "./bad-input/logpush.js";
import { managed } from "./bad-input/managed.js";
import { outside } from "./bad-input/outside.js";
import { places } from "./bad-input/places.js";
import { shape } from "./bad-input/shape.js";
import { syntax } from "./bad-input/syntax.js";
import { templates } from "./bad-input/templates.js";
import { zones } from "./bad-input/zones.js";
import { folderOf } from "./folder.js";
import { text } from "./text.js";

const groups: { readonly [group: string]: readonly BadInput[] } = {
  ...{ files, syntax, shape, places },
  ...{ zones, templates, outside, csp, expression, logFields, logpush, managed, doubtful, guardrails },
};

describe.each(Object.entries(groups))("bad input: %s", (_, cases) => {
  const named = cases.map((input) => [input.name, input] as const);
  test.each(named)("reports %s, with a short summary and a fix in sentences", async (_, input) => {
    const { desired, problems } = await problemsOf(input);
    expect(linesOf(problems)).toBe(input.problems);
    expect(desired === null).toBe(hasErrors(problems));
    for (const each of problems) expectReadable(each);
  });
});

/** Expects a summary of at most 8 words, and a fix in sentences. */
function expectReadable({ summary, detail }: Problem): void {
  const words = summary.replaceAll(/"(?:[^"\\]|\\.)*"/g, "NAME").split(" ");
  expect(words.length, summary).toBeLessThanOrEqual(8);
  expect(summary).toMatch(/^\S.{0,120}[^.]$/);
  expect(detail).toMatch(/[.?]$/);
  expect(detail.length).toBeLessThan(400);
}

test("shows the first 10,000 problems of a file, and counts the rest", async () => {
  const keys = Array.from({ length: 10_500 }, (_, index) => `key${index}: 1\n`);
  const { desired, problems } = await problemsOf({
    name: "",
    files: { "a.yaml": `version: 1\n${keys.join("")}` },
    problems: "",
  });
  expect(desired).toBeNull();
  expect(problems.length).toBe(10_001);
  expect(linesOf(problems.slice(-2))).toBe(text`
    a.yaml:10001:1 unknown_key /key9999
      The file has no such key. Keys here: version, account_id, defaults, templates, zones, tests, guardrails, service.
    - more_problems
      500 more are not shown. Fix these first.
  `);
});

async function problemsOf({ files: contents, config, env }: BadInput): ReturnType<typeof readDesired> {
  const cwd = await folderOf(contents);
  return readDesired({ config: config ?? Object.keys(contents), cwd, environment: env ?? {} });
}
