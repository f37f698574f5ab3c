import { isObject, type Json } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { type GitHub, gitHubOf, type Reply, refusalAdvice } from "./github.js";
import type { Inputs } from "./inputs.js";
import { outcomeMarkdown } from "./markdown.js";
import { footed, isMarked, isNewer, marked, shownIn, type Written, writerIn, writtenBy } from "./marker.js";
import type { Outcome, StepContext } from "./outcome.js";

/**
 * Says on the pull request what merging it would do. That a comment cannot be written is no failure of the step: what it
 * would say is in the summary.
 *
 * @returns what the next steps and the people who read the log are to know
 */
export async function tellPullRequest(outcome: Outcome, step: StepContext): Promise<readonly Problem[]> {
  const { inputs, run, runner, environment, redactor } = step;
  if (inputs.comment === "off" || run.event !== "pull_request" || run.pull === null) return [];
  if (outcome.command !== "plan") return [];
  const github = gitHubOf(environment, run);
  if (!github.ok) return github.problems.map(({ detail }) => notWritten(detail));
  try {
    const commented = await comment(github.value, run.pull.number, inputs.comment, {
      label: inputs.label,
      by: writtenBy(run, outcome.document?.digest ?? null),
      isNews: isNews(outcome),
      text: async (maxBytes) => redactor.in(await commentText(outcome, step, maxBytes)),
      maxBytes: inputs.maxBytes,
    });
    await runner.outputs({ "comment-url": "url" in commented ? commented.url : "" });
    return remarksOn(commented);
  } finally {
    await github.value.close();
  }
}

async function commentText(outcome: Outcome, { run }: StepContext, maxBytes: number): Promise<string> {
  const aroundBytes = Buffer.byteLength(footed("", run));
  return footed(await outcomeMarkdown(outcome, maxBytes - aroundBytes), run);
}

/** Also what changes nothing now and lets go of something, or moves what guards the changes, or when something ends. */
function isNews({ code, document }: Outcome): boolean {
  return (
    code !== 0 ||
    document === null ||
    document.changes.length > 0 ||
    document.diagnostics.some((each) => NEWS.includes(each.code))
  );
}

const NEWS: readonly string[] = [
  "no_longer_managed",
  "guardrails_changed",
  "service_changed",
  "until_extended",
  "until_changed",
];

function remarksOn(commented: Commented): readonly Problem[] {
  switch (commented.as) {
    case "written":
    case "unchanged":
    case "nothing to say":
      return [];
    case "newer there":
      return [notWritten("A later run has written its comment already, which is left as it is.")];
    case "failed":
      return [notWritten(`${commented.why}. ${refusalAdvice(commented, "pull-requests") ?? OUT_OF_DATE}`)];
  }
}

const OUT_OF_DATE = "A comment of an earlier run may still be there, and is out of date.";

function notWritten(why: string): Problem {
  const detail = `${why} The summary of the run has what the comment would have said.`;
  return { ...problem("no_comment", "The comment is not written", detail), severity: "warning" };
}

/** What a comment is to say. */
interface CommentText {
  readonly label: string;
  readonly by: Written;
  /** False: there is nothing that anybody has to look at. */
  readonly isNews: boolean;
  /** @param maxBytes what the text may have at most */
  readonly text: (maxBytes: number) => Promise<string>;
  readonly maxBytes: number;
}

type Commented =
  | { readonly as: "written" | "unchanged"; readonly url: string }
  | { readonly as: "nothing to say" }
  | { readonly as: "newer there"; readonly url: string }
  | ({ readonly as: "failed" } & Refusal);

type Refusal = Omit<Extract<Reply<unknown>, { readonly ok: false }>, "ok">;

/** Of what GitHub refuses as too long, as much as certainly fits. */
const CERTAIN_BYTES = 15_000;

/** Writes the one comment of this label on a pull request: the one that is there is brought up to date. */
async function comment(
  github: GitHub,
  pull: number,
  mode: Exclude<Inputs["comment"], "off">,
  said: CommentText,
): Promise<Commented> {
  const own = mode === "always-new" ? ok(null) : await findOwn(github, pull, said.label);
  if (!own.ok) return failure(own);
  if (own.value === null && mode === "changes-only" && !said.isNews) return { as: "nothing to say" };
  const written = await write(github, pull, own.value, said);
  if (written.as !== "failed" || !written.isUnsure || own.value !== null || mode === "always-new")
    return written;
  // The comment may be there although the answer was lost. A second look tells, and writes what is missing.
  const again = await findOwn(github, pull, said.label);
  return again.ok ? write(github, pull, again.value, said) : failure(again);
}

interface OwnComment {
  readonly id: number;
  readonly body: string;
  readonly url: string;
}

/** By the marker and the author: anybody can write a marker. The oldest, where there are several. */
async function findOwn(github: GitHub, pull: number, label: string): Promise<Reply<OwnComment | null>> {
  const [author, comments] = await Promise.all([github.author(), github.list(`/issues/${pull}/comments`)]);
  if (!author.ok) return author;
  if (!comments.ok) return comments;
  const own = comments.value.flatMap((each) => ownIn(each, author.value) ?? []);
  return ok(own.find(({ body }) => isMarked(label, body)) ?? null);
}

function ownIn(value: Json, author: string): OwnComment | null {
  if (!isObject(value)) return null;
  const { id, body, html_url: url, user } = value;
  if (typeof id !== "number" || typeof body !== "string" || !isObject(user) || user.login !== author)
    return null;
  return { id, body, url: typeof url === "string" ? url : "" };
}

async function write(
  github: GitHub,
  pull: number,
  own: OwnComment | null,
  said: CommentText,
): Promise<Commented> {
  const before = own === null ? null : writerIn(own.body);
  if (own !== null && before !== null && isNewer(before, said.by)) return { as: "newer there", url: own.url };
  const body = await bodyOf(said, said.maxBytes);
  if (own !== null && before?.commit === said.by.commit && shownIn(own.body) === shownIn(body))
    return { as: "unchanged", url: own.url };
  const whole = await send(github, pull, own, body);
  const isRefused = !whole.ok && whole.status === 422;
  const reply = isRefused ? await send(github, pull, own, await bodyOf(said, CERTAIN_BYTES)) : whole;
  // Somebody has deleted it since it was looked for.
  if (own !== null && !reply.ok && reply.status === 404) return write(github, pull, null, said);
  return reply.ok ? { as: "written", url: urlIn(reply.value) } : failure(reply);
}

async function bodyOf({ label, by, text, maxBytes }: CommentText, atMostBytes: number): Promise<string> {
  const aroundBytes = Buffer.byteLength(marked(label, by, ""));
  return marked(label, by, await text(Math.min(maxBytes, atMostBytes) - aroundBytes));
}

function send(github: GitHub, pull: number, own: OwnComment | null, body: string): Promise<Reply<Json>> {
  return own === null
    ? github.send("POST", `/issues/${pull}/comments`, { body })
    : github.send("PATCH", `/issues/comments/${own.id}`, { body });
}

function urlIn(value: Json): string {
  return isObject(value) && typeof value.html_url === "string" ? value.html_url : "";
}

function failure({ status, why, isLimited, isUnsure }: Refusal): Commented {
  return { as: "failed", status, why, isLimited, isUnsure };
}

function ok<T>(value: T): Reply<T> {
  return { ok: true, value };
}
