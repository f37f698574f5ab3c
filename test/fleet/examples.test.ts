import { readFileSync } from "node:fs";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { validate as lint } from "dockerfile-utils";
import { CronJob, Job } from "kubernetes-models/batch/v1";
import { PersistentVolumeClaim } from "kubernetes-models/v1";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readArguments } from "../../src/cli/arguments.js";
import { commands } from "../../src/cli/commands.js";
import { type FleetWorkflow, KUBERNETES, MATRIX, type Manifest, podOf } from "./examples.js";

describe("the matrix of GitHub Actions", () => {
  const content = readFileSync(MATRIX, "utf8");
  const { jobs } = parse(content) as FleetWorkflow; // the first test checks the form
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("is accepted by GitHub's parser", async () => {
    const { context, value } = parseWorkflow({ name: MATRIX, content }, new NoOperationTraceWriter());
    if (value === undefined) throw new Error("the workflow is invalid");
    await convertWorkflowTemplate(context, value);
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("gives each team its own files, label and token, in plan and apply", () => {
    const own = steps.filter(({ uses }) => uses?.startsWith("zoneward/"));
    expect(own.map((step) => [step.with?.command, step.with?.config, step.with?.label])).toEqual([
      ["plan", "zones/${{ matrix.team }}", "${{ matrix.team }}"],
      ["apply", "zones/${{ matrix.team }}", "${{ matrix.team }}"],
    ]);
    const teams = jobs.plan?.strategy?.matrix.include ?? [];
    expect(teams.map(({ token }) => token)).toEqual(
      teams.map(({ team }) => `CLOUDFLARE_API_TOKEN_READ_${team.toUpperCase().replace("-", "_")}`),
    );
    expect(new Set(teams.map(({ team }) => team)).size).toBe(2);
  });

  test("uses the write token only after the team's approval", () => {
    for (const job of Object.values(jobs)) {
      const tokens = job.steps.flatMap((step) => step.env?.CLOUDFLARE_API_TOKEN ?? []);
      const isApproved = job.environment === "${{ matrix.team }}";
      const usual = isApproved ? "${{ secrets.CLOUDFLARE_API_TOKEN }}" : "${{ secrets[matrix.token] }}";
      expect(tokens.filter((token) => token !== usual)).toEqual([]);
    }
    expect(jobs.apply?.environment).toBe("${{ matrix.team }}");
  });

  test("applies with the guardrails of the plan and lifts them with the same variable", () => {
    const given = steps.flatMap((step) =>
      step.uses?.startsWith("zoneward/") ? [[step.with?.["fail-on"], step.with?.allow]] : [],
    );
    expect(given).toHaveLength(2);
    expect(given[0]).toEqual(given[1]);
  });

  test("pins third-party actions to commits and puts no untrusted text into a shell", () => {
    const others = content.match(/uses: (?!zoneward\/).*/g) ?? [];
    expect(others.filter((each) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each))).toEqual([]);
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });
});

describe("the manifests for Kubernetes", () => {
  const text = readFileSync(KUBERNETES, "utf8");
  const manifests = parseAllDocuments(text).map((each) => each.toJS() as Manifest);
  const pods = manifests.flatMap((each) => podOf(each) ?? []);

  test("conform to the published schema", () => {
    const kinds = { Job, CronJob, PersistentVolumeClaim };
    for (const manifest of manifests) {
      const Model = kinds[manifest.kind];
      expect(() => new Model(manifest as never).validate()).not.toThrow();
    }
    expect(manifests.map(({ kind, metadata: { labels } }) => [kind, labels.step])).toEqual([
      ["PersistentVolumeClaim", "keep"],
      ["Job", "plan"],
      ["Job", "apply"],
      ["CronJob", "drift"],
    ]);
  });

  test("belong to one team: every name in them contains the team's name", () => {
    const names = text.match(/(?<=^ +name: |(?:claimName|Ref: { name|configMap: { name): )[\w-]+/gm) ?? [];
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !name.startsWith("zoneward-team-a-"))).toEqual([]);
  });

  test("run as an unprivileged user with a read-only root and no cluster token", () => {
    expect(pods).toHaveLength(3);
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

  test("pass only flags that the commands have", () => {
    for (const { args } of pods.flatMap(({ containers }) => containers)) {
      const command = commands.find(({ name }) => name === args[0]);
      if (command === undefined) throw new Error(`unknown command ${args[0]}`);
      const read = readArguments(command, args.slice(1));
      if (!read.ok) throw new Error(read.complaint);
    }
  });
});

describe("the Dockerfile", () => {
  const text = readFileSync("Dockerfile", "utf8");
  const instructions: readonly string[] = text.match(/^[A-Z]+ .*$/gm) ?? [];

  test("has no linter findings", () => {
    expect(lint(text)).toEqual([]);
  });

  test("builds an image without a shell that runs as an unprivileged user, from pinned bases", () => {
    const bases = instructions.filter((each) => each.startsWith("FROM "));
    expect(bases).toHaveLength(2);
    expect(bases.at(-1)).toMatch(/^FROM gcr\.io\/distroless\/nodejs\d+-debian\d+:nonroot$/);
    expect(bases.filter((each) => /:latest\b|^FROM [^:]+$/.test(each))).toEqual([]);
    const image = instructions.slice(instructions.lastIndexOf(bases.at(-1) ?? ""));
    expect(image.filter((each) => /^(RUN|ADD|ENV|ARG|SHELL)\b/.test(each))).toEqual([]);
    expect(image).toContain("USER 65532:65532");
    expect(image.at(-1)).toBe('ENTRYPOINT ["/nodejs/bin/node", "/zoneward/cli.js"]');
  });

  test("copies only the sources into the build and only the program out of it", () => {
    const taken = text.match(/\/src\/dist\/[\w./-]+/g) ?? [];
    expect(taken.map((each) => each.slice("/src/dist/".length))).toEqual([
      "cli.js",
      "THIRD-PARTY-LICENSES.txt",
      "chunks",
    ]);
    const context = readFileSync(".dockerignore", "utf8").split("\n");
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
