import { realpath } from "node:fs/promises";
import path from "node:path";
import { DEFAULT_CONFIG, MAX_FILE_BYTES } from "../config/files.js";
import { readRegularFile } from "../disk/files.js";
import { placeOf, whyNotRead } from "../disk/place.js";
import { follow } from "../disk/tree.js";
import { commitNamed, isTracked, openRepository } from "../git/repository.js";
import { isList, isObject, type Json } from "../model/json.js";
import {
  allOf,
  failed,
  hasErrors,
  ok,
  type Problem,
  problem,
  type Result,
  warning,
} from "../model/problem.js";
import type { Adoption } from "../run/adopt.js";
import { outcomeMarkdown } from "./comment-markdown.js";
import { branchIn } from "./comment-on-pull.js";
import { type GitHub, type Reply, refusalAdvice, withGitHub } from "./github.js";
import { isNewer, stampIn, stampOf } from "./marker.js";
import {
  closePost,
  type Draft,
  type Home,
  keepPost,
  type Post,
  postsOf,
  sign,
  type Update,
} from "./our-posts.js";
import type { StepContext, StepOutcome } from "./outcome.js";

/**
 * Keeps one pull request open with the adopted files, and closes it when there is nothing to adopt. A failure is an
 * error, as the drift would go unreported.
 */
export async function proposeAdoption(outcome: StepOutcome, step: StepContext): Promise<readonly Problem[]> {
  const { adoption } = outcome;
  if (adoption === undefined || adoption.refused.length > 0) return [];
  // A zone that could not be read may have drifted, so an open pull request stays.
  if (adoption.files.length === 0 && hasErrors(adoption.problems)) return [];
  const edits = await editsOf(adoption, step);
  if (!edits.ok) return edits.problems;
  const draft: Draft = {
    name: `adopt:${step.inputs.label}`,
    stamp: stampOf(step.run, outcome.document?.digest ?? null),
    text: sign(step, async (maxBytes) => {
      const leftBytes = maxBytes - Buffer.byteLength(INTRODUCTION);
      return `${INTRODUCTION}${await outcomeMarkdown(outcome, leftBytes)}`;
    }),
    maxBytes: step.inputs.maxBytes,
  };
  const done = await withGitHub(step, (github) => keepPull(github, edits.value, adoption, draft));
  const pull = done.ok ? done.value : done;
  if (!pull.ok) return pull.problems;
  if (pull.value === null) return [];
  const { as, url } = pull.value;
  step.runner.log(`Pull request${as === "closed" ? ", closed" : ""}: ${url}`);
  await step.runner.outputs({ "pull-request-url": as === "closed" ? "" : url });
  return as === "newer there" ? [leftAlone()] : [];
}

const INTRODUCTION = `The live state was changed outside the files. Merge this to take the changes into the files; nothing is sent to the service. To undo the changes instead, close this and apply the files.

The branch is written anew by each run, as long as nobody else pushes to it.

`;

interface Edits {
  readonly repository: string;
  /** The branch to merge into. */
  readonly into: string;
  readonly branch: string;
  readonly title: string;
  /** The commit that was checked out. */
  readonly head: string;
  readonly files: readonly EditedFile[];
}

interface EditedFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly mode: "100644" | "100755";
  readonly text: string;
}

async function editsOf({ files }: Adoption, { inputs, run, cwd }: StepContext): Promise<Result<Edits>> {
  const into = branchIn(run);
  if (into === null)
    return failed(notProposed(`The run is about ${run.ref || "no branch"}: adopt on a branch.`));
  const { top } = placeOf(path.join(cwd, DEFAULT_CONFIG));
  const workspace = await realpath(run.workspace).catch(() => run.workspace);
  const isWithin = top === workspace || top.startsWith(`${workspace}${path.sep}`);
  const repository = openRepository(cwd);
  if (!isWithin || !repository.ok)
    return failed(
      notProposed("The files are in no repository below GITHUB_WORKSPACE. Check out the repository there."),
    );
  const head = await commitNamed(repository.value, "HEAD");
  if (!head.ok) return failed(notProposed("git does not name the commit that is checked out."));
  const edited = allOf(await Promise.all(files.map((file) => editedFile(file, top, cwd))));
  if (!edited.ok) return edited;
  // Paths to GitHub's API may not have dots, but a label may.
  const suffix = inputs.label === "default" ? "" : `-${inputs.label.replaceAll(".", "_")}`;
  return ok({
    repository: run.repository,
    into,
    branch: `zoneward/adopt${suffix}`,
    title: `Adopt changes made outside the files${inputs.label === "default" ? "" : ` (${inputs.label})`}`,
    head: head.value,
    files: edited.value,
  });
}

