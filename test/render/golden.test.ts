import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import Ajv2020 from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import planSchema from "../../schemas/plan.schema.json" with { type: "json" };
import type { PlanDocument } from "../../src/index.js";
import { planAnnotations } from "../../src/render/annotations.js";
import { palette } from "../../src/render/palette.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planText } from "../../src/render/plan-text.js";
import { planSarif } from "../../src/render/sarif.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };

/**
 * One plan with everything that a plan can contain, in every format. UPDATE_GOLDEN=1 rewrites the files. Review the diff
 * before you commit it.
 */
const updating = process.env.UPDATE_GOLDEN === "1";

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

test("the golden plan conforms to the published schema", () => {
  const validate = new Ajv2020.default({ strict: false }).compile(planSchema);
  expect(validate(golden), JSON.stringify(validate.errors)).toBe(true);
});

test.each<[file: string, shown: () => string]>([
  ["plan.txt", () => showPlan(plan, false, true)],
  ["drift.txt", () => showPlan(plan, false, false, "drift")],
  ["plan.md", () => planMarkdown(planView(plan, "plan"), 60_000)],
  ["plan-short.md", () => planMarkdown(planView(plan, "plan"), 3_000)],
  ["drift.md", () => planMarkdown(planView(plan, "drift"), 60_000)],
  ["plan.sarif", () => planSarif(planView(plan, "plan"))],
  ["annotations.txt", () => planAnnotations(planView(plan, "plan"))],
])("the output equals %s", async (name, shown) => {
  const file = path.join(import.meta.dirname, "golden", name);
  if (updating) await writeFile(file, shown());
  expect(shown()).toBe(await readFile(file, "utf8"));
});

test.each([40, 60, 100])("a terminal of %i characters breaks lines only between words", (width) => {
  const text = planText(planView(plan, "plan"), { colors: palette(true), width, verbose: true });
  const lines = stripVTControlCharacters(text).split("\n");
  expect(lines.filter((line) => line.length > width && /\S \S/.test(line))).toEqual([]);
});
