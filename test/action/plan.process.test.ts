import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { WORKFLOW_AUTHOR } from "../support/github.js";
import { pullRequest } from "../support/github-step.js";
import { CONFIG, IN_SYNC, start, switched, written } from "./start.js";

describe("a plan of a pull request", () => {
  test("by the built Action gives a comment, a summary, annotations, outputs and a file", async () => {
    const { github, step } = await start();
    const { code, outputs, summary, commands, log } = await step({ built: true });
    expect(code, log).toBe(0);
    expect(outputs).toMatchObject({
      changes: "true",
      "to-create": "1",
      "to-update": "1",
      "to-delete": "0",
      weakens: "0",
      effect: "strengthens",
      "exit-code": "0",
      journal: "",
    });
    expect(outputs.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(JSON.parse(await readFile(outputs["plan-file"] ?? "", "utf8")).digest).toBe(outputs.digest);
    const [comment] = github.comments;
    expect(github.comments).toHaveLength(1);
    expect(comment).toMatchObject({ on: 7, author: WORKFLOW_AUTHOR });
    expect(comment?.body).toMatch(/^<!-- zoneward:default -->\n<!-- zoneward-run: \{.*\} -->\n/);
    expect(comment?.body).toContain(outputs.digest);
    expect(outputs["comment-url"]).toBe(`https://github.example/7#issuecomment-${comment?.id}`);
    expect(summary).toContain(outputs.digest);
    expect(log).toContain("shop.example.com");
    expect(commands.filter((each) => each.startsWith("::add-mask::"))).toHaveLength(2);
  });

  test("reads the folder zones if there is no zoneward.yaml", async () => {
    const { workspace, step } = await start();
    await mkdir(path.join(workspace, "zones"));
    await rename(path.join(workspace, "zoneward.yaml"), path.join(workspace, "zones/shop.yaml"));
    const { code, outputs, log } = await step();
    expect(code, log).toBe(0);
    expect(outputs).toMatchObject({ changes: "true", "to-create": "1", "to-update": "1" });
  });

  test("has one comment, which is updated after changes only", async () => {
    const { github, emulator, step } = await start();
    await step();
    const first = github.comments[0]?.body;
    github.requests.length = 0;
    const again = await step({ runNumber: 2 });
    expect(written(github.requests)).toEqual([]);
    expect(again.outputs["comment-url"]).toContain("issuecomment");
    emulator.edit(switched(true));
    await step({ runNumber: 3 });
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).not.toBe(first);
  });

  test("has a comment of limited size with the digest of the whole plan", async () => {
    const { github, workspace, step } = await start();
    await step();
    await writeFile(path.join(workspace, "zoneward.yaml"), manyPolicies(200));
    const { code, outputs, summary, log } = await step({ runNumber: 2 });
    expect(code, log).toBe(0);
    const body = github.comments[0]?.body ?? "";
    expect(github.comments).toHaveLength(1);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(60_000);
    expect(Buffer.byteLength(body)).toBeGreaterThan(30_000);
    expect(body).toContain(outputs.digest);
    expect(Buffer.byteLength(summary)).toBeGreaterThan(60_000);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe("the comment with the plan", () => {
  test("is separate for each pull request", async () => {
    const { github, step } = await start();
    await step();
    await step({ payload: pullRequest(8) });
    await step({ payload: pullRequest(8, { head: "3".repeat(40) }), runNumber: 2 });
    expect(github.comments.map(({ on }) => on)).toEqual([7, 8]);
  });

  test("is separate for each label", async () => {
    const { github, step } = await start();
    await step({ inputs: { label: "production" } });
    await step({ inputs: { label: "staging" } });
    await step({ inputs: { label: "production" }, payload: pullRequest(7, { head: "3".repeat(40) }) });
    expect(github.comments.map(({ body }) => body.split("\n", 1)[0])).toEqual([
      "<!-- zoneward:production -->",
      "<!-- zoneward:staging -->",
    ]);
  });

  test("leaves other authors' comments alone, whatever marker they have", async () => {
    const { github, step } = await start();
    const forged = "<!-- zoneward:default -->\nNothing to see here.";
    github.write(7, "mallory", forged);
    github.write(7, "github-actions", forged);
    await step();
    expect(github.comments.map(({ author }) => author)).toEqual([
      "mallory",
      "github-actions",
      WORKFLOW_AUTHOR,
    ]);
    expect(github.comments[0]?.body).toBe(forged);
  });

  test("leaves other comments of the workflow alone, even if they quote the marker", async () => {
    const { github, step } = await start();
    const other = "Coverage\n<!-- zoneward:default -->\n";
    github.write(7, WORKFLOW_AUTHOR, other);
    await step();
    expect(github.comments).toHaveLength(2);
    expect(github.comments[0]?.body).toBe(other);
  });

  test("is found among hundreds of others", async () => {
    const { github, step } = await start();
    for (let n = 1; n <= 230; n++) github.write(7, "somebody", `comment ${n}`);
    await step();
    for (let n = 1; n <= 130; n++) github.write(7, "somebody", `later ${n}`);
    await step({ payload: pullRequest(7, { head: "3".repeat(40) }), runNumber: 2 });
    expect(github.comments.filter(({ author }) => author === WORKFLOW_AUTHOR)).toHaveLength(1);
  });

  test("is found by the author that GitHub names, with a token of another app", async () => {
    const { github, step } = await start();
    github.viewer = "zones-of-acme[bot]";
    await step();
    await step({ payload: pullRequest(7, { head: "3".repeat(40) }), runNumber: 2 });
    expect(github.comments.map(({ author }) => author)).toEqual(["zones-of-acme[bot]"]);
  });

  test("of a later run is not overwritten by an earlier one", async () => {
    const { github, emulator, step } = await start();
    await step({ runNumber: 5 });
    const later = github.comments[0]?.body;
    emulator.edit(switched(true));
    const { code, commands } = await step({
      runNumber: 4,
      payload: pullRequest(7, { head: "3".repeat(40) }),
    });
    expect(code).toBe(0);
    expect(github.comments.map(({ body }) => body)).toEqual([later]);
    expect(commands).toContainEqual(expect.stringContaining("A later run wrote its comment"));
  });

  test("of an earlier run is updated even if the run number was reset", async () => {
    const { github, emulator, step } = await start();
    await step({ env: { GITHUB_RUN_NUMBER: "50" } });
    const earlier = github.comments[0]?.body;
    emulator.edit(switched(true));
    await step({ runNumber: 2, env: { GITHUB_RUN_NUMBER: "1" } });
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).not.toBe(earlier);
  });

  test("with changes-only is created for changes only, and updated when the changes are gone", async () => {
    const { github, workspace, step } = await start(IN_SYNC, IN_SYNC);
    const inputs = { comment: "changes-only" };
    const { outputs } = await step({ inputs });
    expect(outputs).toMatchObject({ changes: "false", effect: "none", "comment-url": "" });
    expect(github.comments).toEqual([]);
    await writeFile(path.join(workspace, "zoneward.yaml"), CONFIG);
    await step({ inputs, runNumber: 2 });
    const before = github.comments[0]?.body;
    await writeFile(path.join(workspace, "zoneward.yaml"), IN_SYNC);
    await step({ inputs, runNumber: 3, payload: pullRequest(7, { head: "3".repeat(40) }) });
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).not.toBe(before);
    expect(github.comments[0]?.body).toContain("no changes");
  });

  test("with changes-only is created for a live weakening that the files now declare", async () => {
    const { emulator, github, step } = await start(IN_SYNC, IN_SYNC.replace("false", "true"));
    const { outputs } = await step({ inputs: { comment: "changes-only", "fail-on": "weakens" } });
    expect(emulator.writes()).toEqual([]);
    expect(outputs).toMatchObject({ "exit-code": "3", effect: "weakens", changes: "true" });
    expect(github.comments[0]?.body).toContain("Already live:");
  });

  test("is a new one for each run with always-new", async () => {
    const { github, step } = await start();
    await step({ inputs: { comment: "always-new" } });
    await step({ inputs: { comment: "always-new" }, runNumber: 2 });
    expect(github.comments).toHaveLength(2);
  });

  test("is not written with comment: off or without a pull request", async () => {
    const { github, step } = await start();
    await step({ inputs: { comment: "off" } });
    await step({ event: "push", payload: { ref: "refs/heads/main" } });
    expect(github.requests).toEqual([]);
  });

  test("shows the report and request logs that were read", async () => {
    const { github, workspace, step } = await start();
    const [event, request] = [
      { CSPDirective: "script-src", PageURL: "https://shop.example.com/", URL: "https://x.example/x.js" },
      {
        ClientRequestHost: "shop.example.com",
        ClientRequestURI: "/search?q=1",
        RayID: "1",
        ZoneName: "shop.example.com",
      },
    ].map((each) => JSON.stringify(each));
    await writeFile(path.join(workspace, "events.log"), `${event}\n${request}\n`);
    const { code, log } = await step({ inputs: { events: "events.log", requests: "events.log" } });
    expect(code, log).toBe(0);
    expect(github.comments[0]?.body).toContain(
      "1 report of loads in 1 zone. Ignored: 1 line of other datasets",
    );
    const missing = await step({ runNumber: 2, inputs: { events: "nowhere/" } });
    expect([missing.code, missing.log]).toEqual([1, expect.stringContaining("nowhere/ does not exist")]);
  });

  test("shows errors in the files in place of an outdated plan", async () => {
    const { github, workspace, step } = await start();
    await step();
    await writeFile(
      path.join(workspace, "zoneward.yaml"),
      "version: 1\nzones: { shop.example.com: { setings: {} } }\n",
    );
    const { code, outputs, commands } = await step({ runNumber: 2, inputs: { "html-file": "plan.html" } });
    expect(code).toBe(1);
    expect(outputs).toMatchObject({ "exit-code": "1", "plan-file": "" });
    expect(await readFile(outputs["html-file"] ?? "", "utf8")).toContain("setings");
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain("setings");
    expect(commands).toContainEqual(expect.stringMatching(/^::error file=zoneward\.yaml,line=2,/));
  });
});

describe("zones that cannot be planned", () => {
  const OTHER = "  elsewhere.example.com:\n    settings: { enabled: true }\n";

  test("leave the output changes empty unless another zone has changes", async () => {
    const { step, workspace } = await start(`${IN_SYNC}${OTHER}`, IN_SYNC);
    const some = await step();
    expect(some.code).toBe(1);
    expect(some.outputs).toMatchObject({
      changes: "",
      effect: "",
      drift: "",
      "to-create": "0",
      weakens: "0",
    });
    expect(some.outputs.digest).toMatch(/^sha256:/);
    await writeFile(path.join(workspace, "zoneward.yaml"), `${CONFIG}${OTHER}`);
    const { outputs } = await step();
    expect(outputs).toMatchObject({ changes: "true", effect: "strengthens", "to-create": "1" });
  });

  test("leave all plan outputs empty if no zone could be planned", async () => {
    const { step } = await start(`version: 1\nzones:\n${OTHER}`);
    for (const command of ["plan", "drift"]) {
      const { code, outputs } = await step({ inputs: { command } });
      expect(code).toBe(1);
      const told = ["changes", "to-create", "to-update", "to-delete", "weakens", "effect", "drift", "digest"];
      expect(told.filter((name) => (outputs[name] ?? "") !== "")).toEqual([]);
    }
  });
});

describe("a plan", () => {
  test("annotates a weakening at its line, with the file path from the repository root", async () => {
    const { emulator, workspace, step } = await start();
    await mkdir(path.join(workspace, "infra"));
    await writeFile(path.join(workspace, "infra/zoneward.yaml"), IN_SYNC);
    emulator.edit(switched(true));
    const { code, commands } = await step({ inputs: { "working-directory": "infra" } });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringMatching(/^::warning file=infra\/zoneward\.yaml,line=4,/));
  });

  test("has no annotations with annotations: false", async () => {
    const { step } = await start();
    const { commands } = await step({ inputs: { annotations: "false" } });
    expect(commands.filter((each) => !each.startsWith("::add-mask"))).toEqual([]);
  });

  test("is written as HTML and SARIF on request", async () => {
    const { workspace, step } = await start();
    const { outputs } = await step({ inputs: { "html-file": "plan.html", "sarif-file": "plan.sarif" } });
    expect(outputs["html-file"]).toBe(path.join(workspace, "plan.html"));
    expect(await readFile(path.join(workspace, "plan.html"), "utf8")).toMatch(/^<!doctype html>/i);
    expect(JSON.parse(await readFile(outputs["sarif-file"] ?? "", "utf8")).version).toBe("2.1.0");
  });

  test("fails if a file cannot be written, and still sets its outputs", async () => {
    const { step } = await start();
    const { code, outputs } = await step({ inputs: { "html-file": "no-such-folder/plan.html" } });
    expect(code).toBe(1);
    expect(outputs).toMatchObject({ changes: "true", "html-file": "", "exit-code": "1" });
  });

  test.each([
    ["into a missing folder", "no-such-folder/plan.json", "Does its folder exist?"],
    ["over a file that is not a plan", "zoneward.yaml", "exists and is not"],
  ])("fails and outputs no path if its file cannot be written %s", async (_, file, said) => {
    const { step, workspace } = await start();
    const { code, outputs, commands, summary } = await step({ inputs: { "plan-file": file } });
    expect([code, outputs["exit-code"], outputs["plan-file"]]).toEqual([1, "1", ""]);
    expect(outputs.digest).toMatch(/^sha256:/);
    expect(commands).toContainEqual(expect.stringMatching(/^::error /));
    expect(summary).toContain(said);
    expect(await readFile(path.join(workspace, "zoneward.yaml"), "utf8")).toBe(CONFIG);
  });

  test.each(["html-file", "sarif-file"])("writes no %s over a foreign file", async (input) => {
    const { step, workspace } = await start();
    const { code, outputs, commands } = await step({ inputs: { [input]: "zoneward.yaml" } });
    expect([code, outputs["exit-code"], outputs[input]]).toEqual([1, "1", ""]);
    expect(commands).toContainEqual(expect.stringMatching(/^::error .*exists and is not/));
    expect(await readFile(path.join(workspace, "zoneward.yaml"), "utf8")).toBe(CONFIG);
  });

  test("overwrites its own HTML and SARIF files", async () => {
    const { emulator, step, workspace } = await start();
    const inputs = { "html-file": "plan.html", "sarif-file": "plan.sarif" };
    await step({ inputs });
    const before = await readFile(path.join(workspace, "plan.html"), "utf8");
    emulator.edit(switched(true));
    const { code } = await step({ inputs });
    expect(code).toBe(0);
    expect(await readFile(path.join(workspace, "plan.html"), "utf8")).not.toBe(before);
  });

  test("names inputs instead of command line flags", async () => {
    const { emulator, workspace, step } = await start();
    await writeFile(
      path.join(workspace, "zoneward.yaml"),
      `guardrails: { forbid: [service_off] }\n${IN_SYNC}`,
    );
    emulator.edit(switched(true));
    const said = await step();
    expect(said.summary).toContain(`the input allow: \`service_off@${said.outputs.digest}\``);
    const missing = await step({ inputs: { zone: "nosuch" } });
    expect(missing.summary).toContain("The input zone nosuch");
    const bare = await step({ env: { CLOUDFLARE_API_TOKEN: "" } });
    expect(bare.summary).toContain("api-token");
    expect(
      [said, missing, bare]
        .flatMap(({ summary, commands }) => [summary, ...commands])
        .filter((text) => /(^|\s)--[a-z]|demo/.test(text)),
    ).toEqual([]);
  });

  test("names the input that lifted a guardrail, in every report", async () => {
    const { emulator, github, workspace, step } = await start();
    await writeFile(path.join(workspace, "zoneward.yaml"), LIFTED);
    emulator.edit(switched(true));
    const { outputs } = await step();
    const digest = outputs.digest ?? "";
    const files = { "html-file": "plan.html", "sarif-file": "plan.sarif" };
    const lifting = `max_changes@${digest}`;
    const said = await step({ inputs: { ...files, allow: lifting }, runNumber: 2 });
    const comment = github.comments.at(-1)?.body ?? "";
    const [page, sarif] = await Promise.all(
      Object.keys(files).map((name) => readFile(said.outputs[name] ?? "", "utf8")),
    );
    expect(comment).toContain(`**Guardrail lifted by** the input allow: \`max_changes@${digest}\``);
    expect(comment).toContain(`the input allow: \`service_off@${digest}\``);
    expect(said.log).toContain("guardrail max_changes (lifted by the input allow):");
    expect(page).toContain("lifted by the input allow");
    expect(sarif).toContain(`with the input allow: NAME@${digest}`);
    const drifted = await step({
      inputs: { ...files, command: "drift", base: "" },
      event: "schedule",
      payload: {},
    });
    const driftPage = await readFile(drifted.outputs["html-file"] ?? "", "utf8");
    const told = [
      comment,
      said.summary,
      said.log,
      ...said.commands,
      page,
      sarif,
      drifted.log,
      drifted.summary,
      driftPage,
    ];
    expect(drifted.log).toContain("Without the input base, changes to the files");
    expect(told.filter((text) => FLAG.test(text?.replace(/<style>.*<\/style>/s, "") ?? ""))).toEqual([]);
  });

  test("fails the step if a guardrail of fail-on refuses the plan", async () => {
    const { emulator, workspace, step } = await start();
    await writeFile(path.join(workspace, "zoneward.yaml"), IN_SYNC);
    emulator.edit(switched(true));
    const failing = await step({ inputs: { "fail-on": "max_changes\nservice_off" } });
    expect([failing.code, failing.outputs["exit-code"]]).toEqual([1, "1"]);
    const { code, outputs } = await step({ inputs: { "fail-on": "service_off" } });
    expect([code, outputs["exit-code"], outputs.effect]).toEqual([1, "3", "weakens"]);
  });

  test("lifts a guardrail for its own digest only", async () => {
    const { emulator, workspace, step } = await start();
    await writeFile(path.join(workspace, "zoneward.yaml"), IN_SYNC);
    emulator.edit(switched(true));
    const { outputs } = await step({ inputs: { "fail-on": "service_off" } });
    const lifting = (digest: string | undefined) =>
      step({ inputs: { "fail-on": "service_off", allow: `service_off@${digest}` } });
    const lifted = await lifting(outputs.digest);
    expect([lifted.code, lifted.outputs.digest]).toEqual([0, outputs.digest]);
    const other = await lifting(`sha256:${"0".repeat(64)}`);
    expect(other.outputs["exit-code"]).toBe("3");
    expect(other.summary).toContain("was lifted for the plan");
  });

  test("accepts an approval only if its base is a commit", async () => {
    const { emulator, workspace, step } = await start();
    await mkdir(path.join(workspace, "before"));
    await writeFile(path.join(workspace, "before/zoneward.yaml"), IN_SYNC);
    await writeFile(path.join(workspace, "zoneward.yaml"), IN_SYNC);
    emulator.edit(switched(true));
    const inputs = { "fail-on": "service_off", base: "before", config: "zoneward.yaml" };
    const { outputs } = await step({ inputs });
    const approved = await step({ inputs: { ...inputs, allow: `service_off@${outputs.digest}` } });
    expect(approved.outputs).toMatchObject({ "exit-code": "3", digest: outputs.digest });
    expect(approved.summary).toContain("approval of `service_off` does not count");
  });
});

/** Two guardrails refuse to switch the service off. */
const LIFTED = `guardrails: { forbid: [service_off], max_changes: 0 }
${IN_SYNC}`;

/** A command line flag. */
const FLAG = /(?:^|[\s\x60(>])--[a-z]/m;

function manyPolicies(n: number): string {
  const policies = Array.from({ length: n }, (_, index) => {
    const value = `script-src 'self' cdn-${index}.example.com`;
    return `      - { description: "Policy ${index}", action: log, expression: 'http.host eq "h${index}.example.com"', value: "${value}" }\n`;
  });
  return `${CONFIG.split("    policies:")[0]}    policies:\n${policies.join("")}`;
}
