import path from "node:path";
import { readRegularFile } from "../disk/files.js";
import { whyNotRead } from "../disk/place.js";
import { isObject, type Json } from "../model/json.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import type { Inputs, StepEnvironment } from "./inputs.js";

/** The workflow run of a step. */
export interface WorkflowRun {
  /** The event's name: `push`, `pull_request`, … */
  readonly event: string;
  /** For `workflow_run`: the event of the run before. */
  readonly causedBy: string | null;
  /** `owner/name`; empty outside of GitHub. */
  readonly repository: string;
  /** Whether the repository is private. Unknown counts as public. */
  readonly isPrivate: boolean;
  readonly ref: string;
  /** The commit of the run; for a pull request, its head. */
  readonly commit: string;
  /** For a push, the branch's commit before it; otherwise empty. */
  readonly before: string;
  /** Grows from run to run, across workflows. */
  readonly id: number;
  readonly attempt: number;
  /** The login that started the run. */
  readonly actor: string;
  /** The run's page; null outside of GitHub. */
  readonly url: string | null;
  readonly pull: PullRequest | null;
  /** The repository's folder, and a folder that lasts until the job ends. */
  readonly workspace: string;
  readonly temporary: string;
}

export interface PullRequest {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  readonly isFork: boolean;
}

/** GitHub's events are at most 25 MiB. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Reads the run from the runner's environment. */
export async function readWorkflowRun(
  environment: StepEnvironment,
  cwd: string,
): Promise<Result<WorkflowRun>> {
  const payload = await readEvent(environment.GITHUB_EVENT_PATH ?? "");
  if (!payload.ok) return payload;
  const event = environment.GITHUB_EVENT_NAME ?? "";
  const pull = pullIn(payload.value);
  const repository = environment.GITHUB_REPOSITORY ?? "";
  return ok({
    event,
    causedBy: textAt(payload.value, "workflow_run", "event"),
    repository: /^[\w.-]+\/[\w.-]+$/.test(repository) ? repository : "",
    isPrivate: get(get(payload.value, "repository"), "private") === true,
    ref: environment.GITHUB_REF ?? "",
    commit: pull?.head ?? commitIn(environment.GITHUB_SHA),
    before: event === "push" ? commitIn(textAt(payload.value, "before") ?? "") : "",
    id: count(environment.GITHUB_RUN_ID),
    attempt: count(environment.GITHUB_RUN_ATTEMPT),
    actor: environment.GITHUB_ACTOR ?? "",
    url: urlOf(environment),
    pull,
    workspace: path.resolve(cwd, environment.GITHUB_WORKSPACE ?? ""),
    temporary: path.resolve(cwd, environment.RUNNER_TEMP ?? ""),
  });
}

async function readEvent(file: string): Promise<Result<Json>> {
  if (file === "") return ok({});
  try {
    const read = readRegularFile(file, MAX_EVENT_BYTES);
    if (read.as !== "file") return failed(unreadable(file, whyNotRead(read)));
    const payload: Json = JSON.parse(read.bytes.toString("utf8"));
    return ok(payload);
  } catch (error) {
    return failed(unreadable(file, error instanceof Error ? error.message : String(error)));
  }
}

function unreadable(file: string, why: string) {
  const detail = `The file of GITHUB_EVENT_PATH, ${file}, cannot be read: ${why}. Nothing is done, because the trigger of the run is unknown.`;
  return problem("bad_event", "Event cannot be read", detail);
}

/** A comment on a pull request has the pull request as an issue. */
function pullIn(payload: Json): PullRequest | null {
  const issue = get(payload, "issue");
  const pull = get(payload, "pull_request") ?? (get(issue, "pull_request") === undefined ? undefined : issue);
  const number = get(pull, "number");
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) return null;
  const from = textAt(pull, "head", "repo", "full_name");
  return {
    number,
    head: commitAt(pull, "head"),
    base: commitAt(pull, "base"),
    // The repository of a fork may be gone.
    isFork: from === null || from !== textAt(pull, "base", "repo", "full_name"),
  };
}

function commitAt(pull: Json | undefined, side: string): string {
  return commitIn(textAt(pull, side, "sha") ?? "");
}

function commitIn(text = ""): string {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text) ? text : "";
}