/** An adopted file, if git tracks it in the repository that was checked out. */
async function editedFile(file: string, top: string, cwd: string): Promise<Result<EditedFile>> {
  const place = placeOf(path.resolve(cwd, file));
  const entry = await follow(place.tree, place.name);
  if (place.top !== top || entry.to !== "file")
    return failed(notProposed(`${file} is not in the repository that is checked out.`));
  const target = path.join(top, entry.name);
  if (!(await isTracked(target)))
    return failed(notProposed(`git does not track ${file}. Commit it first, or leave it out of config.`));
  const read = readRegularFile(target, MAX_FILE_BYTES);
  if (read.as !== "file") return failed(notProposed(`${file} cannot be read again: ${whyNotRead(read)}.`));
  const text = read.bytes.toString("utf8");
  if (!Buffer.from(text).equals(read.bytes)) return failed(notProposed(`${file} is not in UTF-8.`));
  return ok({ path: entry.name, mode: (read.mode & 0o111) === 0 ? "100644" : "100755", text });
}

type PullOutcome = Exclude<Update, { readonly as: "failed" }>;

/** Null: nothing to adopt, and no open pull request. */
async function keepPull(
  github: GitHub,
  edits: Edits,
  { left }: Adoption,
  draft: Draft,
): Promise<Result<PullOutcome | null>> {
  const posts = await postsOf(github, pullsOf(github, edits, "all"), draft.name);
  if (!posts.ok) return refused(posts, "pull-requests");
  const open = posts.value.find(({ value }) => value.state === "open") ?? null;
  if (edits.files.length === 0)
    return open === null
      ? ok(null)
      : pullResult(await closePost(github, "pulls", open, draft.stamp, whyEnded(left)));
  const before = open === null ? null : stampIn(open.body);
  if (open !== null && before !== null && isNewer(before, draft.stamp))
    return ok({ as: "newer there", url: open.url });
  const pushed = await push(github, edits, posts.value);
  if (!pushed.ok) return pushed;
  const { tip, former } = pushed.value;
  const home = pullsOf(github, edits, "open");
  const result = await keepPost(github, home, open, { ...draft, stamp: { ...draft.stamp, tip } });
  if (result.as === "failed" && !result.isUnsure && tip !== former) await putBack(github, edits, former);
  return pullResult(result);
}

/** Without a pull request that names the tip, the next run could not tell that the branch is its own. */
async function putBack(github: GitHub, { branch }: Edits, former: string | null): Promise<void> {
  const ref = `/git/refs/heads/${branch}`;
  if (former === null) await github.send("DELETE", ref, null);
  else await github.send("PATCH", ref, { sha: former, force: true });
}

function whyEnded(leftovers: Adoption["left"]): string {
  return leftovers.length === 0
    ? "The live state matches the files. Nothing is left to adopt."
    : "No change outside the files can be written into them now.";
}

function pullsOf(github: GitHub, { repository, into, branch, title }: Edits, state: "all" | "open"): Home {
  const from = encodeURIComponent(`${repository.split("/")[0]}:${branch}`);
  return {
    lists: () => [`/pulls?state=${state}&head=${from}`],
    key: "number",
    isMatch: ({ head, base }) =>
      isObject(head) &&
      head.ref === branch &&
      isObject(head.repo) &&
      String(head.repo.full_name).toLowerCase() === repository.toLowerCase() &&
      isObject(base) &&
      base.ref === into,
    create: (body) => github.send("POST", "/pulls", { title, head: branch, base: into, body }),
    update: (number, body) => github.send("PATCH", `/pulls/${number}`, { body }),
  };
}

interface BranchTip {
  readonly tip: string;
  /** The tip before the push. Null: the branch did not exist. */
  readonly former: string | null;
}

/**
 * Sets the branch to one commit with the files, on top of the checkout. The branch is this step's own only if one of
 * its pull requests names the tip: any other commit was pushed by somebody else.
 */
