import { describe, expect, test } from "vitest";
import { pullRequest } from "../support/github-step.js";
import { start, written } from "./start.js";

describe("a comment that GitHub does not take", () => {
  test.each([403, 404])(
    "because the token may not write (%i) is a warning, and the plan is in the summary",
    async (status) => {
      const { github, step } = await start();
      github.fault = (method, path) => (method === "POST" && path.endsWith("/comments") ? { status } : null);
      const { code, commands, summary, outputs } = await step();
      expect(code).toBe(0);
      expect(commands).toContainEqual(
        expect.stringMatching(/^::warning .*pull-requests%3A write|^::warning .*pull-requests: write/),
      );
      expect(summary).toContain(outputs.digest);
      expect(written(github.requests)).toEqual(["POST /issues/7/comments"]);
    },
  );

  test("because it is too long is sent again, shorter", async () => {
    const { github, step } = await start();
    let refused = 0;
    github.fault = (method, path) =>
      method === "POST" && path.endsWith("/comments") && refused++ === 0 ? { status: 422 } : null;
    const { code, outputs } = await step();
    expect(code).toBe(0);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain(outputs.digest);
  });

  test.each([429, 403])(
    "because of a limit (%i) is sent again after the pause that is asked for",
    async (status) => {
      const { github, step } = await start();
      let refused = 0;
      github.fault = (method, path) =>
        method === "POST" && path.endsWith("/comments") && refused++ === 0
          ? { status, headers: { "retry-after": "1" } }
          : null;
      const startedMs = Date.now(); // a busy machine makes it later, never sooner
      await step();
      expect(Date.now() - startedMs).toBeGreaterThanOrEqual(1_000);
      expect(github.comments).toHaveLength(1);
    },
  );

  test("because of a limit that lasts is not waited for", async () => {
    const { github, step } = await start();
    github.fault = (_, path) =>
      path.endsWith("/comments") ? { status: 429, headers: { "retry-after": "3600" } } : null;
    const { code, commands } = await step();
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("was answered with 429"));
    expect(github.requests.filter((each) => each.includes("comments"))).toHaveLength(1);
  });

  test("and of which the answer is lost is there once", async () => {
    const { github, step } = await start();
    let lost = 0;
    github.fault = (method, path) =>
      method === "POST" && path.endsWith("/comments") && lost++ === 0 ? "lost" : null;
    const { code, outputs } = await step();
    expect(code).toBe(0);
    expect(github.comments).toHaveLength(1);
    expect(outputs["comment-url"]).toContain("issuecomment");
  });

  test("and that was certainly not taken is sent once more", async () => {
    const { github, step } = await start();
    let failed = 0;
    github.fault = (method, path) =>
      method === "POST" && path.endsWith("/comments") && failed++ === 0 ? { status: 502 } : null;
    await step();
    expect(github.comments).toHaveLength(1);
  });

  test("because GitHub fails again and again is given up with a warning", async () => {
    const { github, step } = await start();
    github.fault = (method) => (method === "GET" ? { status: 503 } : null);
    const { code, commands } = await step();
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("out of date"));
    expect(github.requests.filter((each) => each.startsWith("GET"))).toHaveLength(4);
  });

  test("because somebody has deleted it meanwhile is another one", async () => {
    const { github, step } = await start();
    await step();
    github.fault = (method) => {
      if (method !== "PATCH") return null;
      github.comments.length = 0;
      return { status: 404 };
    };
    const { code, outputs } = await step({
      payload: pullRequest(7, { head: "3".repeat(40) }),
      runNumber: 2,
    });
    expect(code).toBe(0);
    expect(github.comments).toHaveLength(1);
    expect(outputs["comment-url"]).toContain(`issuecomment-${github.comments[0]?.id}`);
  });

  test("because of a limit that GitHub tells in words alone is no question of permissions", async () => {
    const { github, step } = await start();
    const message = "You have exceeded a secondary rate limit.";
    github.fault = (method, path) =>
      method === "POST" && path.endsWith("/comments") ? { status: 403, message } : null;
    const { commands } = await step();
    expect(commands).toContainEqual(expect.stringMatching(/^::warning .*GitHub's rate limit/));
    expect(commands.filter((each) => each.includes("pull-requests: write"))).toEqual([]);
  });

  test("because the token is not one is told", async () => {
    const { github, step } = await start();
    const { code, commands } = await step({ inputs: { "github-token": "two words\u0001" } });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("another invalid character"));
    expect(github.requests).toEqual([]);
  });

  test("leaves the comments of others alone where GitHub does not say who the token is", async () => {
    const { github, step } = await start();
    github.viewer = null;
    await step();
    await step({ payload: pullRequest(7, { head: "3".repeat(40) }), runNumber: 2 });
    expect(github.comments).toHaveLength(1);
  });

  test("is not written beside the one that is there, where GitHub first fails to say who the token is", async () => {
    const { github, step } = await start();
    github.viewer = "zones-of-acme[bot]";
    await step();
    let failed = 0;
    github.fault = (_, path) => (path === "/graphql" && failed++ === 0 ? { status: 502 } : null);
    await step({ payload: pullRequest(7, { head: "3".repeat(40) }), runNumber: 2 });
    expect(failed).toBeGreaterThan(1);
    expect(github.comments).toHaveLength(1);
  });

  test("because no GitHub is there is a warning", async () => {
    const { step } = await start();
    const { code, commands } = await step({
      env: { GITHUB_API_URL: "http://127.0.0.1:9", GITHUB_GRAPHQL_URL: "http://127.0.0.1:9/graphql" },
    });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("got no answer"));
  });

  test("is never sent without TLS to another machine", async () => {
    const { step } = await start();
    const { code, commands } = await step({ env: { GITHUB_API_URL: "http://192.0.2.1" } });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("GITHUB_API_URL is plain http"));
  });
});

test("a summary that cannot be written is named, and the comment is there all the same", async () => {
  const { workspace, github, step } = await start();
  const { code, commands, outputs } = await step({ env: { GITHUB_STEP_SUMMARY: workspace } });
  expect([code, outputs.changes]).toEqual([0, "true"]);
  expect(github.comments).toHaveLength(1);
  const warnings = commands.filter((each) => each.startsWith("::warning title=Summary not written"));
  expect(warnings).toEqual([expect.stringContaining(workspace)]);
});

test("what nobody has foreseen fails the step, with a message and without a stack", async () => {
  const { workspace, step } = await start();
  const { code, log, commands } = await step({ env: { GITHUB_OUTPUT: workspace } });
  expect(code).toBe(1);
  expect(commands).toContainEqual(expect.stringMatching(/^::error title=Internal error::/));
  expect(log).not.toMatch(/^\s+at /m);
});
