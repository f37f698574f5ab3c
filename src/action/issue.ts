import { isObject, type Json } from "../model/json.js";
import type { GitHub, Reply } from "./github.js";
import { isMarked, marked, shownIn, type Written } from "./marker.js";

/** What is to be said of drift. */
export interface Drift {
  readonly label: string;
  readonly by: Written;
  /** Null: there is none, and it is known that there is none. */
  readonly text: string | null;
}

const LABEL = "zoneward-drift";

/** Keeps one issue open while something was changed outside the files, says in it what, and closes it when all is well. */
export async function driftIssue(github: GitHub, { label, by, text }: Drift): Promise<Reply<string | null>> {
  const [author, open] = await Promise.all([
    github.author(),
    github.list(`/issues?state=open&labels=${LABEL}`),
  ]);
  if (!author.ok) return author;
  if (!open.ok) return open;
  const own = open.value
    .flatMap((each) => ownIn(each, author.value) ?? [])
    .find(({ body }) => isMarked(name(label), body));
  if (text === null) return own === undefined ? { ok: true, value: null } : close(github, own);
  const body = marked(name(label), by, text);
  if (own === undefined)
    return urlOf(await github.send("POST", "/issues", { title: titleOf(label), body, labels: [LABEL] }));
  if (shownIn(own.body) === shownIn(body)) return { ok: true, value: own.url };
  return urlOf(await github.send("PATCH", `/issues/${own.number}`, { body }));
}

/** Comments and issues are never taken for each other. */
function name(label: string): string {
  return `drift:${label}`;
}

function titleOf(label: string): string {
  const which = label === "default" ? "" : ` (${label})`;
  return `Something was changed outside the files${which}`;
}

interface OwnIssue {
  readonly number: number;
  readonly body: string;
  readonly url: string;
}

function ownIn(value: Json, author: string): OwnIssue | null {
  // GitHub lists pull requests as issues too.
  if (!isObject(value) || value.pull_request !== undefined) return null;
  const { number, body, html_url: url, user } = value;
  if (typeof number !== "number" || typeof body !== "string" || !isObject(user) || user.login !== author)
    return null;
  return { number, body, url: typeof url === "string" ? url : "" };
}

async function close(github: GitHub, { number, url }: OwnIssue): Promise<Reply<string | null>> {
  const body = "What is live is as the files declare again. Nothing is left to do here.";
  const said = await github.send("POST", `/issues/${number}/comments`, { body });
  if (!said.ok) return said;
  const closed = await github.send("PATCH", `/issues/${number}`, {
    state: "closed",
    state_reason: "completed",
  });
  return closed.ok ? { ok: true, value: url } : closed;
}

function urlOf(reply: Reply<Json>): Reply<string> {
  if (!reply.ok) return reply;
  const { value } = reply;
  return { ok: true, value: isObject(value) && typeof value.html_url === "string" ? value.html_url : "" };
}