async function push(github: GitHub, edits: Edits, posts: readonly Post[]): Promise<Result<BranchTip>> {
  const ref = await github.get(`/git/ref/heads/${edits.branch}`);
  if (!ref.ok && ref.status !== 404) return refused(ref, "contents");
  const former = ref.ok ? hashIn(ref.value, "object", "sha") : null;
  if (ref.ok && !posts.some(({ body }) => former !== null && stampIn(body)?.tip === former))
    return failed(notProposed(notOurs(edits)));
  const tree = await treeOf(github, edits);
  if (!tree.ok) return tree;
  if (former !== null && (await isSame(github, former, tree.value, edits.head)))
    return ok({ tip: former, former });
  const message = `${edits.title}\n\nThe live state that zoneward found.`;
  const commit = hashOf(
    await github.send("POST", "/git/commits", { message, tree: tree.value, parents: [edits.head] }),
  );
  if (!commit.ok) return commit;
  const sha = commit.value;
  const reply =
    former === null
      ? await github.send("POST", "/git/refs", { ref: `refs/heads/${edits.branch}`, sha })
      : await github.send("PATCH", `/git/refs/heads/${edits.branch}`, { sha, force: true });
  return reply.ok ? ok({ tip: sha, former }) : refused(reply, "contents");
}

function notOurs({ branch, into }: Edits): string {
  return `The branch ${branch} ends in a commit that no pull request of this step into ${into} names. It was made or changed by someone else, and is left alone. Merge or close its pull requests and delete it, or set another label.`;
}

async function treeOf(github: GitHub, { head, files }: Edits): Promise<Result<string>> {
  const parent = await github.get(`/git/commits/${head}`);
  if (!parent.ok && parent.status === 404)
    return failed(
      notProposed(
        `The commit that is checked out, ${head}, is not in the repository on GitHub. Push it first.`,
      ),
    );
  if (!parent.ok) return refused(parent, "contents");
  const tree = files.map(({ text, ...file }) => ({ ...file, type: "blob", content: text }));
  const base = hashIn(parent.value, "tree", "sha");
  // Without a base tree, the branch would have only these files.
  if (base === null) return failed(notProposed(UNKNOWN_FORM));
  return hashOf(await github.send("POST", "/git/trees", { base_tree: base, tree }));
}

/** Whether the branch already has this commit: pushing it again would only run its checks again. */
async function isSame(github: GitHub, tip: string, tree: string, head: string): Promise<boolean> {
  const commit = await github.get(`/git/commits/${tip}`);
  if (!commit.ok || !isObject(commit.value) || !isList(commit.value.parents)) return false;
  const [parent, ...moreParents] = commit.value.parents;
  return (
    hashIn(commit.value, "tree", "sha") === tree &&
    moreParents.length === 0 &&
    parent !== undefined &&
    hashIn(parent, "sha") === head
  );
}

/** The hash of an object that GitHub created. */
function hashOf(reply: Reply<Json>): Result<string> {
  if (!reply.ok) return refused(reply, "contents");
  const hash = hashIn(reply.value, "sha");
  return hash === null ? failed(notProposed(UNKNOWN_FORM)) : ok(hash);
}

const UNKNOWN_FORM = "GitHub returned an unknown answer.";

function hashIn(value: Json, ...keys: readonly string[]): string | null {
  const hash = keys.reduce<Json>((at, key) => (isObject(at) ? (at[key] ?? null) : null), value);
  return typeof hash === "string" && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(hash) ? hash : null;
}

function pullResult(outcome: Update): Result<PullOutcome> {
  return outcome.as === "failed" ? refused({ ok: false, ...outcome }, "pull-requests") : ok(outcome);
}

function refused(
  reply: Extract<Reply<Json>, { readonly ok: false }>,
  permission: "contents" | "pull-requests",
): Result<never> {
  const advice = refusalAdvice(reply, permission);
  return failed(notProposed(`${reply.why}.${advice === null ? "" : ` ${advice}`}`));
}

function notProposed(why: string): Problem {
  const detail = `${why} The summary of the run has the text.`;
  return problem("no_pull_request", "Adoption not proposed", detail);
}

function leftAlone(): Problem {
  const detail = "A later run wrote the pull request already.";
  return warning("pull_request_left_alone", "Pull request left alone", detail);
}
