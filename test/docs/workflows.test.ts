import { readFileSync } from "node:fs";
import path from "node:path";
import { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../support/cli.js";
import { type Block, readDocuments } from "../support/documents.js";

const blocks = readDocuments().flatMap(({ file, blocks: all }) =>
  all.filter(({ language }) => language === "yaml").map((block) => ({ file, ...block })),
);
const workflows = blocks.filter(({ text }) => /^jobs:$/m.test(text));

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

describe("the workflows in the documents", () => {
  test("are there", () => {
    expect(workflows.length).toBeGreaterThan(2);
  });

  test.each(workflows)("one of $file is a workflow as GitHub reads it", ({ text }) => {
    const parsed = parseWorkflow({ name: "workflow.yml", content: text }, new NoOperationTraceWriter());
    expect(parsed.context.errors.getErrors().map(String)).toEqual([]);
  });

  test.each(blocks)("one of $file names only inputs and outputs that the Action has", (block) => {
    const { inputs, outputs } = parse(readFileSync(path.join(ROOT, "action.yml"), "utf8"));
    const given = stepsOf(block).flatMap((step) => Object.keys(step.with ?? {}));
    expect(given.filter((name) => !(name in inputs))).toEqual([]);
    const own = new Set(stepsOf(block).flatMap(({ id }) => id ?? []));
    const asked = [...block.text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)];
    expect(
      asked.flatMap(([, id = "", name = ""]) => (own.has(id) && !(name in outputs) ? name : [])),
    ).toEqual([]);
  });
});

/** The steps that use the Action; a block that begins with `with:` is one. */
function stepsOf({ text }: Block): readonly Step[] {
  const value = parse(text) as { jobs?: Record<string, { steps?: Step[] }>; with?: Step["with"] } | null; // as written
  if (value?.with !== undefined) return [{ with: value.with }];
  return Object.values(value?.jobs ?? {})
    .flatMap(({ steps }) => steps ?? [])
    .filter(({ uses }) => uses?.startsWith("zoneward/zoneward@"));
}
