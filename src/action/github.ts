import { setTimeout as sleep } from "node:timers/promises";
import { checkBaseUrl, proxyFrom } from "../api/connect.js";
import { afterBreak, afterPause, type Next } from "../api/retry.js";
import { type Answer, type Broken, headerText, Wire } from "../api/transport.js";
import { cutEnd } from "../model/cut.js";
import { isList, isObject, type Json } from "../model/json.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import { inputText, type StepEnvironment } from "./inputs.js";
import type { StepContext } from "./outcome.js";
import type { WorkflowRun } from "./workflow-run.js";

/** The part of GitHub's API that a step needs. Paths are relative to the repository. */
export interface GitHub {
  get(path: string): Promise<Reply<Json>>;
  /** All pages of a list. */
  list(path: string): Promise<Reply<readonly Json[]>>;
  /** @param body null: no body */
  send(method: "POST" | "PATCH" | "DELETE", path: string, body: Json): Promise<Reply<Json>>;
  /** The login that this token writes as. */
  author(): Promise<Reply<string>>;
  close(): Promise<void>;
}

export type Reply<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Refusal);

export interface Refusal {
  /** null: no answer. */
  readonly status: number | null;
  /** A sentence without its full stop. */
  readonly why: string;
  /** GitHub limits the token. */
  readonly isLimited: boolean;
  /** Whether the call may have taken effect. */
  readonly isUnsure: boolean;
}

const PER_PAGE = 100;
const MAX_PAGES = 100;
const MAX_TRIES = 4;
/** Waiting costs minutes of the job, so longer pauses are refused. */
const MAX_WAIT_MS = 60_000;

/** The author of everything written with a workflow's own token. */
const WORKFLOW_AUTHOR = "github-actions[bot]";

/** Runs work with a client for the run's repository. Fails if something is missing for it. */
export async function withGitHub<T>(
  { environment, run }: Pick<StepContext, "environment" | "run">,
  work: (github: GitHub) => Promise<T>,
): Promise<Result<T>> {
  const github = gitHubOf(environment, run);
  if (!github.ok) return github;
  try {
    return ok(await work(github.value));
  } finally {
    await github.value.close();
  }
}

function gitHubOf(environment: StepEnvironment, run: WorkflowRun): Result<GitHub> {
  const token = inputText(environment, "github-token");
  const api = checkBaseUrl(environment.GITHUB_API_URL || "https://api.github.com", "GITHUB_API_URL");
  const graph = checkBaseUrl(
    environment.GITHUB_GRAPHQL_URL || "https://api.github.com/graphql",
    "GITHUB_GRAPHQL_URL",
  );
  if (!api.ok) return api;
  if (!graph.ok) return graph;
  const proxy = proxyFrom(api.value, environment);
  if (!proxy.ok) return proxy;
  const missing = whatIsMissing(token, run);
  if (missing !== null) return failed(problem("no_github", "Cannot use GitHub's API", missing));
  const reach = (baseUrl: string) =>
    new Wire({
      baseUrl,
      credential: { as: "token", token },
      concurrency: 1,
      rates: [],
      timeoutMs: 30_000,
      maxWaitMs: MAX_WAIT_MS,
      maxBodyBytes: 32 * 1024 * 1024,
      userAgent: "zoneward",
      headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
      ...(proxy.value === null ? {} : { proxy: proxy.value }),
    });
  // The base address carries the repository, as its name may have dots, which no path of a call may have.
  return ok(
    clientOf(reach(`${api.value}/repos/${run.repository}`), reach(graph.value.replace(/\/graphql$/, ""))),
  );
}

function whatIsMissing(token: string, { repository }: WorkflowRun): string | null {
  if (repository === "" || token === "")
    return "Set the input github-token. The runner sets GITHUB_REPOSITORY.";
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return null;
  return "The input github-token has a space, a line end or another invalid character, or is too long. Give the bare token.";
}

function clientOf(repository: Wire, graph: Wire): GitHub {
  const get = async (path: string) => contents(await exchange(repository, "GET", path, null));
  return {
    get,
    send: async (method, path, body) =>
      contents(await exchange(repository, method, path, body === null ? null : JSON.stringify(body))),
    list: (path) => allPages(repository, path),
    async author() {
      // An installation token, such as the workflow's own, may not read /user, but may ask this.
      const query = JSON.stringify({ query: "query { viewer { login } }" });
      const reply = contents(await exchange(graph, "POST", "/graphql", query, true));
      const mayNotAsk = !reply.ok && reply.status !== null && reply.status < 500 && reply.status !== 429;
      if (!reply.ok && !mayNotAsk) return reply;
      return { ok: true, value: (reply.ok ? loginIn(reply.value) : null) ?? WORKFLOW_AUTHOR };
    },
    async close() {
      await Promise.all([repository.close(), graph.close()]);
    },
  };
}

