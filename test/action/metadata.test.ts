import { readdirSync, readFileSync } from "node:fs";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { INPUTS } from "../../src/action/inputs.js";
import { OUTPUTS } from "../../src/action/outputs.js";

const text = readFileSync("action.yml", "utf8");
const action = parse(text) as {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: { readonly using: string; readonly main: string };
}; // the form that the first test checks

describe("action.yml", () => {
  test("is what GitHub takes", () => {
    const { context } = parseAction({ name: "action.yml", content: text }, new NoOperationTraceWriter());
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("has the inputs that the code reads, with the same defaults, and says what each is for", () => {
    const defaults = Object.fromEntries(
      Object.entries(action.inputs).map(([name, each]) => [name, each.default]),
    );
    expect(defaults).toEqual({ ...INPUTS, "github-token": "${{ github.token }}" });
    expect(Object.values(action.inputs).filter(({ description }) => description === "")).toEqual([]);
  });

  test("has the outputs that the code sets", () => {
    expect(Object.keys(action.outputs)).toEqual([...OUTPUTS]);
  });

  test("runs the committed bundle, on the Node that runners have", () => {
    expect(action.runs).toEqual({ using: "node24", main: "dist/action/index.mjs" });
    expect(readFileSync(action.runs.main, "utf8")).not.toContain("sourceMappingURL");
  });
});

const examples = readdirSync("examples/github").map((name) => `examples/github/${name}`);

describe.each(examples)("%s", (file) => {
  const content = readFileSync(file, "utf8");
  const workflow = parse(content) as Workflow; // the form that the first test checks
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("is a workflow as GitHub takes it", async () => {
    const { context, value } = parseWorkflow({ name: file, content }, new NoOperationTraceWriter());
    if (value === undefined) throw new Error("it cannot be read");
    await convertWorkflowTemplate(context, value);
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("gives the action inputs that it has, and takes outputs that it has", () => {
    const own = steps.filter(({ uses }) => uses?.startsWith("zoneward/zoneward@"));
    expect(own).toHaveLength(1);
    const used = own.flatMap((step) => Object.keys(step.with ?? {}));
    expect(used.filter((name) => !(name in INPUTS))).toEqual([]);
    const ids = own.map(({ id }) => id);
    const taken = [...content.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)].filter(([, id]) =>
      ids.includes(id),
    );
    expect(taken.filter(([, , name]) => !(OUTPUTS as readonly string[]).includes(name ?? ""))).toEqual([]);
  });

  test("names the actions of others by commit and version", () => {
    const others = content.match(/uses: (?!zoneward\/).*/g) ?? [];
    expect(others.filter((each) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each))).toEqual([]);
  });

  test("says which permissions it needs, when it gives up, and what it does not run beside", () => {
    expect(Object.values(workflow.permissions ?? {})).toContain("read");
    expect(workflow.concurrency).toMatchObject({ group: expect.any(String) });
    expect(Object.values(workflow.jobs).map((job) => typeof job["timeout-minutes"])).toEqual(["number"]);
  });

  test("puts nothing that others write into a shell", () => {
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });
});

test("the example that applies waits for an approval, is never cancelled, and keeps its journal whatever happens", () => {
  const { jobs, concurrency } = parse(readFileSync("examples/github/apply.yml", "utf8")) as Workflow; // as above
  expect(concurrency).toMatchObject({ "cancel-in-progress": false });
  expect(jobs.apply).toMatchObject({ environment: "cloudflare" });
  expect(jobs.apply?.steps.at(-1)).toMatchObject({ if: "always()", with: { "include-hidden-files": true } });
});

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly "timeout-minutes"?: number;
        readonly environment?: string;
        readonly steps: readonly {
          readonly id?: string;
          readonly if?: string;
          readonly uses?: string;
          readonly run?: string;
          readonly with?: Readonly<Record<string, unknown>>;
        }[];
      }
    >
  >;
}
