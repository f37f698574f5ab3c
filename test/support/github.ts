import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { Pulls } from "./github-pulls.js";

export const REPOSITORY = "acme/zones.config";
export const GITHUB_TOKEN = "ghs_standInTokenOfTheWorkflow0123456789";
export const WORKFLOW_AUTHOR = "github-actions[bot]";

export interface Comment {
  readonly id: number;
  /** The number of the issue or pull request. */
  readonly on: number;
  readonly author: string;
  body: string;
}

export interface Issue {
  readonly number: number;
  readonly author: string;
  readonly title: string;
  labels: readonly string[];
  readonly isPull: boolean;
  body: string;
  state: "open" | "closed";
}

/** The answer to a request in place of the usual one; null: the usual one. */
export type Fault = (
  method: string,
  path: string,
) =>
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      /** GitHub's answer to it. */
      readonly message?: string;
    }
  | "lost"
  | null;

export interface StandIn {
  readonly url: string;
  readonly comments: Comment[];
  readonly issues: Issue[];
  /** Pull requests, branches and commits. */
  readonly git: Pulls;
  /** For example `POST /issues/7/comments`, without the repository and the query. */
  readonly requests: string[];
  fault: Fault;
  /** The token's user; null: GitHub does not tell. */
  viewer: string | null;
  /** A comment or issue by another user. */
  write(on: number, author: string, body: string): Comment;
}

const MAX_BODY_CHARS = 65_536;

/** GitHub's API on loopback, limited to what the Action may use, and as strict as GitHub. */
export async function startGitHub(): Promise<StandIn> {
  let next = 1;
  const standIn: Omit<StandIn, "url"> = {
    comments: [],
    issues: [],
    git: new Pulls(REPOSITORY),
    requests: [],
    fault: () => null,
    viewer: WORKFLOW_AUTHOR,
    write(on, author, body) {
      const comment = { id: next++, on, author, body };
      standIn.comments.push(comment);
      return comment;
    },
  };
  const server = createServer((request, response) => {
    void textOf(request).then((body) => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  const url = `http://127.0.0.1:${port}`;
  return Object.assign(standIn, { url });

  function answer(request: IncomingMessage, response: ServerResponse, text: string): void {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    const path = pathname.replace(`/repos/${REPOSITORY}`, "");
    const method = request.method ?? "";
    standIn.requests.push(`${method} ${path}`);
    const fault = standIn.fault(method, path);
    if (fault === "lost" || fault === null) {
      const said = handle(method, path, searchParams, text, request);
      if (fault === "lost") response.destroy();
      else send(response, said);
    } else send(response, { ...fault, value: { message: fault.message ?? `stood in for ${fault.status}` } });
  }

  function handle(
    method: string,
    path: string,
    query: URLSearchParams,
    text: string,
    request: IncomingMessage,
  ): Said {
    if (request.headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return refusal(401);
    if (request.headers["x-github-api-version"] === undefined) return refusal(400);
    if (path === "/graphql")
      return {
        status: 200,
        value: { data: standIn.viewer === null ? null : { viewer: { login: standIn.viewer } } },
      };
    const body = text === "" ? {} : JSON.parse(text);
    if (typeof body.body === "string" && body.body.length > MAX_BODY_CHARS) return refusal(422);
    const comments = /^\/issues\/(\d+)\/comments$/.exec(path);
    if (comments !== null) {
      const on = Number(comments[1]);
      if (method === "POST")
        return { status: 201, value: shownComment(standIn.write(on, author(), body.body)) };
      return paged(standIn.comments.filter((each) => each.on === on).map(shownComment), path, query);
    }
    const comment = standIn.comments.find(({ id }) => path === `/issues/comments/${id}`);
    if (comment !== undefined && method === "PATCH") {
      comment.body = body.body;
      return { status: 200, value: shownComment(comment) };
    }
    if (path === "/issues" && method === "POST") {
      const { title, labels } = body;
      const issue: Issue = {
        number: 100 + next++,
        author: author(),
        title,
        labels,
        isPull: false,
        body: body.body,
        state: "open",
      };
      standIn.issues.push(issue);
      return { status: 201, value: shownIssue(issue) };
    }
    if (path === "/issues") {
      const [label, creator] = [query.get("labels"), query.get("creator")];
      const found = standIn.issues.filter(
        (each) =>
          each.state === query.get("state") &&
          (label === null || each.labels.includes(label)) &&
          (creator === null || each.author === creator),
      );
      return paged(found.map(shownIssue), path, query);
    }
    const issue = standIn.issues.find(({ number }) => path === `/issues/${number}`);
    if (issue !== undefined && method === "PATCH") {
      Object.assign(issue, body);
      return { status: 200, value: shownIssue(issue) };
    }
    const said = standIn.git.handle(method, path, query, body, author());
    if (said === null) return refusal(404);
    return Array.isArray(said.value) ? paged(said.value, path, query) : said;
  }

  function author(): string {
    return standIn.viewer ?? WORKFLOW_AUTHOR;
  }

  function paged(all: readonly unknown[], path: string, query: URLSearchParams): Said {
    const [size, page] = [Math.min(100, Number(query.get("per_page") ?? 30)), Number(query.get("page") ?? 1)];
    const isLast = page * size >= all.length;
    const address = `${url}/repos/${REPOSITORY}${path}?page=${page + 1}`;
    return {
      status: 200,
      value: all.slice((page - 1) * size, page * size),
      ...(isLast ? {} : { headers: { link: `<${address}>; rel="next", <${address}>; rel="last"` } }),
    };
  }
}

interface Said {
  readonly status: number;
  readonly value: unknown;
  readonly headers?: Record<string, string>;
}

function refusal(status: number): Said {
  return { status, value: { message: `refused with ${status}` } };
}

function send(response: ServerResponse, { status, value, headers = {} }: Said): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(status === 204 ? undefined : JSON.stringify(value));
}

function shownComment({ id, on, author, body }: Comment) {
  return { id, body, user: userOf(author), html_url: `https://github.example/${on}#issuecomment-${id}` };
}

function shownIssue({ number, author, body, labels, state, isPull }: Issue) {
  const names = labels.map((name) => ({ name }));
  const pull = isPull ? { pull_request: {} } : {};
  return {
    number,
    body,
    labels: names,
    state,
    user: userOf(author),
    html_url: `https://github.example/issues/${number}`,
    ...pull,
  };
}

function userOf(login: string) {
  return { login, type: login.endsWith("[bot]") ? "Bot" : "User" };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