function loginIn(value: Json): string | null {
  const data = isObject(value) ? value.data : null;
  const viewer = isObject(data) ? data.viewer : null;
  const login = isObject(viewer) ? viewer.login : null;
  return typeof login === "string" && login !== "" ? login : null;
}

/** `Link` only tells whether there is a next page. Its address is never followed. */
async function allPages(wire: Wire, path: string): Promise<Reply<readonly Json[]>> {
  const items: Json[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const paged = `${path}${path.includes("?") ? "&" : "?"}per_page=${PER_PAGE}&page=${page}`;
    const answer = await exchange(wire, "GET", paged, null);
    const reply = contents(answer);
    if (!reply.ok) return reply;
    if (!isList(reply.value)) return unlisted(`${path} is not a list`);
    items.push(...reply.value);
    const isLast = !("headers" in answer) || !/;\s*rel="?next"?/.test(headerText(answer.headers, "link"));
    if (isLast || reply.value.length === 0) return { ok: true, value: items };
  }
  return unlisted(`${path} has more than ${MAX_PAGES} pages`);
}

function unlisted(why: string): Extract<Reply<never>, { ok: false }> {
  return { ok: false, status: null, why, isLimited: false, isUnsure: false };
}

type Exchange = (Answer | Broken) & { readonly call: string };

/** One call, repeated only while it certainly had no effect or may safely run twice. */
async function exchange(
  wire: Wire,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body: string | null,
  isRepeatable = method !== "POST",
): Promise<Exchange> {
  for (let tries = 1; ; tries++) {
    const answer = await wire.send({ method, path }, body);
    const next = nextAfter(answer, isRepeatable, tries);
    if (next.as !== "again") return { ...answer, call: `${method} ${path}` };
    await sleep(next.waitMs);
  }
}

/** GitHub has its own rate limit answers. Other failures are treated as everywhere. */
function nextAfter(answer: Answer | Broken, isRepeatable: boolean, tries: number): Next {
  const moment = { tries, maxWaitMs: MAX_WAIT_MS, random: Math.random() };
  if (answer.as === "broken") return afterBreak(answer, isRepeatable, moment, MAX_TRIES);
  if (isLimited(answer)) return afterPause(askedMs(answer), moment, MAX_TRIES);
  return answer.status >= 500 && isRepeatable ? afterPause(null, moment, MAX_TRIES) : { as: "done" };
}

/** GitHub limits with 429, and with 403 too. */
function isLimited({ status, headers }: Answer): boolean {
  const isSpent =
    headerText(headers, "retry-after") !== "" || headerText(headers, "x-ratelimit-remaining") === "0";
  return status === 429 || (status === 403 && isSpent);
}

function askedMs({ headers }: Answer): number | null {
  const retryAfter = headerText(headers, "retry-after");
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000 || null;
  const reset = headerText(headers, "x-ratelimit-reset");
  if (headerText(headers, "x-ratelimit-remaining") !== "0" || !/^\d{1,12}$/.test(reset)) return null;
  return Math.max(1_000, Number(reset) * 1000 - Date.now());
}

function contents(answer: Exchange): Reply<Json> {
  const { call } = answer;
  if (answer.as === "broken")
    return {
      ok: false,
      status: null,
      why: `${call} got no answer: ${answer.why}`,
      isLimited: false,
      isUnsure: answer.sent !== false,
    };
  const { status } = answer;
  const value = jsonIn(answer.body);
  if (status === 204) return { ok: true, value: null };
  if (status >= 200 && status < 300 && value !== undefined) return { ok: true, value };
  const message = value !== undefined && isObject(value) ? value.message : null;
  const reason = typeof message === "string" ? cutEnd(message, 300) : "";
  return {
    ok: false,
    status,
    why: `${call} was answered with ${status}${reason === "" ? "" : `: ${reason}`}`,
    // GitHub announces its secondary limits only in the message.
    isLimited: isLimited(answer) || /\brate limit/i.test(reason),
    isUnsure: status >= 500,
  };
}

function jsonIn(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Permissions of a job, as a workflow's `permissions:` names them. */
type Permission = "pull-requests" | "issues" | "contents";

/**
 * Advice for a refusal by GitHub; null: none.
 *
 * @param permission the permission that the job needs for this write
 */
export function refusalAdvice({ status, why, isLimited }: Refusal, permission: Permission): string | null {
  if (isLimited)
    return "GitHub's rate limit asks for a longer pause than a step can wait. Run the job again later.";
  // Here the permission alone is not enough.
  if (/not permitted to create or approve pull requests/i.test(why))
    return `Tick "Allow GitHub Actions to create and approve pull requests" under Settings → Actions → General of the repository, and of its organisation if it is off there, or give the input github-token a token of a GitHub App.`;
  switch (status) {
    case 401:
      return "The token is invalid or expired. A workflow's own token ends with its job.";
    case 403:
    case 404:
      return `The token may not write here. Give the job permissions: ${permission}: write. Runs for forks never have it.`;
    case 410:
      return "Issues are off for this repository. Turn them on in its settings.";
    default:
      return null;
  }
}