function textAt(value: Json | undefined, ...keys: readonly string[]): string | null {
  const text = keys.reduce(get, value);
  return typeof text === "string" ? text : null;
}

function get(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function count(text: string | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}

function urlOf({ GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID }: StepEnvironment): string | null {
  const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  return /^https?:\/\/[\w.:-]+\/[\w.-]+\/[\w.-]+\/actions\/runs\/\d+$/.test(url) ? url : null;
}

export interface Permitted {
  readonly command: Inputs["command"];
  /** Why the command is not the workflow's; null: it is. */
  readonly instead: string | null;
}

/** Which command may run on this event. The files of a pull request are only a proposal, so they decide nothing. */
export function permitted(
  { command }: Pick<Inputs, "command">,
  run: WorkflowRun,
  hasCredential: boolean,
): Result<Permitted> {
  if (isForMerged(command) && isOfPull(run)) return failed(notMerged(command, run.event));
  if (command !== "validate" && isWithSecrets(run)) return failed(noSecrets(command, run));
  const why = hasCredential || command === "validate" ? null : whyWithoutSecrets(run);
  return ok(why === null ? { command, instead: null } : { command: "validate", instead: why });
}

/** Why GitHub gives this run no secrets; null: it does. */
function whyWithoutSecrets({ event, pull, actor }: WorkflowRun): string | null {
  if (event !== "pull_request" || pull === null) return null;
  const checked =
    "the files were validated offline, and not compared with the live state. Someone with access to the token must plan them.";
  if (pull.isFork) return `GitHub gives no secrets to pull requests from forks: ${checked}`;
  if (actor === "dependabot[bot]")
    return `GitHub gives runs of Dependabot only its own secrets, which have no token: ${checked}`;
  return null;
}

/** Whether the checkout may hold files of a pull request. */
export function isOfPull({ event, causedBy, ref, pull }: WorkflowRun): boolean {
  return (
    pull !== null ||
    /^refs\/pull\//.test(ref) ||
    MAY_BE_OF_PULL.test(causedBy ?? "") ||
    [event, causedBy ?? ""].some((each) => each.startsWith("pull_request") || each === "merge_group")
  );
}

/**
 * Events before a `workflow_run` that may be about a pull request. The payload does not tell what a comment is on, nor which
 * event came before another `workflow_run`.
 */
const MAY_BE_OF_PULL = /^(pull_request.*|issue_comment|workflow_run)$/;

/** Whether a command may run on merged files only. */
function isForMerged(command: Inputs["command"]): command is keyof typeof AFTER_MERGE {
  return Object.hasOwn(AFTER_MERGE, command);
}

const AFTER_MERGE = {
  apply: {
    code: "apply_on_pull_request",
    summary: "Pull requests are not applied",
    instead: "Apply after the merge, on push to the protected branch.",
  },
  rollback: {
    code: "rollback_on_pull_request",
    summary: "No rollback on a pull request",
    instead: "Roll back from the protected branch, on workflow_dispatch.",
  },
  adopt: {
    code: "adopt_on_pull_request",
    summary: "No adoption on a pull request",
    instead: "Adopt from the protected branch, on schedule or workflow_dispatch.",
  },
} as const;

function notMerged(command: keyof typeof AFTER_MERGE, event: string) {
  const { code, summary, instead } = AFTER_MERGE[command];
  const detail = `The event ${event || "of this run"} is for a pull request, which is not merged and may be from anyone. ${instead} Nothing was read or written.`;
  return problem(code, summary, detail);
}

/** Runs with the repository's secrets that may check out a stranger's files. */
function isWithSecrets({ event, causedBy, pull }: WorkflowRun): boolean {
  return (
    event === "pull_request_target" ||
    (event === "workflow_run" && MAY_BE_OF_PULL.test(causedBy ?? "")) ||
    (event === "issue_comment" && pull !== null)
  );
}

function noSecrets(command: string, { event }: WorkflowRun) {
  const detail = `The event ${event} has the repository's secrets, and the files may be from a stranger, who could expose them. Run ${command} on pull_request: there, forks get validate without secrets.`;
  return problem("secrets_on_pull_request", "Secrets refused for a pull request's files", detail);
}
