import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { OUTPUTS } from "../../src/action/outcome.js";
import { folderWith } from "../support/cli.js";
import { startGitHub } from "../support/github.js";
import { pullRequest, runStep } from "../support/github-step.js";
import { HOSTILE, harmIn } from "../support/hostile.js";
import { refusing, serving } from "../support/hostile-service.js";
import { hostileState, PRUNING } from "../support/hostile-state.js";
import { rendered } from "../support/markdown.js";
import { everyNth, isDeep } from "../support/random.js";

/** The long texts to try. Other tests cover the rest. */
const LONG: readonly string[] = ["a long word", "long lines", "long harm"];

const all = Object.entries(HOSTILE).filter(([name, text]) => text.length < 1_000 || LONG.includes(name));

const texts = isDeep ? all : everyNth(all, 4);

/**
 * The HTML elements that our Markdown may produce. None of them loads, runs or links to anything but the
 * run.
 */
const ELEMENTS =
  /^(#comment|a|\[href\]|blockquote|br|code|del|details|em|h[2-5]|hr|input|li|ol|p|pre|strong|sub|summary|table|tbody|td|th|thead|tr|ul|\[align\]|\[open\]|\[start\])$/;

describe("hostile text from the service is escaped on a pull request", () => {
  test.each(texts)("%s", async (_, text) => {
    const { env } = await serving(hostileState(text));
    const workspace = await folderWith({ "zoneward.yaml": PRUNING });
    await harmless(workspace, env, {});
  });
});

describe("hostile text from the files is escaped on a pull request", () => {
  test.each(texts)("%s", async (_, text) => {
    const { env } = await serving(hostileState("usual"));
    const config = {
      version: 1,
      zones: {
        "shop.example.com": {
          policies: [{ description: text, action: "log", expression: "true", value: "script-src 'self'" }],
          logpush_jobs: [{ name: text, fields: [text], extra: { [text]: text } }],
        },
        [text]: {},
      },
    };
    const workspace = await folderWith({ "zoneward.yaml": JSON.stringify(config) });
    await harmless(workspace, env, {});
    await harmless(workspace, env, { command: "validate" });
  });
});

test("hostile answers to an apply are escaped in the step's output", async () => {
  for (const [, text] of all.filter(([name]) => name.includes("command") || name === "Markdown")) {
    const { env } = await serving(hostileState(text), refusing(text));
    const workspace = await folderWith({ "zoneward.yaml": PRUNING });
    const planned = await runStep({ workspace, env, inputs: {} });
    const file = path.join(workspace, "plan.json");
    await writeFile(file, await readFile(planned.outputs["plan-file"] ?? "", "utf8"));
    await harmless(workspace, env, { command: "apply", "plan-file": file }, "push");
  }
}, 60_000);

async function harmless(
  workspace: string,
  env: Readonly<Record<string, string>>,
  inputs: Readonly<Record<string, string>>,
  event = "pull_request",
) {
  const github = await startGitHub();
  github.git.merge(7, "f".repeat(40));
  const payload = event === "pull_request" ? pullRequest(7) : {};
  const { code, raw, log, commands, outputs, summary } = await runStep({
    workspace,
    github,
    event,
    payload,
    env,
    inputs: { "sarif-file": "found.sarif", ...inputs },
  });
  expect([0, 1], raw.slice(0, 2_000)).toContain(code);
  expect(harmIn(log, "people"), log.slice(0, 2_000)).toEqual([]);
  expect(log).not.toMatch(/^ +at .*\(.*:\d+:\d+\)$/m);
  const ours = /^::(add-mask::|error |warning )/;
  expect(commands.filter((each) => !ours.test(each) || /^::\w+ file=a\.js|,file=a\.js/.test(each))).toEqual(
    [],
  );
  expect(harmIn(commands.map((each) => each.replace(/^::/, "")).join("\n"), "programs")).toEqual([]);
  expect(Object.keys(outputs).filter((name) => !(OUTPUTS as readonly string[]).includes(name))).toEqual([]);
  expect(github.comments).toHaveLength(inputs.command === "validate" ? 0 : 1);
  for (const markdown of [summary, ...github.comments.map(({ body }) => body)]) {
    expect(harmIn(markdown, "programs")).toEqual([]);
    const { elements, words } = rendered(markdown);
    expect(Object.keys(elements).filter((each) => !ELEMENTS.test(each))).toEqual([]);
    expect(words).not.toMatch(/@team|#1\b/);
    expect(markdown.match(/href="[^"]*"/g) ?? []).toEqual(
      markdown === summary ? [] : ['href="https://github.example/acme/zones.config/actions/runs/9001"'],
    );
  }
}
