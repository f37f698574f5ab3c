import { readFileSync } from "node:fs";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { validate as lint } from "dockerfile-utils";
import { CronJob, Job } from "kubernetes-models/batch/v1";
import { PersistentVolumeClaim } from "kubernetes-models/v1";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readArguments } from "../../src/cli/arguments.js";
import { commands } from "../../src/cli/commands.js";
import { readShard } from "../../src/run/shard.js";
import { type FleetWorkflow, KUBERNETES, MATRIX, type Manifest, podOf } from "./examples.js";

describe("the matrix of GitHub Actions", () => {
  const content = readFileSync(MATRIX, "utf8");
  const { jobs, env } = parse(content) as FleetWorkflow; // the form that the first test checks

  test("is a workflow as GitHub takes it", async () => {
    const { context, value } = parseWorkflow({ name: MATRIX, content }, new NoOperationTraceWriter());
    if (value === undefined) throw new Error("it cannot be read");
    await convertWorkflowTemplate(context, value);
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("has as many shards as it says, wherever it has them", () => {
    const shards = Array.from({ length: Number(env.SHARDS) }, (_, index) => index + 1);
    expect([jobs.plan?.strategy?.matrix.shard, jobs.apply?.strategy?.matrix.shard]).toEqual([shards, shards]);
  });

  test("hands over the plan of each shard alone, from outside of the checkout", () => {
    const [upload] =
      jobs.plan?.steps.filter(({ uses }) => uses?.startsWith("actions/upload-artifact@")) ?? [];
    expect(upload?.with).toMatchObject({
      name: "zoneward-plan-${{ matrix.shard }}",
      path: "${{ runner.temp }}/plan-${{ matrix.shard }}.json",
    });
    const [download] = jobs.merge?.steps ?? [];
    expect(download?.with).toEqual({ pattern: "zoneward-plan-*", path: "${{ runner.temp }}/plans" });
  });

  test("names the actions of others by commit and version, and puts nothing that others write into a shell", () => {
    const others = content.match(/uses: .*/g) ?? [];
    expect(others.filter((each) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each))).toEqual([]);
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });

  test("has the token that writes only behind the approval, and no package by a name that anybody may take", () => {
    for (const job of Object.values(jobs)) {
      const tokens = job.steps.flatMap((step) => step.env?.CLOUDFLARE_API_TOKEN ?? []);
      const usual = `\${{ secrets.CLOUDFLARE_API_TOKEN${job.environment === "production" ? "" : "_READ"} }}`;
      expect(tokens.filter((token) => token !== usual)).toEqual([]);
    }
    expect(env.ZONEWARD).toBe("${{ vars.ZONEWARD_PACKAGE }}");
    expect(content).not.toMatch(/"zoneward@|zoneward@\d/);
  });
});

describe("the manifests for Kubernetes", () => {
  const manifests = parseAllDocuments(readFileSync(KUBERNETES, "utf8")).map(
    (each) => each.toJS() as Manifest,
  );
  const pods = manifests.flatMap((each) => podOf(each) ?? []);

  test("are what the published schema has", () => {
    const kinds = { Job, CronJob, PersistentVolumeClaim };
    for (const manifest of manifests) {
      const Model = kinds[manifest.kind];
      expect(() => new Model(manifest as never).validate()).not.toThrow();
    }
    expect(manifests.map(({ kind }) => kind)).toEqual([
      "PersistentVolumeClaim",
      "Job",
      "Job",
      "Job",
      "CronJob",
    ]);
  });

  test("run as nobody, on a root that is read-only, with a token of no cluster", () => {
    expect(pods).toHaveLength(4);
    for (const { automountServiceAccountToken, securityContext, containers } of pods) {
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const container of containers)
        expect(container.securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        });
    }
  });

  test("give commands the flags that they have, and each index its shard", () => {
    for (const manifest of manifests) {
      const pod = podOf(manifest);
      if (pod === null) continue;
      const spec = manifest.spec.jobTemplate?.spec ?? manifest.spec;
      for (const { args } of pod.containers) {
        const command = commands.find(({ name }) => name === args[0]);
        if (command === undefined) throw new Error(`there is no command ${args[0]}`);
        const read = readArguments(command, args.slice(1));
        if (!read.ok) throw new Error(read.complaint);
        const shard = read.args.text("shard");
        expect(shard === undefined).toBe(spec.completionMode !== "Indexed");
        if (shard === undefined) continue;
        const last = readShard(shard, { JOB_COMPLETION_INDEX: String((spec.completions ?? 0) - 1) });
        expect(last).toMatchObject({ ok: true, value: { index: spec.completions, of: spec.completions } });
      }
    }
  });

  test("merge the plans that the shards write", () => {
    const [plan, merge] = pods.map(({ containers }) => containers[0]?.args ?? []);
    const written = [0, 1, 2, 3].map((index) =>
      plan
        ?.find((each) => each.startsWith("--out="))
        ?.slice(6)
        .replace("$(JOB_COMPLETION_INDEX)", String(index)),
    );
    expect(merge?.filter((each) => !each.startsWith("--")).slice(1)).toEqual(written);
  });
});

describe("the Dockerfile", () => {
  const text = readFileSync("Dockerfile", "utf8");
  const instructions: readonly string[] = text.match(/^[A-Z]+ .*$/gm) ?? [];

  test("has nothing that a linter finds", () => {
    expect(lint(text)).toEqual([]);
  });

  test("makes an image without a shell that runs as nobody, from bases in a version", () => {
    const bases = instructions.filter((each) => each.startsWith("FROM "));
    expect(bases).toHaveLength(2);
    expect(bases.at(-1)).toMatch(/^FROM gcr\.io\/distroless\/nodejs\d+-debian\d+:nonroot$/);
    expect(bases.filter((each) => /:latest\b|^FROM [^:]+$/.test(each))).toEqual([]);
    const image = instructions.slice(instructions.lastIndexOf(bases.at(-1) ?? ""));
    expect(image.filter((each) => /^(RUN|ADD|ENV|ARG|SHELL)\b/.test(each))).toEqual([]);
    expect(image).toContain("USER 65532:65532");
    expect(image.at(-1)).toBe('ENTRYPOINT ["/nodejs/bin/node", "/zoneward/cli.js"]');
  });

  test("takes from the build what the program is, and into the build what is built from", () => {
    const taken = text.match(/\/src\/dist\/[\w./-]+/g) ?? [];
    expect(taken.map((each) => each.slice("/src/dist/".length))).toEqual([
      "cli.js",
      "package.json",
      "THIRD-PARTY-LICENSES.txt",
      "program",
    ]);
    const context = readFileSync(".dockerignore", "utf8").split("\n");
    // The demo's files.
    expect(instructions).toContain("COPY --from=build /src/examples /zoneward/examples");
    for (const source of [
      "src",
      "scripts",
      "examples",
      "package.json",
      "package-lock.json",
      "tsconfig*.json",
    ])
      expect(context).toContain(`!${source}`);
    expect(context[0]).toBe("*");
  });
});
