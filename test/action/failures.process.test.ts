import { describe, expect, onTestFinished, test } from "vitest";
import { pullRequest } from "../support/github-step.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { start, written } from "./start.js";

describe("a comment that GitHub refuses", () => {
  test.each([403, 404])(
    "for lack of permission (%i) is a warning, and the plan is in the summary",
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

  test.each([429, 403])(
    "because of a rate limit (%i) is sent again after the requested pause",
    async (status) => {
      const waits: number[] = [];
      onTestFinished(endOfWaiting(waits));
      const { github, step } = await start();
      let refused = 0;
      github.fault = (method, path) =>
        method === "POST" && path.endsWith("/comments") && refused++ === 0
          ? { status, headers: { "retry-after": "1" } }
          : null;
      await step();
      expect(waits).toEqual([1_000]);
      expect(github.comments).toHaveLength(1);
    },
  );

  test("because of a long rate limit is not waited for", async () => {
    const { github, step } = await start();
    github.fault = (_, path) =>
      path.endsWith("/comments") ? { status: 429, headers: { "retry-after": "3600" } } : null;
    const { code, commands } = await step();
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("was answered with 429"));
    expect(github.requests.filter((each) => each.includes("comments"))).toHaveLength(1);
  });

  test("after a lost answer exists once", async () => {
    const { github, step } = await start();
    let lost = 0;
    github.fault = (method, path) =>
      method === "POST" && path.endsWith("/comments") && lost++ === 0 ? "lost" : null;
    const { code, outputs } = await step();
    expect(code).toBe(0);
    expect(github.comments).toHaveLength(1);
    expect(outputs["comment-url"]).toContain("issuecomment");
  });

  test("with a server error is sent once more", async () => {
    const { github, step } = await start();
    let failed = 0;
    github.fault = (method, path) =>
      method === "POST" && path.endsWith("/comments") && failed++ === 0 ? { status: 502 } : null;
    await step();
    expect(github.comments).toHaveLength(1);
  });

  test("with repeated server errors is given up with a warning", async () => {
    onTestFinished(endOfWaiting());
    const { github, step } = await start();
    github.fault = (method) => (method === "GET" ? { status: 503 } : null);
    const { code, commands } = await step();
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("out of date"));
    expect(github.requests.filter((each) => each.startsWith("GET"))).toHaveLength(4);
  });

  test("because it was deleted is replaced by a new one", async () => {
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

  test("because of a secondary rate limit is not blamed on permissions", async () => {
    const { github, step } = await start();
    const message = "You have exceeded a secondary rate limit.";
    github.fault = (method, path) =>
      method === "POST" && path.endsWith("/comments") ? { status: 403, message } : null;
    const { commands } = await step();
    expect(commands).toContainEqual(expect.stringMatching(/^::warning .*GitHub's rate limit/));
    expect(commands.filter((each) => each.includes("pull-requests: write"))).toEqual([]);
  });

  test("because of an invalid token causes a warning", async () => {
    const { github, step } = await start();
    const { code, commands } = await step({ inputs: { "github-token": "two words\u0001" } });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("another invalid character"));
    expect(github.requests).toEqual([]);
  });

  test("is not looked for among others if GitHub does not reveal the token's user", async () => {
    const { github, step } = await start();
    github.viewer = null;
    await step();
    await step({ payload: pullRequest(7, { head: "3".repeat(40) }), runNumber: 2 });
    expect(github.comments).toHaveLength(1);
  });

  test("is found and not duplicated if GitHub reveals the token's user only on a retry", async () => {
    const { github, step } = await start();
    github.viewer = "zones-of-acme[bot]";
    await step();
    let failed = 0;
    github.fault = (_, path) => (path === "/graphql" && failed++ === 0 ? { status: 502 } : null);
    await step({ payload: pullRequest(7, { head: "3".repeat(40) }), runNumber: 2 });
    expect(failed).toBeGreaterThan(1);
    expect(github.comments).toHaveLength(1);
  });

  test("because GitHub is unreachable causes a warning", async () => {
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

test("an unwritable summary causes a warning, and the comment is still written", async () => {
  const { workspace, github, step } = await start();
  const { code, commands, outputs } = await step({ env: { GITHUB_STEP_SUMMARY: workspace } });
  expect([code, outputs.changes]).toEqual([0, "true"]);
  expect(github.comments).toHaveLength(1);
  const warnings = commands.filter((each) => each.startsWith("::warning title=Summary not written"));
  expect(warnings).toEqual([expect.stringContaining(workspace)]);
});

test("an unexpected error fails the step with a message and without a stack trace", async () => {
  const { workspace, step } = await start();
  const { code, log, commands } = await step({ env: { GITHUB_OUTPUT: workspace } });
  expect(code).toBe(1);
  expect(commands).toContainEqual(expect.stringMatching(/^::error title=Internal error::/));
  expect(log).not.toMatch(/^\s+at /m);
});
