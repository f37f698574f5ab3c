import { realpath } from "node:fs/promises";
import path from "node:path";
import { DEFAULT_CONFIG, MAX_FILE_BYTES } from "../config/files.js";
import { readRegularFile } from "../disk/files.js";
import { placeOf, whyNotRead } from "../disk/place.js";
import { follow } from "../disk/tree.js";
import { commitNamed, isTracked, openRepository } from "../git/repository.js";
import { isList, isObject, type Json } from "../model/json.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Adoption } from "../run/adopt.js";
import { branchIn } from "./comment.js";
import { type GitHub, gitHubOf, type Reply, refusalAdvice } from "./github.js";
import { outcomeMarkdown } from "./markdown.js";
import { isNewer, writerIn, writtenBy } from "./marker.js";
import type { Outcome, StepContext } from "./outcome.js";
import { endOwn, type Home, type Kept, keepOwn, type Own, type OwnText, ownOf, saidBy } from "./own.js";

/**
 * Keeps one pull request open with the files as an adoption has left them, and closes it when there is nothing to adopt.
 * Where it cannot be kept nobody would be told, so that is an error.
 */
export async function proposeAdoption(outcome: Outcome, step: StepContext): Promise<readonly Problem[]> {
  const { adoption } = outcome;
  if (adoption === undefined || adoption.refused.length > 0) return [];
  // What could not be read may have drifted: then the one that is open stays as it is.
  if (adoption.files.length === 0 && hasErrors(adoption.problems)) return [];
  const edits = await editsOf(adoption, step);
  if (!edits.ok) return edits.problems;
  const github = gitHubOf(step.environment, step.run);
  if (!github.ok) return github.problems;
  try {
    const kept = await keptPull(github.value, edits.value, adoption, {
      name: `adopt:${step.inputs.label}`,
      by: writtenBy(step.run, outcome.document?.digest ?? null),
      text: saidBy(step, async (maxBytes) => {
        const leftBytes = maxBytes - Buffer.byteLength(INTRODUCTION);
        return `${INTRODUCTION}${await outcomeMarkdown(outcome, leftBytes)}`;
      }),
      maxBytes: step.inputs.maxBytes,
    });
    if (!kept.ok) return kept.problems;
    if (kept.value === null) return [];
    step.runner.log(`Pull request${kept.value.as === "closed" ? ", closed" : ""}: ${kept.value.url}`);
    await step.runner.outputs({ "pull-request-url": kept.value.as === "closed" ? "" : kept.value.url });
    return kept.value.as === "newer there" ? [leftAlone()] : [];
  } finally {
    await github.value.close();
  }
}

const INTRODUCTION = `Something was changed outside the files. Merging this makes the files say what is live, and sends nothing to the service. To take the changes back instead, close this and apply the files as they are.

The branch is written anew by each run, as long as nobody else pushes to it.

`;

/** Where the files go, and from where. */
interface Edits {
  readonly repository: string;
  /** The branch that they are proposed for. */
  readonly into: string;
  readonly branch: string;
  readonly title: string;
  /** The commit that was checked out. */
  readonly head: string;
  readonly files: readonly EditedFile[];
}

interface EditedFile {
  /** In the repository. */
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
      notProposed("The files are in no repository below GITHUB_WORKSPACE. Is it checked out there?"),
    );
  const head = await commitNamed(repository.value, "HEAD");
  if (!head.ok)
    return failed(notProposed("The commit that is checked out is not known: git does not name it."));
  const read = await Promise.all(files.map((file) => editedFile(file, top, cwd)));
  const problems = read.flatMap((each) => (each.ok ? [] : each.problems));
  if (problems.length > 0) return failed(...problems);
  // A branch has no dots of a label: a path to GitHub has none.
  const which = inputs.label === "default" ? "" : `-${inputs.label.replaceAll(".", "_")}`;
  return ok({
    repository: run.repository,
    into,
    branch: `zoneward/adopt${which}`,
    title: `Adopt what was changed outside the files${inputs.label === "default" ? "" : ` (${inputs.label})`}`,
    head: head.value,
    files: read.flatMap((each) => (each.ok ? [each.value] : [])),
  });
}

/** As it was written: a file that git has, in the repository that was checked out. */
async function editedFile(file: string, top: string, cwd: string): Promise<Result<EditedFile>> {
  const place = placeOf(path.resolve(cwd, file));
  const led = await follow(place.tree, place.name);
  if (place.top !== top || led.to !== "file")
    return failed(notProposed(`${file} is no file of the repository that is checked out.`));
  const target = path.join(top, led.name);
  if (!(await isTracked(target)))
    return failed(
      notProposed(`${file} is no file that git has. Commit it first, or leave it out of config.`),
    );
  const read = readRegularFile(target, MAX_FILE_BYTES);
  if (read.as !== "file") return failed(notProposed(`${file} cannot be read again: ${whyNotRead(read)}.`));
  const text = read.bytes.toString("utf8");
  if (!Buffer.from(text).equals(read.bytes)) return failed(notProposed(`${file} is not in UTF-8.`));
  return ok({ path: led.name, mode: (read.mode & 0o111) === 0 ? "100644" : "100755", text });
}

type KeptPull = Exclude<Kept, { readonly as: "failed" }>;

