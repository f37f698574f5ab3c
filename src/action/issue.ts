import { isObject, type Json } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { hasDrift } from "../render/undeclared.js";
import { type GitHub, gitHubOf, type Reply, refusalAdvice } from "./github.js";
import { outcomeMarkdown } from "./markdown.js";
import { footed, isMarked, isNewer, marked, shownIn, type Written, writerIn, writtenBy } from "./marker.js";
import type { Outcome, StepContext } from "./outcome.js";
import { isOfPull } from "./workflow-run.js";

/** Keeps the one issue that tells of drift: where it cannot be kept, nobody would be told, so that is an error. */
export async function tellIssue(outcome: Outcome, step: StepContext): Promise<readonly Problem[]> {
  const { inputs, run, environment } = step;
  const { document } = outcome;
  if (inputs.issue === "off" || outcome.command !== "drift" || document === null) return [];
  if (isOfPull(run)) return [leftAlone(ON_PULL)];
  const isDrift = hasDrift(document);
  // What could not be read may have drifted: then the issue stays as it is.
  if (!isDrift && document.zones.some(({ status }) => status !== "planned")) return [];
  const github = gitHubOf(environment, run);
  if (!github.ok) return github.problems;
  try {
    const by = writtenBy(run, document.digest);
    const text = isDrift ? await issueText(outcome, step) : null;
    const reply = await driftIssue(github.value, { label: inputs.label, by, text });
    if (!reply.ok) return [notKept(reply.why, refusalAdvice(reply, "issues"))];
    return reply.value === "newer there" ? [leftAlone(NEWER)] : [];
  } finally {
    await github.value.close();
  }
}

async function issueText(outcome: Outcome, { inputs, run, redactor }: StepContext): Promise<string> {
  return redactor.in(footed(await outcomeMarkdown(outcome, inputs.maxBytes - AROUND_BYTES), run));
}

/** The marker and the last line. */
const AROUND_BYTES = 1_000;

function notKept(why: string, advice: string | null): Problem {
  const words = [`${why}.`, advice, "The summary of the run has what the issue would say."];
  return problem(
    "no_issue",
    "The issue about drift is not kept",
    words.filter((each) => each !== null).join(" "),
  );
}

const ON_PULL =
  "The run is about a pull request: its files are not merged, so the issue, which is about those that are, is left as it is.";
const NEWER = "A later run has written the issue about drift already, which is left as it is.";

function leftAlone(why: string): Problem {
  return { ...problem("issue_left_alone", "The issue about drift is left alone", why), severity: "warning" };
}

/** What is to be said of drift. */
interface Drift {
  readonly label: string;
  readonly by: Written;
  /** Null: there is none, and it is known that there is none. */
  readonly text: string | null;
}

const LABEL = "zoneward-drift";

/** Keeps one issue open while something was changed outside the files, says in it what, and closes it when all is well. */
async function driftIssue(
  github: GitHub,
  { label, by, text }: Drift,
): Promise<Reply<"kept" | "newer there">> {
  const found = await findOwn(github, label);
  if (!found.ok) return found;
  const own = found.value;
  const before = own === null ? null : writerIn(own.body);
  if (before !== null && isNewer(before, by)) return { ok: true, value: "newer there" };
  if (text === null) return own === null ? KEPT : close(github, own);
  const body = marked(name(label), by, text);
  if (own === null)
    return kept(await github.send("POST", "/issues", { title: titleOf(label), body, labels: [LABEL] }));
  if (shownIn(own.body) === shownIn(body)) return KEPT;
  return kept(await github.send("PATCH", `/issues/${own.number}`, { body }));
}

const KEPT = { ok: true, value: "kept" } as const;

function kept(reply: Reply<Json>): Reply<"kept"> {
  return reply.ok ? KEPT : reply;
}

/** By its label; where somebody has taken that off, among all that this author has written. */
async function findOwn(github: GitHub, label: string): Promise<Reply<OwnIssue | null>> {
  const author = await github.author();
  if (!author.ok) return author;
  for (const which of [`labels=${LABEL}`, `creator=${encodeURIComponent(author.value)}`]) {
    const open = await github.list(`/issues?state=open&${which}`);
    if (!open.ok) return open;
    const own = open.value
      .flatMap((each) => ownIn(each, author.value) ?? [])
      .find(({ body }) => isMarked(name(label), body));
    if (own !== undefined) return { ok: true, value: own };
  }
  return { ok: true, value: null };
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
}

function ownIn(value: Json, author: string): OwnIssue | null {
  // GitHub lists pull requests as issues too.
  if (!isObject(value) || value.pull_request !== undefined) return null;
  const { number, body, user } = value;
  if (typeof number !== "number" || typeof body !== "string" || !isObject(user) || user.login !== author)
    return null;
  return { number, body };
}

async function close(github: GitHub, { number }: OwnIssue): Promise<Reply<"kept">> {
  const body = "What is live is as the files declare again. Nothing is left to do here.";
  const said = await github.send("POST", `/issues/${number}/comments`, { body });
  if (!said.ok) return said;
  return kept(
    await github.send("PATCH", `/issues/${number}`, { state: "closed", state_reason: "completed" }),
  );
}
