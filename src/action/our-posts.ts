import { isObject, type Json, type JsonObject } from "../model/json.js";
import type { GitHub, Refusal, Reply } from "./github.js";
import { isMarked, isNewer, type Stamp, stampIn, visibleText, withFooter, withMarker } from "./marker.js";
import type { StepContext } from "./outcome.js";

/** The place of posts: comments of a pull request, issues, or pull requests. */
export interface Home {
  /** Lists to search, in order. */
  readonly lists: (author: string) => readonly string[];
  /** The property that GitHub addresses a post by. */
  readonly key: "id" | "number";
  /** Filters the list's items. Absent: all match. */
  readonly isMatch?: (value: JsonObject) => boolean;
  readonly create: (body: string) => Promise<Reply<Json>>;
  readonly update: (key: number, body: string) => Promise<Reply<Json>>;
}

/** A comment, issue or pull request that this program wrote. */
export interface Post {
  readonly key: number;
  readonly body: string;
  readonly url: string;
  /** The whole answer of GitHub. */
  readonly value: JsonObject;
}

/** The content of a post. */
export interface Draft {
  /** Unique among this program's posts. */
  readonly name: string;
  readonly stamp: Stamp;
  readonly text: (maxBytes: number) => Promise<string>;
  readonly maxBytes: number;
}

export type Update =
  | { readonly as: "written" | "unchanged" | "newer there" | "closed"; readonly url: string }
  | ({ readonly as: "failed" } & Refusal);

/** The posts of this name in the first list that has some. Both marker and author count: anybody can copy a marker. */
export async function postsOf(github: GitHub, home: Home, name: string): Promise<Reply<readonly Post[]>> {
  const author = await github.author();
  if (!author.ok) return author;
  for (const path of home.lists(author.value)) {
    const listed = await github.list(path);
    if (!listed.ok) return listed;
    const posts = listed.value
      .flatMap((each) => postIn(each, home, author.value) ?? [])
      .filter(({ body }) => isMarked(name, body));
    if (posts.length > 0) return { ok: true, value: posts };
  }
  return { ok: true, value: [] };
}

function postIn(value: Json, { key: keyName, isMatch }: Home, author: string): Post | null {
  if (!isObject(value) || isMatch?.(value) === false) return null;
  const { body, html_url: url, user, [keyName]: key } = value;
  if (typeof key !== "number" || typeof body !== "string" || !isObject(user) || user.login !== author)
    return null;
  return { key, body, url: typeof url === "string" ? url : "", value };
}

/** Updates the post, or creates the first one: only once, even when GitHub's answer is lost. */
export async function keepPost(github: GitHub, home: Home, post: Post | null, draft: Draft): Promise<Update> {
  const outcome = await writePost(home, post, draft);
  if (outcome.as !== "failed" || !outcome.isUnsure || post !== null) return outcome;
  // The post may exist all the same. Look again, and write it only if it is missing.
  const again = await postsOf(github, home, draft.name);
  return again.ok ? writePost(home, again.value[0] ?? null, draft) : failure(again);
}

/** Updates the post, unless a later run wrote it or it has the same text. Without a post, creates one. */
export async function writePost(home: Home, post: Post | null, draft: Draft): Promise<Update> {
  const before = post === null ? null : stampIn(post.body);
  if (post !== null && before !== null && isNewer(before, draft.stamp))
    return { as: "newer there", url: post.url };
  const body = await bodyOf(draft);
  if (post !== null && isSame(before, draft.stamp) && visibleText(post.body) === visibleText(body))
    return { as: "unchanged", url: post.url };
  const reply = await (post === null ? home.create(body) : home.update(post.key, body));
  // The post was deleted after it was found.
  if (post !== null && !reply.ok && reply.status === 404) return writePost(home, null, draft);
  return reply.ok ? { as: "written", url: urlIn(reply.value) } : failure(reply);
}

/** Closes the post with a comment, unless a later run wrote it. */
export async function closePost(
  github: GitHub,
  where: "issues" | "pulls",
  post: Post,
  stamp: Stamp,
  why: string,
): Promise<Update> {
  const before = stampIn(post.body);
  if (before !== null && isNewer(before, stamp)) return { as: "newer there", url: post.url };
  const reply = await github.send("POST", `/issues/${post.key}/comments`, { body: why });
  if (!reply.ok) return failure(reply);
  const reason = where === "issues" ? { state_reason: "completed" } : {};
  const closed = await github.send("PATCH", `/${where}/${post.key}`, { state: "closed", ...reason });
  return closed.ok ? { as: "closed", url: post.url } : failure(closed);
}

/** Redacts a text and adds a line about the run. */
export function sign(
  { run, redactor }: StepContext,
  text: (maxBytes: number) => string | Promise<string>,
): Draft["text"] {
  const aroundBytes = Buffer.byteLength(withFooter("", run));
  return async (maxBytes) => redactor.in(withFooter(await text(maxBytes - aroundBytes), run));
}

/** Whether both name the same commit: the visible last line has it. */
function isSame(before: Stamp | null, current: Stamp): boolean {
  return before?.commit === current.commit && before.tip === current.tip;
}

async function bodyOf({ name, stamp, text, maxBytes }: Draft): Promise<string> {
  const aroundBytes = Buffer.byteLength(withMarker(name, stamp, ""));
  return withMarker(name, stamp, await text(maxBytes - aroundBytes));
}

function urlIn(value: Json): string {
  return isObject(value) && typeof value.html_url === "string" ? value.html_url : "";
}

export function failure({ status, why, isLimited, isUnsure }: Refusal): Update {
  return { as: "failed", status, why, isLimited, isUnsure };
}