/** Null: there is nothing to adopt, and none that is open. */
async function keptPull(
  github: GitHub,
  edits: Edits,
  { left }: Adoption,
  said: OwnText,
): Promise<Result<KeptPull | null>> {
  const found = await ownOf(github, pullsOf(github, edits, "all"), said.name);
  if (!found.ok) return refused(found, "pull-requests");
  const open = found.value.find(({ value }) => value.state === "open") ?? null;
  if (edits.files.length === 0)
    return open === null ? ok(null) : written(await endOwn(github, "pulls", open, said.by, whyEnded(left)));
  const before = open === null ? null : writerIn(open.body);
  if (open !== null && before !== null && isNewer(before, said.by))
    return ok({ as: "newer there", url: open.url });
  const pushed = await push(github, edits, found.value);
  if (!pushed.ok) return pushed;
  const { tip, former } = pushed.value;
  const home = pullsOf(github, edits, "open");
  const kept = await keepOwn(github, home, open, { ...said, by: { ...said.by, tip } });
  if (kept.as === "failed" && !kept.isUnsure && tip !== former) await putBack(github, edits, former);
  return written(kept);
}

/** Where no pull request came to say that the branch is ours, the next run could not tell. */
async function putBack(github: GitHub, { branch }: Edits, former: string | null): Promise<void> {
  const ref = `/git/refs/heads/${branch}`;
  if (former === null) await github.send("DELETE", ref, null);
  else await github.send("PATCH", ref, { sha: former, force: true });
}

function whyEnded(left: Adoption["left"]): string {
  return left.length === 0
    ? "What is live is as the files say. Nothing is left to adopt."
    : "Nothing of what was changed outside the files can be written into them now.";
}

function pullsOf(github: GitHub, { repository, into, branch, title }: Edits, state: "all" | "open"): Home {
  const from = encodeURIComponent(`${repository.split("/")[0]}:${branch}`);
  return {
    lists: () => [`/pulls?state=${state}&head=${from}`],
    key: "number",
    isOne: ({ head, base }) =>
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

interface Pushed {
  readonly tip: string;
  /** What it ended in before. Null: it was not there. */
  readonly former: string | null;
}

/**
 * Brings the branch to one commit with the files, on what was checked out. It is ours where a pull request of ours says
 * that we left it so: whatever else it has, somebody else has put there.
 */
async function push(github: GitHub, edits: Edits, own: readonly Own[]): Promise<Result<Pushed>> {
  const at = await github.get(`/git/ref/heads/${edits.branch}`);
  if (!at.ok && at.status !== 404) return refused(at, "contents");
  const former = at.ok ? hashIn(at.value, "object", "sha") : null;
  if (at.ok && !own.some(({ body }) => former !== null && writerIn(body)?.tip === former))
    return failed(notProposed(notOurs(edits)));
  const tree = await treeOf(github, edits);
  if (!tree.ok) return tree;
  if (former !== null && (await isSame(github, former, tree.value, edits.head)))
    return ok({ tip: former, former });
  const message = `${edits.title}\n\nWhat is live, as zoneward has found it.`;
  const commit = hashOf(
    await github.send("POST", "/git/commits", { message, tree: tree.value, parents: [edits.head] }),
  );
  if (!commit.ok) return commit;
  const sha = commit.value;
  const moved =
    former === null
      ? await github.send("POST", "/git/refs", { ref: `refs/heads/${edits.branch}`, sha })
      : await github.send("PATCH", `/git/refs/heads/${edits.branch}`, { sha, force: true });
  return moved.ok ? ok({ tip: sha, former }) : refused(moved, "contents");
}

function notOurs({ branch, into }: Edits): string {
  return `The branch ${branch} ends in a commit that no pull request of this step into ${into} names: somebody else has made it, or has pushed to it. It is left as it is. Merge or close what is open from it, and delete it, or give another label: then the next run begins anew.`;
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
  // On none, the branch would have these files and no others.
  if (base === null) return failed(notProposed(UNKNOWN_FORM));
  return hashOf(await github.send("POST", "/git/trees", { base_tree: base, tree }));
}

/** Whether the branch has this already: then nobody's checks are run anew. */
async function isSame(github: GitHub, tip: string, tree: string, head: string): Promise<boolean> {
  const now = await github.get(`/git/commits/${tip}`);
  if (!now.ok || !isObject(now.value) || !isList(now.value.parents)) return false;
  const [parent, ...others] = now.value.parents;
  return (
    hashIn(now.value, "tree", "sha") === tree &&
    others.length === 0 &&
    parent !== undefined &&
    hashIn(parent, "sha") === head
  );
}

/** Of what GitHub has made. */
function hashOf(reply: Reply<Json>): Result<string> {
  if (!reply.ok) return refused(reply, "contents");
  const hash = hashIn(reply.value, "sha");
  return hash === null ? failed(notProposed(UNKNOWN_FORM)) : ok(hash);
}

const UNKNOWN_FORM = "GitHub answered in an unknown form.";

function hashIn(value: Json, ...keys: readonly string[]): string | null {
  const found = keys.reduce<Json>((at, key) => (isObject(at) ? (at[key] ?? null) : null), value);
  return typeof found === "string" && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(found) ? found : null;
}

function written(kept: Kept): Result<KeptPull> {
  return kept.as === "failed" ? refused({ ok: false, ...kept }, "pull-requests") : ok(kept);
}

function refused(
  reply: Extract<Reply<Json>, { readonly ok: false }>,
  permission: "contents" | "pull-requests",
): Result<never> {
  const advice = refusalAdvice(reply, permission);
  return failed(notProposed(`${reply.why}.${advice === null ? "" : ` ${advice}`}`));
}

function notProposed(why: string): Problem {
  const detail = `${why} The summary of the run has what the pull request would say.`;
  return problem("no_pull_request", "The adoption is not proposed", detail);
}

function leftAlone(): Problem {
  const detail = "A later run has written the pull request already, which is left as it is.";
  const told = problem("pull_request_left_alone", "The pull request is left alone", detail);
  return { ...told, severity: "warning" };
}
