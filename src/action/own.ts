import { isObject, type Json, type JsonObject } from "../model/json.js";
import type { GitHub, Refusal, Reply } from "./github.js";
import { footed, isMarked, isNewer, marked, shownIn, type Written, writerIn } from "./marker.js";
import type { StepContext } from "./outcome.js";

/** Where one of ours stands: among the comments of a pull request, among issues, among pull requests. */
export interface Home {
  /** Lists that may have it, looked through one after the other. */
  readonly lists: (author: string) => readonly string[];
  /** What GitHub addresses it by. */
  readonly key: "id" | "number";
  /** Whether what a list has is one. Absent: all is. */
  readonly isOne?: (value: JsonObject) => boolean;
  readonly create: (body: string) => Promise<Reply<Json>>;
  readonly update: (key: number, body: string) => Promise<Reply<Json>>;
}

/** A comment, an issue or a pull request that this program wrote. */
export interface Own {
  readonly key: number;
  readonly body: string;
  readonly url: string;
  /** All that GitHub says of it. */
  readonly value: JsonObject;
}

/** What one is to say. */
export interface OwnText {
  /** Which of ours it is: there is one of a name. */
  readonly name: string;
  readonly by: Written;
  /** @param maxBytes what the text may have at most */
  readonly text: (maxBytes: number) => Promise<string>;
  readonly maxBytes: number;
}

/** What came of it. */
export type Kept =
  | { readonly as: "written" | "unchanged" | "newer there" | "closed"; readonly url: string }
  | ({ readonly as: "failed" } & Refusal);

/** Of what GitHub refuses as too long, as much as certainly fits. */
const CERTAIN_BYTES = 15_000;

/** Those of this name in the first list that has some, in its order. By marker and author: anybody can write a marker. */
export async function ownOf(github: GitHub, home: Home, name: string): Promise<Reply<readonly Own[]>> {
  const author = await github.author();
  if (!author.ok) return author;
  for (const path of home.lists(author.value)) {
    const listed = await github.list(path);
    if (!listed.ok) return listed;
    const own = listed.value
      .flatMap((each) => ownIn(each, home, author.value) ?? [])
      .filter(({ body }) => isMarked(name, body));
    if (own.length > 0) return { ok: true, value: own };
  }
  return { ok: true, value: [] };
}

function ownIn(value: Json, { key: named, isOne }: Home, author: string): Own | null {
  if (!isObject(value) || isOne?.(value) === false) return null;
  const { body, html_url: url, user, [named]: key } = value;
  if (typeof key !== "number" || typeof body !== "string" || !isObject(user) || user.login !== author)
    return null;
  return { key, body, url: typeof url === "string" ? url : "", value };
}

/** Writes the one that is there again, or the first one: once, also where the answer of GitHub is lost. */
export async function keepOwn(github: GitHub, home: Home, own: Own | null, said: OwnText): Promise<Kept> {
  const kept = await writeOwn(home, own, said);
  if (kept.as !== "failed" || !kept.isUnsure || own !== null) return kept;
  // It may be there all the same. A second look tells, and writes what is missing.
  const again = await ownOf(github, home, said.name);
  return again.ok ? writeOwn(home, again.value[0] ?? null, said) : failure(again);
}

/** Writes over the one that is given, unless a later run did or it says the same already; without one, a new one. */
export async function writeOwn(home: Home, own: Own | null, said: OwnText): Promise<Kept> {
  const before = own === null ? null : writerIn(own.body);
  if (own !== null && before !== null && isNewer(before, said.by)) return { as: "newer there", url: own.url };
  const body = await bodyOf(said, said.maxBytes);
  if (own !== null && isSame(before, said.by) && shownIn(own.body) === shownIn(body))
    return { as: "unchanged", url: own.url };
  const write = (text: string) => (own === null ? home.create(text) : home.update(own.key, text));
  const whole = await write(body);
  const isRefused = !whole.ok && whole.status === 422;
  const reply = isRefused ? await write(await bodyOf(said, CERTAIN_BYTES)) : whole;
  // Somebody has deleted it since it was looked for.
  if (own !== null && !reply.ok && reply.status === 404) return writeOwn(home, null, said);
  return reply.ok ? { as: "written", url: urlIn(reply.value) } : failure(reply);
}

/** Closes it with a word of why, unless a later run wrote it. */
export async function endOwn(
  github: GitHub,
  where: "issues" | "pulls",
  own: Own,
  by: Written,
  why: string,
): Promise<Kept> {
  const before = writerIn(own.body);
  if (before !== null && isNewer(before, by)) return { as: "newer there", url: own.url };
  const said = await github.send("POST", `/issues/${own.key}/comments`, { body: why });
  if (!said.ok) return failure(said);
  const reason = where === "issues" ? { state_reason: "completed" } : {};
  const closed = await github.send("PATCH", `/${where}/${own.key}`, { state: "closed", ...reason });
  return closed.ok ? { as: "closed", url: own.url } : failure(closed);
}

/** A text as a run says it: without what nobody may see, and with a last line about the run. */
export function saidBy(
  { run, redactor }: StepContext,
  text: (maxBytes: number) => string | Promise<string>,
): OwnText["text"] {
  const aroundBytes = Buffer.byteLength(footed("", run));
  return async (maxBytes) => redactor.in(footed(await text(maxBytes - aroundBytes), run));
}

/** Whether both are about the same commit: the last line of what they say names it. */
function isSame(before: Written | null, now: Written): boolean {
  return before?.commit === now.commit && before.tip === now.tip;
}

async function bodyOf({ name, by, text, maxBytes }: OwnText, atMostBytes: number): Promise<string> {
  const aroundBytes = Buffer.byteLength(marked(name, by, ""));
  return marked(name, by, await text(Math.min(maxBytes, atMostBytes) - aroundBytes));
}

function urlIn(value: Json): string {
  return isObject(value) && typeof value.html_url === "string" ? value.html_url : "";
}

export function failure({ status, why, isLimited, isUnsure }: Refusal): Kept {
  return { as: "failed", status, why, isLimited, isUnsure };
}
