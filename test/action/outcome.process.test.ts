import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { canariesIn, canary } from "../support/canaries.js";
import { WORKFLOW_AUTHOR } from "../support/github.js";
import type { Step } from "../support/github-step.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { CONFIG, start, switched, written } from "./start.js";

beforeEach(() => endOfWaiting());

const MERGED = "f".repeat(40);

/** Plans a pull request, merges it, and applies the plan file. */
async function merged(config = CONFIG) {
  const started = await start(config);
  const { github, step, workspace, base } = started;
  const { outputs } = await step({ inputs: { comment: "off" } });
  const file = path.join(workspace, "reviewed.json");
  await writeFile(file, await readFile(outputs["plan-file"] ?? "", "utf8"));
  github.git.merge(7, MERGED);
  github.requests.length = 0;
  const apply = ({ inputs, ...more }: Partial<Step> = {}) =>
    step({
      event: "push",
      payload: { ref: "refs/heads/main" },
      ...more,
      inputs: { command: "apply", base, "plan-file": file, "plan-digest": outputs.digest ?? "", ...inputs },
    });
  return { ...started, apply, digest: outputs.digest ?? "" };
}

describe("the comment on the merged pull request", () => {
  test("shows what the apply did and how to roll back", async () => {
    const { github, apply, digest } = await merged();
    const { code, outputs } = await apply();
    expect(code).toBe(0);
    expect(github.comments).toMatchObject([{ on: 7, author: WORKFLOW_AUTHOR }]);
    const [{ body = "" } = {}] = github.comments;
    expect(body).toMatch(/^<!-- zoneward:applied:default -->\n<!-- zoneward-run: /);
    expect(body.split("\n").slice(2).join("\n")).toBe(`### Applied: 2 calls done, 0 failed, 0 not started

1 zone as declared.

To roll back: the command \`rollback\` with the journal of this run.

Plan: \`${digest}\`

Journal: \`${path.basename(outputs.journal ?? "")}\`, in the [artifacts of the run](https://github.example/acme/zones.config/actions/runs/9001#artifacts) if the workflow uploads it

<sub>of commit <code>ffffffffffff</code> · <a href="https://github.example/acme/zones.config/actions/runs/9001">log and full text</a></sub>
`);
    expect(outputs["comment-url"]).toContain("issuecomment");
  });

  test("is separate from the comment with the plan, and is updated by a second attempt", async () => {
    const { github, emulator, apply } = await merged();
    github.write(7, WORKFLOW_AUTHOR, "<!-- zoneward:default -->\nthe plan");
    emulator.arm({
      schedule: [1, 2, 3].map((nth) => ({ fault: "502-before", method: "POST", nth }) as const),
    });
    const first = await apply();
    expect(first.code).toBe(1);
    const before = github.comments.map(({ body }) => body);
    expect(before[0]).toBe("<!-- zoneward:default -->\nthe plan");
    expect(before[1]).toContain("Partly applied: 1 call done, 1 failed, 0 not started");
    expect(before[1]).toContain("0 of 1 zone as declared.");
    expect(before[1]).toContain("502");
    expect(before[1]).toContain("Run the job again: only the remaining calls are made.");
    const again = await apply({ env: { GITHUB_RUN_ATTEMPT: "2" } });
    expect(again.code, again.log).toBe(0);
    expect(github.comments).toHaveLength(2);
    expect(github.comments[1]?.body).toContain("### Applied: 1 call done, 0 failed, 0 not started");
  });

  test("says that nothing was applied, and why", async () => {
    const { github, apply } = await merged();
    await apply({ inputs: { "plan-digest": `sha256:${"0".repeat(64)}` } });
    expect(github.comments[0]?.body).toContain("### Not applied: nothing was written");
    expect(github.comments[0]?.body).toContain("Not the approved plan");
    expect(github.comments[0]?.body).toContain("have that plan approved");
  });

  test("goes to the pull request whose merge made the commit, if several contain the commit", async () => {
    const { github, apply } = await merged();
    github.git.pulls.length = 0;
    github.git.merge(3, MERGED, "release");
    github.git.merge(4, MERGED);
    await apply();
    expect(github.comments.map(({ on }) => on)).toEqual([4]);
  });

  test("is written for a run started by hand", async () => {
    const { github, apply } = await merged();
    await apply({ event: "workflow_dispatch", payload: {} });
    expect(github.comments.map(({ on }) => on)).toEqual([7]);
  });

  test.each<[string, Partial<Step>]>([
    ["for a tag", { env: { GITHUB_REF: "refs/tags/v1" } }],
    ["for another branch", { env: { GITHUB_REF: "refs/heads/release" } }],
    ["for a commit without a pull request", { env: { GITHUB_SHA: "e".repeat(40) } }],
    ["with comment: off", { inputs: { comment: "off" } }],
  ])("is not written %s", async (_, step) => {
    const { github, apply } = await merged();
    const { code, commands } = await apply(step);
    expect([code, written(github.requests)]).toEqual([0, []]);
    expect(commands.filter((each) => each.startsWith("::warning"))).toEqual([]);
  });

  test("is not written with changes-only if there was nothing to do", async () => {
    const { github, emulator, apply } = await merged(CONFIG.split("    policies:")[0]);
    emulator.edit(switched(true));
    await apply({ inputs: { comment: "changes-only" } });
    expect(written(github.requests)).toEqual([]);
  });

  test.each([/^GET \/commits/, /^POST /])(
    "causes a warning and no failure if it cannot be written (%s)",
    async (which) => {
      const { github, emulator, apply } = await merged();
      github.fault = (method, at) =>
        which.test(`${method} ${at}`) && at !== "/graphql" ? { status: 403 } : null;
      const { code, commands } = await apply();
      expect([code, emulator.writes().length]).toEqual([0, 2]);
      expect(commands).toContainEqual(expect.stringMatching(/^::warning .*pull-requests: write/));
    },
  );

  test("of a newer run is not overwritten by an older one", async () => {
    const { github, apply } = await merged();
    await apply({ runNumber: 5 });
    const later = github.comments[0]?.body;
    const { commands } = await apply({ runNumber: 4, inputs: { "max-age": "0" } });
    expect(github.comments.map(({ body }) => body)).toEqual([later]);
    expect(commands).toContainEqual(expect.stringContaining("A later run wrote its comment"));
  });

  test("contains no secret", async () => {
    const { github, apply } = await merged();
    const secret = canary("named");
    await apply({ env: { CLOUDFLARE_API_KEY: secret }, inputs: { "plan-file": `${secret}.json` } });
    expect(github.comments[0]?.body).toContain("[redacted].json");
    expect(github.comments.flatMap(({ body }) => canariesIn(body))).toEqual([]);
  });
});
